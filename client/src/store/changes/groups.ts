import type { Channel, UserGroup } from '../../generated/api.ts';
import type { Contents } from '../contents.ts';
import type { Section } from '../sections.ts';
import { type Changes, changed } from './change.ts';
import { added, type Changed, removed } from './members.ts';

export const GROUPS: Changes = {
  'user_group add': (state, { group }) => {
    if (state.groups.has(group.id)) mismatch(state, `group ${group.id} is added once more`);
    state.groups.set(group.id, group);
    return withRights(state);
  },
  'user_group update': (state, { group_id, data }) => {
    change(state, group_id, data);
    return withRights(state);
  },
  'user_group remove': (state, { group_id }) => {
    if (!state.groups.delete(group_id)) mismatch(state, `group ${group_id} is not known`);
    return withRights(state);
  },
  'user_group add_members': (state, { group_id, user_ids }) => {
    changeList(state, group_id, 'members', ({ members }) => added(members, user_ids));
    return withRights(state);
  },
  'user_group remove_members': (state, { group_id, user_ids }) => {
    changeList(state, group_id, 'members', ({ members }) => removed(members, user_ids));
    return withRights(state);
  },
  'user_group add_subgroups': (state, { group_id, direct_subgroup_ids: ids }) => {
    changeList(state, group_id, SUBGROUPS, (group) => added(group[SUBGROUPS], ids));
    return withRights(state);
  },
  'user_group remove_subgroups': (state, { group_id, direct_subgroup_ids: ids }) => {
    changeList(state, group_id, SUBGROUPS, (group) => removed(group[SUBGROUPS], ids));
    return withRights(state);
  },
};

const mismatch = (state: Contents, message: string) => state.mismatch('realm_user_groups', message);

function change(state: Contents, id: number, fields: Partial<UserGroup>) {
  const group = state.groups.get(id);
  if (group === undefined) mismatch(state, `group ${id} is not known`);
  else state.groups.set(id, changed(group, fields));
}

const SUBGROUPS = 'direct_subgroup_ids';

function changeList(
  state: Contents,
  id: number,
  list: 'members' | typeof SUBGROUPS,
  changeOf: (group: UserGroup) => Changed,
) {
  const group = state.groups.get(id);
  if (group === undefined) return change(state, id, {});
  const { members, wrong } = changeOf(group);
  change(state, id, { [list]: members });
  for (const member of wrong) mismatch(state, `${member} is in group ${id} or not already`);
}

function withRights(state: Contents): readonly Section[] {
  return computeRights(state) ? ['groups', 'own'] : ['groups'];
}

/**
 * Computes the user's rights from the organization's settings and the groups: no event tells them.
 * Returns whether any of them changed.
 */
export function computeRights(state: Contents): boolean {
  const { facts } = state;
  if (!state.fetched.has('can_create_streams')) return false;
  const may = (setting: GroupSetting | undefined) =>
    facts.is_guest !== true && setting !== undefined && isIn(state, setting);
  const createsPublic = may(facts.realm_can_create_public_channel_group);
  const createsPrivate = may(facts.realm_can_create_private_channel_group);
  const createsWebPublic =
    facts.realm_enable_spectator_access === true &&
    may(facts.realm_can_create_web_public_channel_group);
  const rights = {
    can_create_public_streams: createsPublic,
    can_create_private_streams: createsPrivate,
    can_create_web_public_streams: createsWebPublic,
    can_create_streams: createsPublic || createsPrivate || createsWebPublic,
    can_invite_others_to_realm: may(facts.realm_can_invite_users_group),
  };
  const before = JSON.stringify(
    Object.keys(rights).map((name) => facts[name as keyof typeof rights]),
  );
  Object.assign(facts, rights);
  return before !== JSON.stringify(Object.values(rights));
}

type GroupSetting = UserGroup['can_join_group'];

/** Tells whether the user is in the group of a setting, or in a group within it. */
function isIn(state: Contents, setting: GroupSetting): boolean {
  if (typeof setting !== 'number' && setting.direct_members.includes(state.ownId)) return true;
  const within = new Set(typeof setting === 'number' ? [setting] : setting.direct_subgroups);
  for (const id of within) {
    const group = state.groups.get(id);
    if (group?.members.includes(state.ownId)) return true;
    for (const subgroupId of group?.direct_subgroup_ids ?? []) within.add(subgroupId);
  }
  return false;
}

/** No event tells of the groups that a deactivated user leaves, nor of groups without a name. */
export function dropFromGroups(state: Contents, id: number): readonly Section[] {
  for (const group of state.groups.values()) {
    const isMember = group.members.includes(id);
    const others = isMember ? { members: group.members.filter((member) => member !== id) } : {};
    const dropped = { ...others, ...settingsWithout(group, id) };
    if (Object.keys(dropped).length > 0) state.groups.set(group.id, changed(group, dropped));
  }
  for (const channel of state.channels.values()) {
    const dropped = settingsWithout(channel, id);
    if (Object.keys(dropped).length > 0) {
      state.channels.set(channel.stream_id, changed(channel, dropped));
    }
  }
  Object.assign(state.facts, settingsWithout(state.facts, id));
  return ['groups', 'channels', 'realm'];
}

/** Returns the settings that name the user in a group without a name, without the user. */
function settingsWithout(holder: UserGroup | Channel | Contents['facts'], id: number) {
  const found = Object.entries(holder).flatMap(([name, value]) => {
    const unnamed = value as { readonly direct_members?: readonly number[] } | null | undefined;
    if (unnamed?.direct_members?.includes(id) !== true) return [];
    const direct_members = unnamed.direct_members.filter((member) => member !== id);
    return [[name, { ...unnamed, direct_members }]];
  });
  return Object.fromEntries(found) as object;
}
