import type { RealmTransaction } from '../../../storage/transaction.ts';
import * as errors from '../../domain/wire/errors.ts';
import { isAdministrator } from '../../domain/wire/roles.ts';
import type { Caller } from '../access/caller.ts';
import { realmSetting } from '../access/groups.ts';
import type * as userDefaults from '../users/defaults.ts';
import * as profiles from '../users/profiles.ts';
import * as apiKeys from './api-keys.ts';
import * as emailChanges from './email-changes.ts';
import * as userSettings from './user-settings.ts';

export interface NewPassword {
  /** argon2id in PHC form, as is the next. */
  readonly hash: string;
  /** Hash of the verified password. */
  readonly formerHash: string | null;
  /** Hash of the key that authenticates the request, which stays. */
  readonly keyHash: string | undefined;
}

interface AccountChange extends userDefaults.SettingsChange {
  readonly full_name?: string | undefined;
  readonly email?: string | undefined;
  readonly timezone?: string | undefined;
  readonly password?: NewPassword | undefined;
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
  if (password !== undefined) current = setPassword(tx, current, password);
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
 * Sets a new password. An attacker with the old one may have keys, sessions and a pending change of
 * address: all of them end, except the key that authenticates the request, and its queues.
 */
function setPassword(tx: RealmTransaction, user: Caller['user'], password: NewPassword) {
  // The old password was verified before this operation, and may have been changed since.
  if (password.formerHash !== user.passwordHash) throw errors.badRequest('Wrong password!');
  const changed = { ...user, passwordHash: password.hash };
  tx.users.put([user.id], changed);
  apiKeys.endAll(tx, user.id, password.keyHash);
  emailChanges.forget(tx, user.id);
  return changed;
}

/**
 * Tests whether the user may change their name. If names are locked, a change is ignored silently,
 * except for administrators.
 */
const mayRename = (tx: RealmTransaction, { role }: Caller['user']) =>
  !realmSetting(tx, 'name_changes_disabled') || isAdministrator(role);
