import type { RealmTransaction } from '../../../storage/transaction.ts';
import { isLanguage } from '../../domain/rules/people/languages.ts';
import * as errors from '../../domain/wire/errors.ts';
import {
  USER_SETTING_NAMES,
  USER_SETTINGS,
  type UserSettingName,
  type UserSettings,
} from '../../domain/wire/settings/user-settings.ts';
import { type Reads, realmSetting } from '../access/groups.ts';
import * as realms from '../access/realms.ts';

/** Settings to change; missing and undefined ones stay as they are. */
export type SettingsChange = {
  readonly [Name in UserSettingName]?: UserSettings[Name] | undefined;
};

/** Sets the defaults of new accounts, and announces those that changed. */
export function set(tx: RealmTransaction, change: SettingsChange) {
  for (const name of USER_SETTING_NAMES) {
    const value = change[name];
    if (value !== undefined) setOne(tx, name, value);
  }
}

function setOne(tx: RealmTransaction, name: UserSettingName, value: boolean | number | string) {
  const row = realms.existing(tx);
  if (name === 'default_language' && !isLanguage(String(value))) {
    throw errors.badRequest('Invalid default_language');
  }
  const { [name]: former = USER_SETTINGS[name].default, ...others } = row.userDefaults;
  if (former === value) return;
  const userDefaults =
    value === USER_SETTINGS[name].default ? others : { ...others, [name]: value };
  tx.realm.put(['realm'], { ...row, userDefaults });
  tx.emit({
    event: { type: 'realm_user_settings_defaults', op: 'update', property: name, value },
    audience: { everyone: true },
  });
}

export const stored = (reads: Reads): Partial<UserSettings> =>
  reads.realm.get(['realm'])?.userDefaults ?? {};

/**
 * Returns the settings of a person who joins now; without a default language it is the
 * organization's.
 */
export function ofNewUser(reads: Reads): Partial<UserSettings> {
  const defaults = stored(reads);
  const language = realmSetting(reads, 'default_language');
  if (language === USER_SETTINGS.default_language.default) return defaults;
  return { default_language: language, ...defaults };
}
