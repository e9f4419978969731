import type { WireEvent } from '../client.ts';
import type { Snapshot } from './snapshot.ts';

interface Group {
  readonly id: number;
  name: string;
  members: number[];
  direct_subgroup_ids: number[];
}

type Setting = number | { direct_members: number[]; direct_subgroups: number[] };

/** Changes that a client makes on events of user groups, its own rights included. */
export const GROUP_CHANGES: Readonly<Record<string, (state: Snapshot, event: WireEvent) => void>> =
  {
    'user_group add': (state, { group }) => {
      if (groupsOf(state).some(({ id }) => id === group.id)) {
        throw new Error(`group ${group.id} is added once more`);
      }
      state.realm_user_groups.push(structuredClone(group));
    },
    'user_group update': (state, { group_id, data }) => {
      Object.assign(groupOf(state, group_id), data);
    },
    'user_group remove': (state, { group_id }) => {
      groupOf(state, group_id);
      state.realm_user_groups = state.realm_user_groups.filter(({ id }) => id !== group_id);
    },
    'user_group add_members': (state, { group_id, user_ids }) => {
      const group = groupOf(state, group_id);
      group.members = added(group.members, user_ids);
    },
    'user_group remove_members': (state, { group_id, user_ids }) => {
      const group = groupOf(state, group_id);
      group.members = removed(group.members, user_ids);
    },
    'user_group add_subgroups': (state, { group_id, direct_subgroup_ids }) => {
      const group = groupOf(state, group_id);
      group.direct_subgroup_ids = added(group.direct_subgroup_ids, direct_subgroup_ids);
    },
    'user_group remove_subgroups': (state, { group_id, direct_subgroup_ids }) => {
      const group = groupOf(state, group_id);
      group.direct_subgroup_ids = removed(group.direct_subgroup_ids, direct_subgroup_ids);
    },
  };

/**
 * Computes the user's rights from the organization's settings and the groups: no event tells them.
 */
export function computeRights(state: Snapshot) {
  const may = (setting: string) =>
    state['is_guest'] !== true && isIn(state, state[`realm_${setting}`] as Setting);
  const createsPublic = may('can_create_public_channel_group');
  const createsPrivate = may('can_create_private_channel_group');
  const createsWebPublic =
    state['realm_enable_spectator_access'] === true && may('can_create_web_public_channel_group');
  state['can_create_public_streams'] = createsPublic;
  state['can_create_private_streams'] = createsPrivate;
  state['can_create_web_public_streams'] = createsWebPublic;
  state['can_create_streams'] = createsPublic || createsPrivate || createsWebPublic;
  state['can_invite_others_to_realm'] = may('can_invite_users_group');
}

function isIn(state: Snapshot, setting: Setting): boolean {
  if (typeof setting !== 'number' && setting.direct_members.includes(state.user_id)) return true;
  const within = new Set(typeof setting === 'number' ? [setting] : setting.direct_subgroups);
  for (const id of within) {
    const group = groupsOf(state).find((known) => known.id === id);
    if (group?.members.includes(state.user_id)) return true;
    for (const subgroupId of group?.direct_subgroup_ids ?? []) within.add(subgroupId);
  }
  return false;
}

// The state has more of a group than this; what is here is what these changes touch.
const groupsOf = (state: Snapshot) => state.realm_user_groups as unknown as Group[];

function groupOf(state: Snapshot, groupId: number): Group {
  const group = groupsOf(state).find(({ id }) => id === groupId);
  if (group === undefined) throw new Error(`group ${groupId} is not known`);
  return group;
}

function added(ids: readonly number[], more: readonly number[]): number[] {
  for (const id of more) if (ids.includes(id)) throw new Error(`${id} is added once more`);
  return [...ids, ...more].sort((one, other) => one - other);
}

function removed(ids: readonly number[], gone: readonly number[]): number[] {
  for (const id of gone) if (!ids.includes(id)) throw new Error(`${id} is not there to be removed`);
  return ids.filter((id) => !gone.includes(id));
}
