import { accountOfUser } from '../../operations/access/authentication.ts';
import * as ownAccounts from '../../operations/accounts/own-accounts.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { text, word } from '../params.ts';
import { people } from '../permissions.ts';
import { checkedPassword } from './checked-password.ts';
import { settingParams } from './setting-params.ts';

const declare = (path: string, summary: string): Endpoint =>
  endpoint({
    summary,
    description:
      'When `enable_drafts_synchronization` is turned off, all drafts on the server are deleted. Clients hear of the setting ' +
      'alone, and keep their own copies.\n\nTwo changes of the address an hour and five a day may be asked for; after them, and ' +
      'after five wrong passwords within 30 minutes, one has to wait: `RATE_LIMIT_HIT`.',
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
      new_password: text
        .optional()
        .describe('Ends all your API keys but the one that asks, and their event queues'),
      timezone: word.optional().describe('An identifier of the IANA time zone database'),
      ...settingParams,
    },
    refuses: ['BAD_REQUEST', 'REQUEST_VARIABLE_MISSING', 'RATE_LIMIT_HIT'],
    emits: [
      'user_settings',
      'realm_export_consent',
      'update_display_settings',
      'update_global_notifications',
      'realm_user',
      'user_status',
      'presence',
      'drafts',
    ],
    exchange({ user, site, client, params, keyHash }, { realm, answer, refuse }) {
      const { old_password, new_password, ...change } = params;
      checkedPassword(realm, user, { old_password, new_password, keyHash })
        .then((password) =>
          realm.perform((tx) => {
            // The account is read again: an earlier operation of the batch may have changed it.
            const caller = { site, client, user: accountOfUser(tx, user.id) };
            const unchanged = ownAccounts.update(tx, caller, { ...change, password });
            return unchanged.length === 0 ? {} : { ignored_parameters_unsupported: unchanged };
          }, user.id),
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
