import type { GroupRow } from '../../../storage/tables/people/groups.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { inOrder } from '../../domain/ascending.ts';
import { GROUP_NOTICES_MAX } from '../../domain/limits/groups.ts';
import * as errors from '../../domain/wire/errors.ts';
import {
  HELD_BY_SYSTEM_GROUP,
  SYSTEM_GROUPS,
  systemGroupId,
  systemGroupName,
} from '../../domain/wire/system-groups.ts';
import type { Caller } from '../access/caller.ts';
import {
  accounts,
  isMember,
  mayInGroup,
  membersOf,
  type Reads,
  standingGroup,
  withSubgroups,
} from '../access/groups.ts';
import * as visibility from '../channels/visibility.ts';
import * as notices from '../posting/notices.ts';
import { activeUser, announce, editableGroup, manages, usableGroup } from './user-groups.ts';

export interface MembershipRequest {
  readonly add: readonly number[];
  readonly remove: readonly number[];
  readonly addSubgroups: readonly number[];
  readonly removeSubgroups: readonly number[];
}

/**
 * Changes the members of a group, all of the changes or none (specification, "POST
 * /user_groups/{user_group_id}/members").
 */
export function change(
  tx: RealmTransaction,
  caller: Caller,
  groupId: number,
  given: MembershipRequest,
) {
  const group = editableGroup(tx, groupId);
  const request = {
    add: inOrder(given.add),
    remove: inOrder(given.remove),
    addSubgroups: inOrder(given.addSubgroups),
    removeSubgroups: inOrder(given.removeSubgroups),
  };
  if (Object.values(request).every((ids) => ids.length === 0)) {
    throw errors.badRequest(
      'Nothing to do. Specify at least one of "add", "delete", "add_subgroups" or "delete_subgroups".',
    );
  }
  refuseUnpermitted(tx, caller.user, { group, request });
  const before = visibility.snapshot(tx, concerned(tx, groupId, request));
  addMembers(tx, group, request.add);
  removeMembers(tx, group, request.remove);
  addSubgroups(tx, group, request.addSubgroups);
  removeSubgroups(tx, group, request.removeSubgroups);
  visibility.announce(tx, before);
  const link = `@_*${group.name}*`;
  notify(tx, caller, { userIds: request.add, text: `added you to the group ${link}.` });
  notify(tx, caller, { userIds: request.remove, text: `removed you from the group ${link}.` });
}

/** Puts an account into groups and takes it out of others, as the operator has set it up. */
export function assign(
  tx: RealmTransaction,
  userId: number,
  { joins, leaves }: { readonly joins: readonly GroupRow[]; readonly leaves: readonly GroupRow[] },
) {
  for (const group of [...joins, ...leaves]) {
    const channelIds = visibility.channelsThrough(tx, group.id);
    const before = visibility.snapshot(tx, {
      userIds: channelIds.length === 0 ? [] : [userId],
      channelIds,
    });
    if (joins.includes(group)) addMembers(tx, group, [userId]);
    else removeMembers(tx, group, [userId]);
    visibility.announce(tx, before);
  }
}

/**
 * Changes the members of a group as a directory has them. Nobody is notified, and accounts that are
 * not active join and leave as well: clients leave them out until they are.
 */
export function provision(
  tx: RealmTransaction,
  group: GroupRow,
  { joins, leaves }: { readonly joins: readonly number[]; readonly leaves: readonly number[] },
) {
  const isActive = (id: number) => tx.users.get([id])?.isActive === true;
  const channelIds = visibility.channelsThrough(tx, group.id);
  const concerned = channelIds.length === 0 ? [] : [...joins, ...leaves].filter(isActive);
  const before = visibility.snapshot(tx, { userIds: inOrder(concerned), channelIds });
  addMembers(tx, group, inOrder(joins.filter(isActive)));
  removeMembers(tx, group, inOrder(leaves.filter(isActive)));
  for (const id of joins.filter((one) => !isActive(one))) {
    tx.groupMembers.put([group.id, id], {});
    tx.userGroups.put([id, group.id], {});
  }
  for (const id of leaves.filter((one) => !isActive(one))) {
    tx.groupMembers.remove([group.id, id]);
    tx.userGroups.remove([id, group.id]);
  }
  visibility.announce(tx, before);
}

