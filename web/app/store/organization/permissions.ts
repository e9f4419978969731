/** The settings of an organization that say who may do what, and for how long. */
import type { ParamsOf } from '@confab/client';
import type { Contents } from '@confab/client/store';
import type { Holders } from '../account/rights.ts';
import { app } from '../app.ts';
import { type GroupOption, groupLabel, optionsUnder } from '../channels/permissions.ts';

export interface PermissionWords {
  readonly name: PermissionName;
  readonly label: string;
  /** True where the server lets only owners change it. */
  readonly isOfOwners?: true;
}

export type PermissionName = Extract<
  keyof NonNullable<ParamsOf<'PATCH', '/realm'>>,
  `${string}_group` | 'can_create_groups' | 'can_manage_all_groups'
>;

export const PERMISSIONS: readonly {
  readonly title: string;
  readonly settings: readonly PermissionWords[];
}[] = [
  {
    title: 'People',
    settings: [
      { name: 'can_invite_users_group', label: 'Invite people by mail', isOfOwners: true },
      { name: 'create_multiuse_invite_group', label: 'Invite people by a link', isOfOwners: true },
      { name: 'can_access_all_users_group', label: 'See everybody in the organization' },
      { name: 'direct_message_initiator_group', label: 'Begin direct conversations' },
      { name: 'direct_message_permission_group', label: 'Take part in direct conversations' },
      { name: 'can_create_groups', label: 'Make user groups', isOfOwners: true },
      { name: 'can_manage_all_groups', label: 'Change all user groups', isOfOwners: true },
    ],
  },
  {
    title: 'Channels',
    settings: [
      { name: 'can_create_public_channel_group', label: 'Make channels that are open' },
      { name: 'can_create_private_channel_group', label: 'Make private channels' },
      { name: 'can_create_web_public_channel_group', label: 'Make channels for the whole web' },
      { name: 'can_add_subscribers_group', label: 'Add others to channels' },
      { name: 'can_set_topics_policy_group', label: 'Say whether channels need topics' },
      { name: 'can_set_delete_message_policy_group', label: 'Say who deletes in channels' },
    ],
  },
  {
    title: 'Messages',
    settings: [
      { name: 'can_move_messages_between_topics_group', label: 'Move messages to other topics' },
      {
        name: 'can_move_messages_between_channels_group',
        label: 'Move messages to other channels',
      },
      { name: 'can_resolve_topics_group', label: 'Resolve topics' },
      { name: 'can_delete_own_message_group', label: 'Delete their own messages' },
      { name: 'can_delete_any_message_group', label: 'Delete all messages' },
      { name: 'can_mention_many_users_group', label: 'Mention everybody in large channels' },
    ],
  },
  {
    title: 'Emoji and bots',
    settings: [
      { name: 'can_add_custom_emoji_group', label: 'Add emoji' },
      { name: 'can_create_bots_group', label: 'Make bots of all kinds' },
      { name: 'can_create_write_only_bots_group', label: 'Make bots that only send' },
    ],
  },
];

export interface Permission {
  readonly holders: Holders | undefined;
  /** The groups that may have it. */
  readonly options: readonly GroupOption[];
  /** False if the server gives it to one of the groups, and to nobody else. */
  readonly mayBeSome: boolean;
}

/** Returns who has a right, and who might. */
export function permissionIn(state: Contents, name: PermissionName): Permission {
  const facts = state.facts as Readonly<Record<string, unknown>>;
  const holders = facts[`realm_${name}`] as Holders | undefined; // as the snapshot has it
  const rules = state.facts.server_supported_permission_settings?.realm[name];
  const options = optionsUnder(state, rules);
  const own = typeof holders === 'number' ? state.groups.get(holders) : undefined;
  const isOffered = own === undefined || options.some(({ id }) => id === own.id);
  return {
    holders,
    // The group that has the right is shown in any case.
    options: isOffered ? options : [{ id: own.id, label: groupLabel(own.name) }, ...options],
    mayBeSome: rules?.require_system_group !== true,
  };
}

/** Gives a right to a group, or to some people and groups; another change since is a refusal. */
export const setPermission = (name: PermissionName, before: Holders | undefined, after: Holders) =>
  app.chat.call('PATCH', '/realm', {
    [name]: { new: after, ...(before === undefined ? {} : { old: before }) },
  });

export interface LimitWords {
  readonly name:
    | 'message_content_edit_limit_seconds'
    | 'message_content_delete_limit_seconds'
    | 'move_messages_within_stream_limit_seconds'
    | 'move_messages_between_streams_limit_seconds';
  readonly label: string;
}

export const LIMITS: readonly LimitWords[] = [
  { name: 'message_content_edit_limit_seconds', label: 'Change the text of their messages' },
  { name: 'message_content_delete_limit_seconds', label: 'Delete their messages' },
  { name: 'move_messages_within_stream_limit_seconds', label: 'Move messages to other topics' },
  {
    name: 'move_messages_between_streams_limit_seconds',
    label: 'Move messages to other channels',
  },
];

/** Spans of time, in seconds. */
const SPANS: readonly (readonly [seconds: number, words: string])[] = [
  [60, 'One minute'],
  [600, 'Ten minutes'],
  [3_600, 'One hour'],
  [86_400, 'One day'],
  [604_800, 'One week'],
];

const FOR_EVER = ['unlimited', 'For ever'] as const;

/** Returns the options of a limit, with the one that holds. */
export function spansWith(
  seconds: number | null | undefined,
): readonly (readonly [value: string, words: string])[] {
  const spans = SPANS.map(([one, words]) => [String(one), words] as const);
  const isKnown =
    seconds === null || seconds === undefined || SPANS.some(([one]) => one === seconds);
  return [
    ...spans,
    ...(isKnown ? [] : [[String(seconds), `${seconds} seconds`] as const]),
    FOR_EVER,
  ];
}

export const setLimit = (name: LimitWords['name'], value: string) =>
  app.chat.call('PATCH', '/realm', {
    [name]: value === 'unlimited' ? 'unlimited' : Number(value),
  });

export const RETENTION: readonly (readonly [value: string, words: string])[] = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'One year'],
  ['1825', 'Five years'],
];

/** Returns the options of how long messages are kept; -1 is for ever. */
export const retentionWith = (days: number | undefined): typeof RETENTION => [
  ...RETENTION,
  ...(days === undefined || days < 0 || RETENTION.some(([one]) => one === String(days))
    ? []
    : [[String(days), `${days} days`] as const]),
  FOR_EVER,
];

export const setRetention = (value: string) =>
  app.chat.call('PATCH', '/realm', {
    message_retention_days: value === 'unlimited' ? 'unlimited' : Number(value),
  });

export const HISTORY: readonly (readonly [value: string, words: string])[] = [
  ['all', 'All changes'],
  ['moves', 'Only moves'],
  ['none', 'Nothing'],
];

export const setHistory = (value: string) =>
  app.chat.call('PATCH', '/realm', {
    message_edit_history_visibility_policy: value as 'all' | 'moves' | 'none', // one of `HISTORY`
  });
