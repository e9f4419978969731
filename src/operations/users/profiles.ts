import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { FULL_NAME_LENGTH_MAX, FULL_NAME_LENGTH_MIN } from '../../domain/limits/accounts.ts';
import { isTimezone } from '../../domain/rules/people/timezones.ts';
import { apiEmail, faultOfFullName } from '../../domain/rules/people/users.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Site } from '../access/caller.ts';
import { type Reads, realmSetting } from '../access/groups.ts';
import { whoSees } from '../access/user-visibility.ts';
import * as botDefaults from './bot-defaults.ts';

/** Returns a name as it is stored; refuses an invalid one, and a taken one if names are unique. */
export function acceptableName(tx: Reads, text: string, userId?: number): string {
  const name = text.trim();
  const fault = faultOfFullName(name, { min: FULL_NAME_LENGTH_MIN, max: FULL_NAME_LENGTH_MAX });
  if (fault !== undefined) throw errors.badRequest(fault);
  if (isTaken(tx, name, userId)) {
    throw errors.badRequest('Unique names required in this organization.');
  }
  return name;
}

/** Tests for a name that another active account has, where names have to be unique. */
export const isTaken = (reads: Reads, name: string, userId: number | undefined): boolean =>
  realmSetting(reads, 'require_unique_names') && isNameOfAnother(reads, name.trim(), userId);

/** Renames an account, and tells users who may know of it. Returns the renamed account. */
export function rename(tx: RealmTransaction, user: UserRow, fullName: string): UserRow {
  if (fullName === user.fullName) return user;
  const renamed = { ...user, fullName };
  tx.users.put([user.id], renamed);
  tx.userNames.remove([user.fullName.toLowerCase(), user.id]);
  tx.userNames.put([fullName.toLowerCase(), user.id], {});
  tx.emit({
    event: { type: 'realm_user', op: 'update', person: { user_id: user.id, full_name: fullName } },
    audience: whoSees(tx, renamed),
  });
  if (user.botType !== null)
    botDefaults.announceToManagers(tx, user, () => ({ full_name: fullName }));
  return renamed;
}

/**
 * Sets the time zone of the profile. It is announced as a setting to its owner, and as a part of
 * the account to all.
 */
export function setTimezone(
  tx: RealmTransaction,
  { user, site }: { user: UserRow; site: Site },
  timezone: string,
): UserRow {
  if (timezone === user.timezone) return user;
  if (!isTimezone(timezone))
    throw errors.badRequest('Invalid timezone: Not a recognized time zone');
  const moved = { ...user, timezone };
  const email = apiEmail(user, site.host);
  const audience = { users: [user.id] };
  tx.users.put([user.id], moved);
  tx.emit({
    event: { type: 'user_settings', op: 'update', property: 'timezone', value: timezone },
    audience,
  });
  tx.emit({
    event: {
      type: 'update_display_settings',
      setting_name: 'timezone',
      setting: timezone,
      user: email,
    },
    audience,
    queues: { lacks: 'user_settings_object' },
  });
  tx.emit({
    event: { type: 'realm_user', op: 'update', person: { user_id: user.id, email, timezone } },
    audience: whoSees(tx, moved),
  });
  return moved;
}

function isNameOfAnother(tx: Reads, name: string, userId: number | undefined): boolean {
  for (const [, id] of tx.userNames.keysUnder([name.toLowerCase()])) {
    const other = tx.users.get([id]);
    if (id !== userId && other?.isActive && !other.isSystem) return true;
  }
  return false;
}
