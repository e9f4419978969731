import { describe, expect, test } from 'vitest';
import {
  allowedSystemGroups,
  SERVER_SUPPORTED_PERMISSION_SETTINGS,
} from '../../../../src/domain/wire/settings/permission-settings.ts';

const { realm, stream, group } = SERVER_SUPPORTED_PERMISSION_SETTINGS;

/** The defaults of reference/endpoints.md 2.7, and for the last four a choice. */
const REALM_DEFAULTS = {
  can_access_all_users_group: 'role:everyone',
  can_add_custom_emoji_group: 'role:members',
  can_add_subscribers_group: 'role:members',
  can_create_groups: 'role:members',
  can_create_private_channel_group: 'role:members',
  can_create_public_channel_group: 'role:members',
  can_create_web_public_channel_group: 'role:owners',
  can_delete_any_message_group: 'role:administrators',
  can_delete_own_message_group: 'role:everyone',
  can_invite_users_group: 'role:members',
  can_manage_all_groups: 'role:owners',
  can_manage_billing_group: 'role:administrators',
  can_mention_many_users_group: 'role:administrators',
  can_move_messages_between_channels_group: 'role:members',
  can_move_messages_between_topics_group: 'role:everyone',
  can_resolve_topics_group: 'role:everyone',
  can_set_delete_message_policy_group: 'role:moderators',
  create_multiuse_invite_group: 'role:administrators',
  direct_message_initiator_group: 'role:everyone',
  direct_message_permission_group: 'role:everyone',
  can_create_bots_group: 'role:members',
  can_create_write_only_bots_group: 'role:members',
  can_set_topics_policy_group: 'role:members',
  can_summarize_topics_group: 'role:everyone',
};

const CHANNEL_DEFAULTS = {
  can_add_subscribers_group: 'role:nobody',
  can_administer_channel_group: 'channel_creator',
  can_create_topic_group: 'role:everyone',
  can_delete_any_message_group: 'role:nobody',
  can_delete_own_message_group: 'role:nobody',
  can_move_messages_out_of_channel_group: 'role:nobody',
  can_move_messages_within_channel_group: 'role:nobody',
  can_remove_subscribers_group: 'role:administrators',
  can_resolve_topics_group: 'role:nobody',
  can_send_message_group: 'role:everyone',
  can_subscribe_group: 'role:nobody',
};

const GROUP_DEFAULTS = {
  can_add_members_group: 'group_creator',
  can_join_group: 'role:nobody',
  can_leave_group: 'role:everyone',
  can_manage_group: 'group_creator',
  can_mention_group: 'role:everyone',
  can_remove_members_group: 'group_creator',
};

describe.each([
  { of: 'the realm', settings: realm, defaults: REALM_DEFAULTS },
  { of: 'a channel', settings: stream, defaults: CHANNEL_DEFAULTS },
  { of: 'a user group', settings: group, defaults: GROUP_DEFAULTS },
])('the permission settings of $of', ({ settings, defaults }) => {
  test('are all there, with their defaults', () => {
    const actual = Object.entries(settings).map(([name, setting]) => [
      name,
      setting.default_group_name,
    ]);
    expect(Object.fromEntries(actual)).toEqual(defaults);
  });

  test('have a default that they allow', () => {
    for (const [name, setting] of Object.entries(settings)) {
      const fallback: string = setting.default_group_name;
      if (fallback.endsWith('_creator')) continue;
      expect(allowedSystemGroups(setting), name).toContain(fallback);
    }
  });

  test('are described by exactly the keys clients know', () => {
    for (const [name, setting] of Object.entries(settings)) {
      expect(setting, name).toEqual({
        require_system_group: expect.any(Boolean),
        allow_internet_group: false,
        allow_nobody_group: expect.any(Boolean),
        allow_everyone_group: expect.any(Boolean),
        default_group_name: expect.any(String),
        default_for_system_groups: settings === group ? 'role:nobody' : null,
        allowed_system_groups: expect.any(Array),
      });
    }
  });
});

test('can_access_all_users_group is everyone or members, and no other group', () => {
  expect(realm.can_access_all_users_group.require_system_group).toBe(true);
  expect(allowedSystemGroups(realm.can_access_all_users_group)).toEqual([
    'role:everyone',
    'role:members',
  ]);
});

test('can_create_web_public_channel_group is at most the moderators', () => {
  expect(realm.can_create_web_public_channel_group.require_system_group).toBe(true);
  expect(allowedSystemGroups(realm.can_create_web_public_channel_group)).toEqual([
    'role:moderators',
    'role:administrators',
    'role:owners',
    'role:nobody',
  ]);
});

test.each([
  'can_add_subscribers_group',
  'can_administer_channel_group',
  'can_subscribe_group',
] as const)('the channel setting %s refuses role:everyone', (name) => {
  expect(allowedSystemGroups(stream[name])).not.toContain('role:everyone');
});

test('can_manage_group cannot be role:internet or role:everyone', () => {
  expect(allowedSystemGroups(group.can_manage_group)).toEqual([
    'role:members',
    'role:fullmembers',
    'role:moderators',
    'role:administrators',
    'role:owners',
    'role:nobody',
  ]);
});

test('can_mention_group cannot be role:internet or role:owners', () => {
  expect(allowedSystemGroups(group.can_mention_group)).toEqual([
    'role:everyone',
    'role:members',
    'role:fullmembers',
    'role:moderators',
    'role:administrators',
    'role:nobody',
  ]);
});