/** Notifies the first members of a new group. */
export const notifyFirstMembers = (tx: RealmTransaction, caller: Caller, group: GroupRow) =>
  notify(tx, caller, {
    userIds: Array.from(tx.groupMembers.keysUnder([group.id]), ([, userId]) => userId),
    text: `added you to the group @_*${group.name}*.`,
  });

/** Returns the active accounts in a group, ascending. */
export function members(tx: Reads, groupId: number, { isDirect }: { isDirect: boolean }): number[] {
  refuseUnknown(tx, groupId);
  if (!isDirect) return membersOf(tx, groupId);
  if (systemGroupName(groupId) === undefined) {
    return Array.from(tx.groupMembers.keysUnder([groupId]), ([, userId]) => userId).filter(
      (userId) => tx.users.get([userId])?.isActive,
    );
  }
  return Array.from(accounts(tx))
    .filter((user) => user.isActive && standingGroup(tx, user) === groupId)
    .map(({ id }) => id);
}

/** Returns the groups within a group, ascending. */
export function subgroups(
  tx: Reads,
  groupId: number,
  { isDirect }: { isDirect: boolean },
): number[] {
  refuseUnknown(tx, groupId);
  if (isDirect) return directSubgroups(tx, groupId);
  const within = new Set<number>();
  for (const id of withSubgroups(tx, [groupId])) {
    within.add(id);
    for (const held of HELD_BY_SYSTEM_GROUP.get(id) ?? []) within.add(held);
  }
  within.delete(groupId);
  return inOrder(within);
}

/** Tests whether an account is in a group, directly or through subgroups. */
export function includes(
  tx: Reads,
  { groupId, userId, isDirect }: { groupId: number; userId: number; isDirect: boolean },
): boolean {
  refuseUnknown(tx, groupId);
  const user = activeUser(tx, userId);
  if (!isDirect) return isMember(tx, user, groupId);
  return systemGroupName(groupId) === undefined
    ? tx.groupMembers.has([groupId, userId])
    : standingGroup(tx, user) === groupId;
}

function directSubgroups(tx: Reads, groupId: number): number[] {
  const name = systemGroupName(groupId);
  if (name === undefined) return Array.from(tx.subgroups.keysUnder([groupId]), ([, id]) => id);
  return SYSTEM_GROUPS.filter((group) => group.name === name).flatMap(({ directSubgroupNames }) =>
    directSubgroupNames.map(systemGroupId),
  );
}

function refuseUnknown(tx: Reads, groupId: number) {
  if (systemGroupName(groupId) === undefined && !tx.groups.has([groupId])) {
    throw errors.invalidGroupId(groupId);
  }
}

/**
 * Refuses a change without its permission, such as "Adding oneself alone needs `can_join_group`"
 * (reference/endpoints.md 1.11).
 */
function refuseUnpermitted(
  tx: Reads,
  user: UserRow,
  { group, request }: { group: GroupRow; request: MembershipRequest },
) {
  if (manages(tx, user, group)) return;
  const isSelf = (ids: readonly number[]) => ids.length === 1 && ids[0] === user.id;
  const { add, remove, addSubgroups, removeSubgroups } = request;
  const mayAdd = mayInGroup(tx, user, { group, name: 'can_add_members_group' });
  const mayRemove = mayInGroup(tx, user, { group, name: 'can_remove_members_group' });
  const isAllowed =
    (add.length === 0 ||
      mayAdd ||
      (isSelf(add) && mayInGroup(tx, user, { group, name: 'can_join_group' }))) &&
    (remove.length === 0 ||
      mayRemove ||
      (isSelf(remove) && mayInGroup(tx, user, { group, name: 'can_leave_group' }))) &&
    (addSubgroups.length === 0 || mayAdd) &&
    (removeSubgroups.length === 0 || mayRemove);
  if (!isAllowed) throw errors.badRequest('Insufficient permission');
}

