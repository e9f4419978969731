import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import * as errors from '../../domain/wire/errors.ts';
import { Role } from '../../domain/wire/roles.ts';
import type { Caller } from '../access/caller.ts';
import * as owners from '../access/owners.ts';
import * as userAccess from '../access/user-access.ts';
import * as bots from '../bots/bots.ts';
import * as roles from '../groups/roles.ts';
import * as profileValues from '../users/profile-values.ts';
import * as profiles from '../users/profiles.ts';
import * as emailChanges from './email-changes.ts';

/** The changes of an account; undefined fields stay as they are. */
export interface AccountChange {
  readonly full_name: string | undefined;
  readonly role: Role | undefined;
  readonly profile_data: readonly profileValues.ProfileEntry[] | undefined;
  readonly new_email: string | undefined;
}

/** Changes another user's account, all of the changes or none: for administrators. */
export function update(
  tx: RealmTransaction,
  { user: by, site }: Caller,
  { named, change }: { named: number | string; change: AccountChange },
) {
  const user = userAccess.find(tx, { user: by, site }, named);
  if (user.isSystem) throw errors.noSuchUser();
  const { full_name, role, profile_data, new_email } = change;
  let current = user;
  if (full_name !== undefined) current = renamed(tx, current, full_name);
  if (role !== undefined) current = roles.change(tx, by, { user: current, role });
  if (profile_data !== undefined) {
    refuseBot(current, 'Bots have no profile.');
    profileValues.set(tx, { user: by, site }, { user: current, entries: profile_data });
  }
  if (new_email !== undefined) {
    refuseBot(current, 'The address of a bot does not change.');
    // Everybody who reads the mail of an owner can become one.
    if (user.role === Role.owner) owners.refuseOthers(by);
    emailChanges.changeNow(tx, { user: current, site }, new_email);
  }
}

function renamed(tx: RealmTransaction, user: UserRow, fullName: string): UserRow {
  if (fullName.trim() === user.fullName) return user;
  if (user.botType !== null) bots.refuseTakenName(tx, fullName.trim(), user.id);
  const name = profiles.acceptableName(tx, fullName, user.id);
  return profiles.rename(tx, user, name);
}

function refuseBot({ botType }: UserRow, msg: string) {
  if (botType !== null) throw errors.badRequest(msg);
}
