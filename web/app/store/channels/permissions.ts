/** The rights of people in a channel: settings whose values are groups, and words for them. */
import type { Contents } from '@confab/client/store';
import { type Holders, isAdministrator, isAmong } from '../account/rights.ts';

export type ChannelPermission =
  | 'can_send_message_group'
  | 'can_create_topic_group'
  | 'can_resolve_topics_group'
  | 'can_move_messages_within_channel_group'
  | 'can_move_messages_out_of_channel_group'
  | 'can_delete_own_message_group'
  | 'can_delete_any_message_group'
  | 'can_subscribe_group'
  | 'can_add_subscribers_group'
  | 'can_remove_subscribers_group'
  | 'can_administer_channel_group';

export interface PermissionWords {
  readonly name: ChannelPermission;
  readonly label: string;
  /** A rule that holds beside the setting. */
  readonly hint?: string;
}

const OF_ALL_CHANNELS = 'Those who may do so in all channels may as well.';

/** The settings in the order in which they are shown. */
export const PERMISSIONS: readonly {
  readonly title: string;
  readonly settings: readonly PermissionWords[];
}[] = [
  {
    title: 'Messages',
    settings: [
      { name: 'can_send_message_group', label: 'Who may write' },
      { name: 'can_create_topic_group', label: 'Who may begin a topic' },
      {
        name: 'can_resolve_topics_group',
        label: 'Who may resolve topics',
        hint: OF_ALL_CHANNELS,
      },
      {
        name: 'can_move_messages_within_channel_group',
        label: 'Who may move messages to other topics',
        hint: OF_ALL_CHANNELS,
      },
      {
        name: 'can_move_messages_out_of_channel_group',
        label: 'Who may move messages to other channels',
        hint: OF_ALL_CHANNELS,
      },
      {
        name: 'can_delete_own_message_group',
        label: 'Who may delete messages of their own',
        hint: OF_ALL_CHANNELS,
      },
      {
        name: 'can_delete_any_message_group',
        label: 'Who may delete any message',
        hint: OF_ALL_CHANNELS,
      },
    ],
  },
  {
    title: 'People',
    settings: [
      {
        name: 'can_subscribe_group',
        label: 'Who may join by themselves',
        hint: 'All members may join an open channel.',
      },
      { name: 'can_add_subscribers_group', label: 'Who may add people' },
      {
        name: 'can_remove_subscribers_group',
        label: 'Who may remove people',
        hint: 'Administrators may as well.',
      },
      {
        name: 'can_administer_channel_group',
        label: 'Who may change the channel',
        hint: 'Administrators may as well.',
      },
    ],
  },
];

/** Groups that every organization has, by their names. */
const ROLE_WORDS: Readonly<Record<string, string | undefined>> = {
  __proto__: null as never,
  'role:internet': 'Everybody on the Internet',
  'role:everyone': 'Everybody, guests too',
  'role:members': 'All members',
  'role:fullmembers': 'Members who are not new',
  'role:moderators': 'Moderators',
  'role:administrators': 'Administrators',
  'role:owners': 'Owners',
  'role:nobody': 'Nobody',
};

/** Returns what a group is called; a group of the server's own has words for its role. */
export const groupLabel = (name: string): string => ROLE_WORDS[name] ?? name;

export interface GroupOption {
  readonly id: number;
  readonly label: string;
}

type Rules = NonNullable<
  Contents['facts']['server_supported_permission_settings']
>['stream'][string];

/** Returns the groups that a setting may have, those of roles first. */
export const optionsFor = (
  state: Contents,
  permission: ChannelPermission,
): readonly GroupOption[] =>
  optionsUnder(state, state.facts.server_supported_permission_settings?.stream[permission]);

/** Returns the groups that the rules of a setting allow, those of roles first. */
export function optionsUnder(state: Contents, rules: Rules | undefined): readonly GroupOption[] {
  const isAllowed = (name: string) => {
    if (rules === undefined) return true;
    if (name === 'role:internet') return rules.allow_internet_group;
    if (name === 'role:everyone' && !rules.allow_everyone_group) return false;
    if (name === 'role:nobody' && !rules.allow_nobody_group) return false;
    const { allowed_system_groups: only } = rules;
    return only.length === 0 || only.includes(name);
  };
  const roles = [...state.groups.values()]
    .filter(({ name }) => ROLE_WORDS[name] !== undefined && isAllowed(name))
    .map(({ id, name }) => ({ id, label: groupLabel(name) }));
  return rules?.require_system_group === true ? roles : [...roles, ...groupOptions(state)];
}