/** Returns the users and channels whose visibility the request may change. */
function concerned(tx: Reads, groupId: number, request: MembershipRequest) {
  const channelIds = visibility.channelsThrough(tx, groupId);
  if (channelIds.length === 0) return { userIds: [], channelIds };
  const userIds = new Set([...request.add, ...request.remove]);
  for (const id of [...request.addSubgroups, ...request.removeSubgroups]) {
    for (const userId of membersOf(tx, id)) userIds.add(userId);
  }
  return { userIds: inOrder(userIds), channelIds };
}

function addMembers(tx: RealmTransaction, group: GroupRow, userIds: readonly number[]) {
  if (userIds.length === 0) return;
  for (const id of userIds) {
    activeUser(tx, id);
    if (tx.groupMembers.has([group.id, id])) {
      throw errors.badRequest(`User ${id} is already a member of this group`);
    }
    tx.groupMembers.put([group.id, id], {});
    tx.userGroups.put([id, group.id], {});
  }
  const event = { group_id: group.id, user_ids: userIds };
  announce(tx, group, { type: 'user_group', op: 'add_members', ...event });
}

function removeMembers(tx: RealmTransaction, group: GroupRow, userIds: readonly number[]) {
  if (userIds.length === 0) return;
  for (const id of userIds) {
    activeUser(tx, id);
    if (!tx.groupMembers.has([group.id, id])) {
      throw errors.badRequest(`There is no member '${id}' in this user group`);
    }
    tx.groupMembers.remove([group.id, id]);
    tx.userGroups.remove([id, group.id]);
  }
  const event = { group_id: group.id, user_ids: userIds };
  announce(tx, group, { type: 'user_group', op: 'remove_members', ...event });
}

function addSubgroups(tx: RealmTransaction, group: GroupRow, groupIds: readonly number[]) {
  if (groupIds.length === 0) return;
  for (const id of groupIds) {
    usableGroup(tx, id);
    if (tx.subgroups.has([group.id, id])) {
      throw errors.badRequest(`User group ${id} is already a subgroup of this group.`);
    }
    if (withSubgroups(tx, [id]).has(group.id)) {
      throw errors.badRequest(
        `User group ${group.id} is already a subgroup of one of the passed subgroups.`,
      );
    }
    tx.subgroups.put([group.id, id], {});
    tx.supergroups.put([id, group.id], {});
  }
  const event = { group_id: group.id, direct_subgroup_ids: groupIds };
  announce(tx, group, { type: 'user_group', op: 'add_subgroups', ...event });
}

function removeSubgroups(tx: RealmTransaction, group: GroupRow, groupIds: readonly number[]) {
  if (groupIds.length === 0) return;
  for (const id of groupIds) {
    refuseUnknown(tx, id);
    if (!tx.subgroups.has([group.id, id])) {
      throw errors.badRequest(`User group ${id} is not a subgroup of this group.`);
    }
    tx.subgroups.remove([group.id, id]);
    tx.supergroups.remove([id, group.id]);
  }
  const event = { group_id: group.id, direct_subgroup_ids: groupIds };
  announce(tx, group, { type: 'user_group', op: 'remove_subgroups', ...event });
}

/**
 * Notifies "affected other humans" (reference/endpoints.md 1.11), unless they are too many for one
 * transaction.
 */
function notify(
  tx: RealmTransaction,
  { user, site }: Caller,
  { userIds, text }: { userIds: readonly number[]; text: string },
) {
  const people = userIds
    .map((id) => tx.users.get([id]))
    .filter((person) => person !== undefined)
    .filter(({ id, isActive, botType }) => isActive && id !== user.id && botType === null);
  if (people.length > GROUP_NOTICES_MAX) return;
  const content = `${notices.silentMention(user)} ${text}`;
  for (const person of people) notices.toPeople(tx, site, { people: [person], content });
}
