import type { RealmTransaction } from '../../../storage/transaction.ts';
import { isAdministrator } from '../../domain/wire/roles.ts';
import type { Caller } from '../access/caller.ts';
import { realmSetting } from '../access/groups.ts';
import type * as userDefaults from '../users/defaults.ts';
import * as profiles from '../users/profiles.ts';
import * as emailChanges from './email-changes.ts';
import * as passwords from './passwords.ts';
import * as userSettings from './user-settings.ts';

interface AccountChange extends userDefaults.SettingsChange {
  readonly full_name?: string | undefined;
  readonly email?: string | undefined;
  readonly timezone?: string | undefined;
  readonly password?: passwords.NewPassword | undefined;
}

/**
 * Changes the account, all of the changes or none. Returns the names of unchanged ones: "unchanged
 * parameters are reported" (specification, PATCH /settings).
 */
export function update(
  tx: RealmTransaction,
  { user, site }: Caller,
  { full_name, email, timezone, password, ...settings }: AccountChange,
): string[] {
  const unchanged: string[] = [];
  let current = user;
  if (full_name !== undefined && full_name.trim() !== user.fullName && mayRename(tx, user)) {
    const name = profiles.acceptableName(tx, full_name, user.id);
    current = profiles.rename(tx, current, name);
  }
  if (password !== undefined) current = passwords.set(tx, current, password);
  if (email !== undefined) emailChanges.ask(tx, { user: current, site }, email);
  if (timezone !== undefined) {
    current = profiles.setTimezone(tx, { user: current, site }, timezone);
  }
  if (full_name !== undefined && current.fullName === user.fullName) unchanged.push('full_name');
  if (email !== undefined && email.toLowerCase() === user.email.toLowerCase()) {
    unchanged.push('email');
  }
  if (timezone !== undefined && current.timezone === user.timezone) unchanged.push('timezone');
  unchanged.push(...userSettings.asTheyAre(user, settings));
  userSettings.set(tx, { user: current, site }, settings);
  return unchanged;
}

/**
 * Tests whether the user may change their name. If names are locked, a change is ignored silently,
 * except for administrators.
 */
const mayRename = (tx: RealmTransaction, { role }: Caller['user']) =>
  !realmSetting(tx, 'name_changes_disabled') || isAdministrator(role);
