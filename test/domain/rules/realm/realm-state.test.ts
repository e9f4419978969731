import { describe, expect, test } from 'vitest';
import {
  customProfileFieldTypes,
  displaySettingsState,
  notificationSettingsState,
  realmState,
  realmUserSettingsDefaultsState,
  userSettingsState,
} from '../../../../src/domain/rules/realm/realm-state.ts';
import { SERVER_SUPPORTED_PERMISSION_SETTINGS } from '../../../../src/domain/wire/settings/permission-settings.ts';
import {
  type RealmSettings,
  realmSettingsDefaults,
} from '../../../../src/domain/wire/settings/realm-settings.ts';
import {
  USER_SETTING_NAMES,
  userSettingsDefaults,
} from '../../../../src/domain/wire/settings/user-settings.ts';
import { type SystemGroupName, systemGroupId } from '../../../../src/domain/wire/system-groups.ts';

const URL_OF_REALM = 'https://chat.example.com:8443';

function stateWith(changes: Partial<RealmSettings> = {}, server: object = {}) {
  return realmState({
    realm: {
      id: 2,
      name: 'Example',
      stringId: 'example',
      description: 'A *test*',
      url: URL_OF_REALM,
      dateCreated: 1_700_000_000,
      settings: { ...realmSettingsDefaults(), ...changes },
    },
    server: {
      generation: 1_700_000_100,
      pushNotificationsEnabled: false,
      webPublicEnabled: false,
      showsPreviews: true,
      maxFileUploadMib: 100,
      ...server,
    },
  });
}

const words = (text: string) => text.trim().split(/\s+/);

/**
 * Reference section 5.2; `demo_organization_scheduled_deletion_date` is for demo organizations
 * alone.
 */
const SERVER_KEYS = {
  integer: words(`
    max_message_length max_topic_length max_stream_name_length max_stream_description_length
    max_channel_folder_name_length max_channel_folder_description_length max_reminder_note_length
    max_bulk_new_subscription_messages max_file_upload_size_mib max_avatar_file_size_mib
    max_icon_file_size_mib max_logo_file_size_mib password_min_length password_max_length
    password_min_guesses server_min_deactivated_realm_deletion_days
    event_queue_longpoll_timeout_seconds server_presence_ping_interval_seconds
    server_presence_offline_threshold_seconds server_typing_started_expiry_period_milliseconds
    server_typing_stopped_wait_period_milliseconds server_typing_started_wait_period_milliseconds
    server_generation`),
  null: words(`
    server_max_deactivated_realm_deletion_days server_jitsi_server_url jitsi_server_url`),
  boolean: words(`
    server_inline_image_preview server_inline_url_embed_preview server_avatar_changes_disabled
    server_name_changes_disabled server_needs_upgrade server_web_public_streams_enabled
    server_can_summarize_topics settings_send_digest_emails development_environment
    service_plan_is_not_limited`),
  string: words('server_emoji_data_url upgrade_text_for_wide_organization_logo'),
  array: words('server_thumbnail_formats'),
  object: words('server_supported_permission_settings giphy_rating_options'),
};

/**
 * Reference section 5.3, without `realm_`; a permission is the integer id of a system group by
 * default.
 */
const ORGANIZATION_KEYS = {
  integer: words(`
    date_created org_type plan_type message_content_edit_limit_seconds
    message_content_delete_limit_seconds move_messages_within_stream_limit_seconds
    move_messages_between_streams_limit_seconds message_retention_days waiting_period_threshold
    wildcard_mention_policy create_public_stream_policy create_private_stream_policy
    create_web_public_stream_policy digest_weekday video_chat_provider giphy_rating
    moderation_request_channel_id new_stream_announcements_stream_id
    signup_announcements_stream_id service_update_announcements_stream_id
    can_delete_any_message_group can_delete_own_message_group create_multiuse_invite_group
    can_access_all_users_group can_add_custom_emoji_group can_add_subscribers_group
    can_create_bots_group can_create_groups can_create_public_channel_group
    can_create_private_channel_group can_create_web_public_channel_group
    can_create_write_only_bots_group can_invite_users_group can_manage_all_groups
    can_manage_billing_group can_mention_many_users_group can_move_messages_between_channels_group
    can_move_messages_between_topics_group can_resolve_topics_group
    can_set_delete_message_policy_group can_set_topics_policy_group can_summarize_topics_group
    direct_message_initiator_group direct_message_permission_group`),
  null: words('jitsi_server_url push_notifications_enabled_end_timestamp upload_quota_mib'),
  boolean: words(`
    mandatory_topics allow_message_editing allow_edit_history enable_read_receipts
    presence_disabled email_auth_enabled password_auth_enabled invite_required
    emails_restricted_to_domains disallow_disposable_email_addresses require_unique_names
    require_second_step
    name_changes_disabled email_changes_disabled avatar_changes_disabled inline_image_preview
    inline_url_embed_preview digest_emails_enabled send_welcome_emails
    send_channel_events_messages
    message_content_allowed_in_email_notifications enable_spectator_access
    want_advertise_in_communities_directory enable_guest_user_indicator
    enable_guest_user_dm_warning push_notifications_enabled require_e2ee_push_notifications
    is_zephyr_mirror_realm`),
  string: words(`
    name description url uri icon_url icon_source logo_url logo_source night_logo_url
    night_logo_source bot_domain default_language default_code_block_language
    empty_topic_display_name topics_policy message_edit_history_visibility_policy
    welcome_message_custom_text`),
  array: [],
  object: words('default_external_accounts authentication_methods available_video_chat_providers'),
};

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

