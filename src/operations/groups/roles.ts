import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import * as errors from '../../domain/wire/errors.ts';
import { isAdministrator, Role } from '../../domain/wire/roles.ts';
import * as eventQueues from '../access/event-queues.ts';
import { standingGroup } from '../access/groups.ts';
import * as owners from '../access/owners.ts';
import { whoSees } from '../access/user-visibility.ts';
import * as visibility from '../channels/visibility.ts';

interface RoleChange {
  readonly user: UserRow;
  readonly role: Role;
}

/**
 * Changes the role of an account. Users who know of it get an event; the account's own clients
 * register again, since nearly all that they may see changes (docs/decisions/0073). Returns the
 * changed account.
 */
export function change(tx: RealmTransaction, by: UserRow, { user, role }: RoleChange): UserRow {
  if (role === user.role) return user;
  if (!isAdministrator(by.role)) throw errors.badRequest('Insufficient permission');
  if (role === Role.owner || user.role === Role.owner) owners.refuseOthers(by);
  if (owners.isLast(tx, user)) {
    throw errors.badRequest(
      'The owner permission cannot be removed from the only organization owner.',
    );
  }
  return assign(tx, { user, role });
}

/** Changes a role without asking who does it: for what the operator has set up. */
export function assign(tx: RealmTransaction, { user, role }: RoleChange): UserRow {
  const channelIds = Array.from(tx.channels.keys({}), ([id]) => id);
  const before = visibility.snapshot(tx, { userIds: [user.id], channelIds });
  const changed = { ...user, role };
  tx.users.put([user.id], changed);
  announce(tx, { before: user, after: changed });
  visibility.noteLost(tx, before);
  eventQueues.endOf(tx, new Set([user.id]));
  return changed;
}

/**
 * Announces the change so that the user is in both groups between the two events, and never has
 * fewer rights than before and after.
 */
function announce(tx: RealmTransaction, { before, after }: { before: UserRow; after: UserRow }) {
  const { id, role } = after;
  tx.emit({
    event: { type: 'realm_user', op: 'update', person: { user_id: id, role } },
    audience: whoSees(tx, after),
  });
  // Deactivated accounts are not listed in groups.
  if (!after.isActive) return;
  const [from, to] = [standingGroup(tx, before), standingGroup(tx, after)];
  const audience = { everyone: true } as const;
  tx.emit({
    event: { type: 'user_group', op: 'add_members', group_id: to, user_ids: [id] },
    audience,
  });
  tx.emit({
    event: { type: 'user_group', op: 'remove_members', group_id: from, user_ids: [id] },
    audience,
  });
}
