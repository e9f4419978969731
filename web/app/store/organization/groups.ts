/** Groups of people, who are mentioned together and given rights together. */
import type { Contents } from '@confab/client/store';
import { isAmong } from '../account/rights.ts';
import { app } from '../app.ts';

export interface ListedGroup {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly memberIds: readonly number[];
  readonly subgroups: readonly string[];
  readonly isMember: boolean;
  readonly mayManage: boolean;
  readonly mayJoin: boolean;
  readonly mayLeave: boolean;
}

/** Returns the groups that people have made, by name. */
export function groupsIn(state: Contents): readonly ListedGroup[] {
  const own = state.ownId;
  return [...state.groups.values()]
    .filter((group) => !group.is_system_group && !group.deactivated)
    .map((group) => {
      const manages = mayManage(state, group);
      const isMember = group.members.includes(own);
      return {
        id: group.id,
        name: group.name,
        description: group.description,
        memberIds: group.members,
        subgroups: group.direct_subgroup_ids.map((id) => state.groups.get(id)?.name ?? ''),
        isMember,
        mayManage: manages,
        mayJoin: !isMember && (manages || isAmong(state, own, group.can_join_group)),
        mayLeave: isMember && (manages || isAmong(state, own, group.can_leave_group)),
      };
    })
    .sort((one, other) => one.name.localeCompare(other.name));
}

/** Tests whether the account may change a group, and its rights. */
export const mayManage = (state: Contents, group: Pick<Group, 'can_manage_group'>): boolean =>
  isAmong(state, state.ownId, state.facts.realm_can_manage_all_groups) ||
  isAmong(state, state.ownId, group.can_manage_group);

type Group = NonNullable<ReturnType<Contents['groups']['get']>>;

export const mayMakeGroups = (state: Contents): boolean =>
  isAmong(state, state.ownId, state.facts.realm_can_create_groups);

export interface GroupForm {
  readonly name: string;
  readonly description: string;
  readonly memberIds: readonly number[];
}

export const makeGroup = ({ name, description, memberIds }: GroupForm) =>
  app.chat.call('POST', '/user_groups/create', {
    name: name.trim(),
    description: description.trim(),
    members: memberIds,
  });

/** Changes of a group what differs: its words by one request, its members by another. */
export async function changeGroup(before: ListedGroup, wanted: GroupForm): Promise<void> {
  const name = wanted.name.trim();
  const description = wanted.description.trim();
  if (name !== before.name || description !== before.description) {
    await app.chat.call('PATCH', '/user_groups/{user_group_id}', {
      user_group_id: before.id,
      ...(name === before.name ? {} : { name }),
      ...(description === before.description ? {} : { description }),
    });
  }
  const added = wanted.memberIds.filter((id) => !before.memberIds.includes(id));
  const removed = before.memberIds.filter((id) => !wanted.memberIds.includes(id));
  await changeMembers(before.id, added, removed);
}

export async function changeMembers(
  id: number,
  added: readonly number[],
  removed: readonly number[],
): Promise<void> {
  if (added.length === 0 && removed.length === 0) return;
  await app.chat.call('POST', '/user_groups/{user_group_id}/members', {
    user_group_id: id,
    ...(added.length === 0 ? {} : { add: added }),
    ...(removed.length === 0 ? {} : { delete: removed }),
  });
}

export const deactivateGroup = (id: number) =>
  app.chat.call('POST', '/user_groups/{user_group_id}/deactivate', { user_group_id: id });
