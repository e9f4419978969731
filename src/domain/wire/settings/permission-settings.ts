import { SYSTEM_GROUPS, type SystemGroupName } from '../system-groups.ts';

/**
 * The values that a permission setting may have, as clients are told
 * (reference/events-and-register.md 5.2).
 */
export interface PermissionSetting<Default extends DefaultGroupName = DefaultGroupName> {
  readonly require_system_group: boolean;
  readonly allow_internet_group: boolean;
  readonly allow_nobody_group: boolean;
  /** False also excludes guests who are members through another group. */
  readonly allow_everyone_group: boolean;
  readonly default_group_name: Default;
  /** The default for system groups; null if the setting is not one of user groups. */
  readonly default_for_system_groups: SystemGroupName | null;
  /** If not empty, the only system groups that the setting may have. */
  readonly allowed_system_groups: readonly SystemGroupName[];
}

/** Stands for the anonymous group of the user who creates the channel or group. */
export type CreatorGroupName = 'channel_creator' | 'group_creator';

export type DefaultGroupName = SystemGroupName | CreatorGroupName;

const OPEN: PermissionSetting<'role:everyone'> = {
  require_system_group: false,
  allow_internet_group: false,
  allow_nobody_group: true,
  allow_everyone_group: true,
  default_group_name: 'role:everyone',
  default_for_system_groups: null,
  allowed_system_groups: [],
};

/** Declares a setting that may include guests. */
const anyone = <D extends DefaultGroupName>(defaultName: D): PermissionSetting<D> => ({
  ...OPEN,
  default_group_name: defaultName,
});

/** Declares a setting that guests never have. */
const nonGuests = <D extends DefaultGroupName>(defaultName: D): PermissionSetting<D> => ({
  ...anyone(defaultName),
  allow_everyone_group: false,
});

/** Declares a setting that some user has to have, or it could never be given back. */
const someNonGuests = <D extends DefaultGroupName>(defaultName: D): PermissionSetting<D> => ({
  ...nonGuests(defaultName),
  allow_nobody_group: false,
});

const ofUserGroups = (setting: PermissionSetting): PermissionSetting => ({
  ...setting,
  default_for_system_groups: 'role:nobody',
});

/** Realm settings (reference/endpoints.md 2.7). */
const REALM = {
  can_access_all_users_group: {
    ...anyone('role:everyone'),
    require_system_group: true,
    allow_nobody_group: false,
    allowed_system_groups: ['role:everyone', 'role:members'],
  },
  can_add_custom_emoji_group: nonGuests('role:members'),
  can_add_subscribers_group: nonGuests('role:members'),
  can_create_bots_group: nonGuests('role:members'),
  can_create_groups: nonGuests('role:members'),
  can_create_private_channel_group: nonGuests('role:members'),
  can_create_public_channel_group: nonGuests('role:members'),
  can_create_web_public_channel_group: {
    ...nonGuests('role:owners'),
    require_system_group: true,
    allowed_system_groups: ['role:moderators', 'role:administrators', 'role:owners', 'role:nobody'],
  },
  can_create_write_only_bots_group: nonGuests('role:members'),
  can_delete_any_message_group: nonGuests('role:administrators'),
  can_delete_own_message_group: anyone('role:everyone'),
  can_invite_users_group: nonGuests('role:members'),
  can_manage_all_groups: someNonGuests('role:owners'),
  can_manage_billing_group: someNonGuests('role:administrators'),
  can_mention_many_users_group: anyone('role:administrators'),
  can_move_messages_between_channels_group: nonGuests('role:members'),
  can_move_messages_between_topics_group: anyone('role:everyone'),
  can_resolve_topics_group: anyone('role:everyone'),
  can_set_delete_message_policy_group: nonGuests('role:moderators'),
  can_set_topics_policy_group: anyone('role:members'),
  can_summarize_topics_group: anyone('role:everyone'),
  create_multiuse_invite_group: nonGuests('role:administrators'),
  direct_message_initiator_group: anyone('role:everyone'),
  direct_message_permission_group: anyone('role:everyone'),
} as const satisfies Record<string, PermissionSetting<SystemGroupName>>;

/** Channel settings (reference/endpoints.md 1.5). */
const CHANNEL = {
  can_add_subscribers_group: nonGuests('role:nobody'),
  can_administer_channel_group: nonGuests('channel_creator'),
  can_create_topic_group: anyone('role:everyone'),
  can_delete_any_message_group: anyone('role:nobody'),
  can_delete_own_message_group: anyone('role:nobody'),
  can_move_messages_out_of_channel_group: anyone('role:nobody'),
  can_move_messages_within_channel_group: anyone('role:nobody'),
  can_remove_subscribers_group: anyone('role:administrators'),
  can_resolve_topics_group: anyone('role:nobody'),
  can_send_message_group: anyone('role:everyone'),
  can_subscribe_group: nonGuests('role:nobody'),
} as const satisfies Record<string, PermissionSetting>;

/** User group settings (reference/endpoints.md 1.11). */
const GROUP = {
  can_add_members_group: ofUserGroups(nonGuests('group_creator')),
  can_join_group: ofUserGroups(nonGuests('role:nobody')),
  can_leave_group: ofUserGroups(anyone('role:everyone')),
  can_manage_group: ofUserGroups(nonGuests('group_creator')),
  can_mention_group: {
    ...ofUserGroups(anyone('role:everyone')),
    // "`can_mention_group` cannot be `role:internet` or `role:owners`" (POST /user_groups/create).
    allowed_system_groups: [
      'role:everyone',
      'role:members',
      'role:fullmembers',
      'role:moderators',
      'role:administrators',
      'role:nobody',
    ],
  },
  can_remove_members_group: ofUserGroups(nonGuests('group_creator')),
} as const satisfies Record<string, PermissionSetting>;

export type RealmPermissionName = keyof typeof REALM;
export type ChannelPermissionName = keyof typeof CHANNEL;
export type GroupPermissionName = keyof typeof GROUP;

/**
 * Every permission setting, under the keys that clients know: `stream` is the wire's word for
 * channel.
 */
export const SERVER_SUPPORTED_PERMISSION_SETTINGS: {
  readonly realm: Readonly<Record<RealmPermissionName, PermissionSetting<SystemGroupName>>>;
  readonly stream: Readonly<Record<ChannelPermissionName, PermissionSetting>>;
  readonly group: Readonly<Record<GroupPermissionName, PermissionSetting>>;
} = { realm: REALM, stream: CHANNEL, group: GROUP };

/** Returns the system groups that a setting may have. */
export function allowedSystemGroups(setting: PermissionSetting): SystemGroupName[] {
  return SYSTEM_GROUPS.map(({ name }) => name).filter((name) => {
    if (name === 'role:internet' && !setting.allow_internet_group) return false;
    if (name === 'role:nobody' && !setting.allow_nobody_group) return false;
    if (name === 'role:everyone' && !setting.allow_everyone_group) return false;
    const only = setting.allowed_system_groups;
    return only.length === 0 || only.includes(name);
  });
}