describe('the realm keys of a snapshot', () => {
  test('are those of the reference, sections 5.2 and 5.3, each of its type', () => {
    const expected = [
      ...Object.entries(SERVER_KEYS).flatMap(([kind, keys]) => keys.map((key) => [key, kind])),
      ...Object.entries(ORGANIZATION_KEYS).flatMap(([kind, keys]) =>
        keys.map((key) => [`realm_${key}`, kind]),
      ),
    ];
    const actual = Object.entries(stateWith()).map(([key, value]) => [key, kindOf(value)]);

    expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(expected));
  });

  test('have the values that terminal and mobile clients start from', () => {
    expect(stateWith()).toMatchObject({
      max_message_length: 10_000,
      max_topic_length: 60,
      max_stream_name_length: 60,
      max_file_upload_size_mib: 100,
      event_queue_longpoll_timeout_seconds: 90,
      server_presence_ping_interval_seconds: 60,
      server_presence_offline_threshold_seconds: 200,
      server_typing_started_expiry_period_milliseconds: 45_000,
      server_typing_stopped_wait_period_milliseconds: 12_000,
      server_typing_started_wait_period_milliseconds: 30_000,
      realm_name: 'Example',
      realm_url: URL_OF_REALM,
      realm_uri: URL_OF_REALM,
      realm_empty_topic_display_name: 'general chat',
      realm_mandatory_topics: false,
      realm_allow_edit_history: true,
      realm_wildcard_mention_policy: 5,
    });
  });

  test.each([
    'realm_url',
    'realm_icon_url',
    'realm_logo_url',
    'realm_night_logo_url',
    'server_emoji_data_url',
  ])('%s can be parsed and is on the realm', (key) => {
    expect(new URL(String(stateWith()[key])).origin).toBe(URL_OF_REALM);
  });

  test('give the mail domain of bots without the port', () => {
    expect(stateWith()).toMatchObject({ realm_bot_domain: 'chat.example.com' });
  });

  test('take the facts of the server', () => {
    const server = {
      generation: 5,
      pushNotificationsEnabled: true,
      webPublicEnabled: true,
      showsPreviews: false,
      maxFileUploadMib: 7,
    };
    expect(stateWith({}, server)).toMatchObject({
      server_generation: 5,
      realm_push_notifications_enabled: true,
      server_web_public_streams_enabled: true,
      server_inline_image_preview: false,
      server_inline_url_embed_preview: false,
      max_file_upload_size_mib: 7,
    });
  });

  test('hold the table of permission settings', () => {
    expect(stateWith()).toMatchObject({
      server_supported_permission_settings: SERVER_SUPPORTED_PERMISSION_SETTINGS,
    });
  });

  test('show a stored setting under its name', () => {
    const limit = { message_content_edit_limit_seconds: null, waiting_period_threshold: 3 };
    expect(stateWith(limit)).toMatchObject({
      realm_message_content_edit_limit_seconds: null,
      realm_waiting_period_threshold: 3,
    });
  });

  test('show an anonymous group as it is stored', () => {
    const group = { direct_members: [4], direct_subgroups: [6] };
    expect(stateWith({ can_create_groups: group })).toMatchObject({
      realm_can_create_groups: group,
    });
  });
});

