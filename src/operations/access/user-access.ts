import type { UserRow } from '../../../storage/tables/people/users.ts';
import { ascending } from '../../domain/ascending.ts';
import { USERS_LOOKED_UP_MAX } from '../../domain/limits/accounts.ts';
import { canSeeEmail } from '../../domain/rules/people/users.ts';
import * as errors from '../../domain/wire/errors.ts';
import { byEmail } from './accounts.ts';
import type { Site } from './caller.ts';
import { accounts, type Reads } from './groups.ts';
import { type Sees, visibilityTo } from './user-visibility.ts';

export interface Viewer {
  readonly user: UserRow;
  readonly site: Site;
}

/**
 * Returns an account by id or address that this viewer may name; refuses a hidden one like a
 * missing one.
 */
export function find(tx: Reads, viewer: Viewer, name: number | string): UserRow {
  const user = named(tx, viewer, name);
  if (user === undefined) throw errors.noSuchUser();
  return user;
}

/**
 * Returns the accounts that this viewer may know of, ascending by id: all, or those with the given
 * ids.
 */
export function list(tx: Reads, viewer: UserRow, ids: readonly number[] | undefined): UserRow[] {
  const sees = visibilityTo(tx, viewer);
  const selected = ids === undefined ? undefined : new Set(ids);
  if (selected !== undefined && selected.size <= USERS_LOOKED_UP_MAX) {
    return (
      [...selected]
        .sort(ascending)
        .map((id) => tx.users.get([id]))
        .filter((user) => user !== undefined)
        // The service's own accounts are left out, as in the list of all.
        .filter((user) => !user.isSystem && sees(user))
    );
  }
  const listed: UserRow[] = [];
  for (const user of accounts(tx)) {
    if ((selected === undefined || selected.has(user.id)) && sees(user)) listed.push(user);
  }
  return listed;
}

/**
 * Returns the accounts of a request, each existing and active (specification, POST
 * /users/me/subscriptions).
 */
export function findActive(
  tx: Reads,
  viewer: Viewer,
  named: readonly (number | string)[],
): UserRow[] {
  const sees = visibilityTo(tx, viewer.user);
  const people = new Map<number, UserRow>();
  for (const one of new Set(named)) {
    const user = seen(tx, { ...viewer, sees }, one);
    // The service's own account cannot be subscribed.
    if (user === undefined || user.isSystem) {
      throw typeof one === 'number' ? errors.invalidUserId(one) : errors.noSuchUser();
    }
    if (!user.isActive) throw errors.userIsDeactivated();
    people.set(user.id, user);
  }
  return [...people.values()];
}

/** Returns an active person; bots have no status. */
export function findActivePerson(tx: Reads, viewer: Viewer, userId: number): UserRow {
  const user = find(tx, viewer, userId);
  if (user.botType !== null) throw errors.noSuchUser();
  if (!user.isActive) throw errors.userIsDeactivated();
  return user;
}

/** Does the same as `find`, but returns undefined instead of refusing. */
export const named = (tx: Reads, viewer: Viewer, name: number | string): UserRow | undefined =>
  seen(tx, { ...viewer, sees: visibilityTo(tx, viewer.user) }, name);

interface Seeing extends Viewer {
  readonly sees: Sees;
}

function seen(tx: Reads, viewer: Seeing, named: number | string): UserRow | undefined {
  const user =
    typeof named === 'number' ? tx.users.get([named]) : byVisibleEmail(tx, viewer, named);
  return user !== undefined && viewer.sees(user) ? user : undefined;
}

/**
 * Returns an account by its real address, if the viewer may see that, or by its API address (GET
 * /users/{email}).
 */
function byVisibleEmail(tx: Reads, { user: viewer, site }: Viewer, email: string) {
  const user = byEmail(tx, email, site);
  if (user === undefined) return undefined;
  const isReal = user.email.toLowerCase() === email.trim().toLowerCase();
  return isReal && !canSeeEmail(viewer, user) ? undefined : user;
}
