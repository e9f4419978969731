import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import type { PeopleEntry } from '../../config.ts';
import { Role } from '../../domain/wire/roles.ts';
import * as owners from '../access/owners.ts';
import * as members from '../groups/members.ts';
import * as roles from '../groups/roles.ts';

/**
 * Gives an account the rights that its groups at a provider or in a directory grant. Roles and
 * user groups that no line of the entry names are left alone, and the last owner stays one. Returns
 * the account as it is then.
 */
export function apply(
  tx: RealmTransaction,
  { grants }: Pick<PeopleEntry, 'grants'>,
  { user, groups }: { readonly user: UserRow; readonly groups: readonly string[] },
): UserRow {
  if (grants.length === 0) return user;
  const held = new Set(groups);
  const granted = grants.filter(({ group }) => held.has(group));
  joinAndLeave(tx, user, {
    managed: new Set(grants.flatMap((grant) => grant.user_groups)),
    granted: new Set(granted.flatMap((grant) => grant.user_groups)),
  });
  const role = roleFor(user.role, {
    managed: rolesIn(grants),
    granted: rolesIn(granted),
  });
  if (role === user.role || owners.isLast(tx, user)) return user;
  return roles.assign(tx, { user, role });
}

const rolesIn = (grants: PeopleEntry['grants']): Role[] =>
  grants.flatMap(({ role }) => (role === undefined ? [] : [Role[role]]));

interface Roles {
  readonly managed: readonly Role[];
  readonly granted: readonly Role[];
}

/**
 * Returns the highest role that is granted; somebody who had one of those roles and has none of
 * the groups any more is a member. A role above all that are named was given here, and stays.
 */
function roleFor(now: Role, { managed, granted }: Roles): Role {
  if (managed.length === 0) return now;
  const [highest] = [...granted].sort((one, other) => one - other);
  const isManaged = managed.includes(now);
  if (highest === undefined) return isManaged ? Role.member : now;
  return isManaged || highest < now ? highest : now;
}

function joinAndLeave(
  tx: RealmTransaction,
  user: UserRow,
  names: { readonly managed: ReadonlySet<string>; readonly granted: ReadonlySet<string> },
) {
  const [joins, leaves] = [[], []] as GroupRows;
  for (const name of names.managed) {
    const id = tx.groupNames.get([name.toLowerCase()])?.groupId;
    const group = id === undefined ? undefined : tx.groups.get([id]);
    if (group === undefined || group.isDeactivated) continue;
    const isMember = tx.groupMembers.has([group.id, user.id]);
    if (names.granted.has(name) && !isMember) joins.push(group);
    if (!names.granted.has(name) && isMember) leaves.push(group);
  }
  members.assign(tx, user.id, { joins, leaves });
}

type GroupRows = [
  Parameters<typeof members.assign>[2]['joins'][number][],
  Parameters<typeof members.assign>[2]['leaves'][number][],
];