describe('a derived key follows its setting', () => {
  test.each<{ changes: Partial<RealmSettings>; state: object }>([
    {
      changes: { topics_policy: 'disable_empty_topic' },
      state: { realm_topics_policy: 'disable_empty_topic', realm_mandatory_topics: true },
    },
    {
      changes: { message_edit_history_visibility_policy: 'moves' },
      state: { realm_allow_edit_history: true },
    },
    {
      changes: { message_edit_history_visibility_policy: 'none' },
      state: { realm_allow_edit_history: false },
    },
    {
      changes: { authentication_methods: { Email: false } },
      state: {
        realm_authentication_methods: { Email: { enabled: false, available: true } },
        realm_email_auth_enabled: false,
        realm_password_auth_enabled: false,
      },
    },
    {
      changes: { jitsi_server_url: 'https://video.example.com' },
      state: {
        realm_jitsi_server_url: 'https://video.example.com',
        jitsi_server_url: 'https://video.example.com',
        server_jitsi_server_url: null,
      },
    },
    {
      changes: { digest_emails_enabled: true },
      state: { settings_send_digest_emails: true, realm_digest_emails_enabled: true },
    },
    { changes: { plan_type: 2 }, state: { service_plan_is_not_limited: false } },
    {
      changes: { uploaded_icon_url: 'https://files.example.com/icon.png' },
      state: {
        realm_icon_url: 'https://files.example.com/icon.png',
        realm_icon_source: 'U',
        realm_logo_source: 'D',
      },
    },
  ])('$changes', ({ changes, state }) => {
    expect(stateWith(changes)).toMatchObject(state);
  });

  test.each<[SystemGroupName, wildcard: number, create: number, createWebPublic: number]>([
    ['role:everyone', 1, 1, 4],
    ['role:members', 2, 1, 4],
    ['role:fullmembers', 3, 3, 4],
    ['role:moderators', 7, 4, 4],
    ['role:administrators', 5, 2, 2],
    ['role:owners', 5, 2, 7],
    ['role:nobody', 6, 2, 6],
  ])('the legacy policies of %s', (name, wildcard, create, createWebPublic) => {
    expect(legacyPoliciesOf(systemGroupId(name))).toEqual([
      wildcard,
      create,
      create,
      createWebPublic,
    ]);
  });

  test.each([
    ['a custom group', 41],
    ['an anonymous group', { direct_members: [4], direct_subgroups: [] }],
  ])('the legacy policies of %s are those of the moderators', (_, group) => {
    expect(legacyPoliciesOf(group)).toEqual(legacyPoliciesOf(systemGroupId('role:moderators')));
  });
});

function legacyPoliciesOf(group: RealmSettings['can_create_groups']) {
  const state = stateWith({
    can_mention_many_users_group: group,
    can_create_public_channel_group: group,
    can_create_private_channel_group: group,
    can_create_web_public_channel_group: group,
  });
  return [
    'realm_wildcard_mention_policy',
    'realm_create_public_stream_policy',
    'realm_create_private_stream_policy',
    'realm_create_web_public_stream_policy',
  ].map((key) => state[key]);
}

describe('the personal settings of a snapshot', () => {
  const sounds = ['bell', 'chime', 'ding', 'drop', 'knock'];
  const emojisets = [
    { key: 'google', text: 'Google' },
    { key: 'twitter', text: 'Twitter' },
    { key: 'text', text: 'Plain text' },
  ];

  test('are the defaults, the choices and the time zone', () => {
    expect(userSettingsState({}, 'Europe/Berlin')).toEqual({
      ...userSettingsDefaults(),
      emojiset_choices: emojisets,
      available_notification_sounds: sounds,
      timezone: 'Europe/Berlin',
    });
  });

  test('take what is stored over the default', () => {
    const stored = { twenty_four_hour_time: true, presence_enabled: false, color_scheme: 2 };
    expect(userSettingsState(stored, '')).toMatchObject(stored);
  });

  test('leave out a stored setting that there no longer is', () => {
    const stored = { ...{ dense_mode: true }, enter_sends: true };
    expect(Object.keys(userSettingsState(stored, ''))).not.toContain('dense_mode');
  });

  test('of new accounts are the same without a time zone', () => {
    const { timezone, ...others } = userSettingsState({ enter_sends: true }, '');
    expect(timezone).toBe('');
    expect(realmUserSettingsDefaultsState({ enter_sends: true })).toEqual(others);
  });

  test('are repeated at the top level for older clients, but for the modern ones', () => {
    const display = displaySettingsState({ enter_sends: true }, 'Asia/Tokyo');
    const notification = notificationSettingsState({ enable_sounds: false });

    expect(display).toMatchObject({
      enter_sends: true,
      emojiset: 'google',
      emojiset_choices: emojisets,
      timezone: 'Asia/Tokyo',
    });
    expect(Object.keys(display)).toHaveLength(13 + 2);
    expect(notification).toMatchObject({
      enable_sounds: false,
      notification_sound: 'chime',
      available_notification_sounds: sounds,
    });
    expect(Object.keys(notification)).toHaveLength(20 + 1);
    expect(USER_SETTING_NAMES).toHaveLength(13 + 20 + 29);
  });
});

test('the types of custom profile fields are numbered as their wire type', () => {
  const ids = Object.entries(customProfileFieldTypes).map(([name, { id }]) => [name, id]);
  expect(Object.fromEntries(ids)).toEqual({
    SHORT_TEXT: 1,
    LONG_TEXT: 2,
    SELECT: 3,
    DATE: 4,
    URL: 5,
    USER: 6,
    EXTERNAL_ACCOUNT: 7,
    PRONOUNS: 8,
  });
});