/** Returns the groups that people have made, by name. */
export const groupOptions = (state: Contents): readonly GroupOption[] =>
  [...state.groups.values()]
    .filter(({ is_system_group: isSystem, deactivated }) => !isSystem && !deactivated)
    .sort((one, other) => one.name.localeCompare(other.name))
    .map(({ id, name }) => ({ id, label: name }));

/** Returns who has a permission, in words. */
export function holdersText(
  state: Contents,
  holders: Holders | undefined,
  nameOf: (userId: number) => string,
): string {
  if (holders === undefined) return 'Nobody';
  const group = (id: number) => groupLabel(state.groups.get(id)?.name ?? 'An unknown group');
  if (typeof holders === 'number') return group(holders);
  const names = [...holders.direct_subgroups.map(group), ...holders.direct_members.map(nameOf)];
  return names.length === 0 ? 'Nobody' : names.join(', ');
}

/** More are not named. */
const NAMED_MAX = 3;

/** Returns those who may bring a channel back from the archive, to begin a sentence with. */
export function bringersBack(
  state: Contents,
  channelId: number,
  nameOf: (userId: number) => string,
): string {
  const { userIds, groupIds } = partsOf(
    state.channels.get(channelId)?.can_administer_channel_group,
  );
  const groups = groupIds
    .map((id) => state.groups.get(id)?.name ?? 'role:nobody')
    .filter((name) => !ADMINISTER_ALL.has(name))
    .map(groupLabel);
  const names = [...userIds.map(nameOf), ...groups];
  if (names.length === 0) return 'Administrators';
  const some = names.length > NAMED_MAX ? [...names.slice(0, NAMED_MAX - 1), 'others'] : names;
  return `${some.join(', ')} and administrators`;
}

/** Groups of people who administer all channels, or of nobody. */
const ADMINISTER_ALL: ReadonlySet<string> = new Set([
  'role:administrators',
  'role:owners',
  'role:nobody',
]);

/** Returns the people and groups of a setting apart, so that they can be changed. */
export const partsOf = (holders: Holders | undefined) => ({
  userIds: typeof holders === 'object' ? holders.direct_members : [],
  groupIds:
    typeof holders === 'object' ? holders.direct_subgroups : holders === undefined ? [] : [holders],
});

const has = (state: Contents, channelId: number, names: readonly ChannelPermission[]) => {
  const channel = state.channels.get(channelId);
  return names.some((name) => isAmong(state, state.ownId, channel?.[name]));
};

/** Others are added by those who may in all channels, or in this one. */
export const mayAddOthers = (state: Contents, channelId: number): boolean =>
  isAdministrator(state) ||
  isAmong(state, state.ownId, state.facts.realm_can_add_subscribers_group) ||
  has(state, channelId, ['can_add_subscribers_group', 'can_administer_channel_group']);

export const mayRemoveOthers = (state: Contents, channelId: number): boolean =>
  isAdministrator(state) ||
  has(state, channelId, ['can_administer_channel_group', 'can_remove_subscribers_group']);

/** Tests whether the account may join by itself; a private channel lets in those whom it names. */
export function mayJoin(state: Contents, channelId: number): boolean {
  const channel = state.channels.get(channelId);
  if (channel === undefined) return false;
  if (channel.is_web_public) return true;
  if (state.facts.is_guest === true) return false;
  if (!channel.invite_only) return true;
  return has(state, channelId, ['can_subscribe_group', 'can_add_subscribers_group']);
}

/** Tests whether the account may read a channel, and so the list of its people. */
export const mayRead = (state: Contents, channelId: number): boolean =>
  state.subscriptions.has(channelId) || mayJoin(state, channelId);

/** Retention is for owners alone. */
export const isOwner = ({ facts }: Contents): boolean => facts.is_owner === true;
