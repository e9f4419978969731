import type { z } from 'zod';
import * as objects from '../../domain/objects.ts';
import {
  USER_SETTING_NAMES,
  USER_SETTINGS,
  type UserSettingName,
  type UserSettings,
} from '../../domain/user-settings.ts';
import { accountOfUser } from '../../operations/authentication.ts';
import * as ownAccounts from '../../operations/own-accounts.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { boolean, integer, text } from '../params.ts';
import { people } from '../permissions.ts';
import { checkedPassword } from './checked-password.ts';

type Value = UserSettings[UserSettingName];

/** Fixed words and names are raw text, everything else is JSON, as everywhere. */
function settingParam(name: UserSettingName) {
  const { default: value } = USER_SETTINGS[name];
  if (typeof value === 'boolean') return boolean.optional();
  // It takes whatever it is given, and says what is wrong with it.
  const setting = objects.userSettings[name] as z.ZodType<Value, string & number>;
  return (typeof value === 'string' ? text.pipe(setting) : integer.pipe(setting)).optional();
}

const settingParams = Object.fromEntries(
  USER_SETTING_NAMES.map((name) => [name, settingParam(name)]),
  // One entry per name, whose value is that of the setting.
) as unknown as {
  readonly [Name in UserSettingName]: z.ZodOptional<z.ZodType<UserSettings[Name]>>;
};

const declare = (path: string, summary: string): Endpoint =>
  endpoint({
    summary,
    description:
      'When `enable_drafts_synchronization` is turned off, all drafts on the server are deleted. Clients hear of the setting ' +
      'alone, and keep their own copies.',
    method: 'PATCH',
    path,
    allow: people,
    params: {
      full_name: text.optional(),
      email: text
        .trim()
        .optional()
        .describe('Changes when the link that is sent to this address is opened'),
      old_password: text.optional().describe('With `new_password`'),
      new_password: text.optional(),
      timezone: text.optional().describe('An identifier of the IANA time zone database'),
      ...settingParams,
    },
    refuses: ['BAD_REQUEST', 'REQUEST_VARIABLE_MISSING', 'RATE_LIMIT_HIT'],
    emits: [
      'user_settings',
      'update_display_settings',
      'update_global_notifications',
      'realm_user',
      'user_status',
      'presence',
    ],
    exchange({ user, place, client, params }, { realm, answer, refuse }) {
      const { old_password, new_password, ...change } = params;
      checkedPassword(realm, user, { old_password, new_password })
        .then((password) =>
          realm.perform((tx) => {
            // Read again: an earlier operation of the batch may have changed the account.
            const caller = { place, client, user: accountOfUser(tx, user.id) };
            const unchanged = ownAccounts.update(tx, caller, { ...change, password });
            return unchanged.length === 0 ? {} : { ignored_parameters_unsupported: unchanged };
          }),
        )
        .then(answer, refuse);
    },
  });

export const updateSettings = declare('/settings', 'Change your settings and your account');
export const updateDisplaySettings = declare(
  '/settings/display',
  'Deprecated: the same as PATCH /settings',
);
export const updateNotificationSettings = declare(
  '/settings/notifications',
  'Deprecated: the same as PATCH /settings',
);
