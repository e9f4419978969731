import { z } from 'zod';
import * as objects from '../../domain/wire/objects.ts';
import * as personalObjects from '../../domain/wire/personal-objects.ts';
import * as realmObjects from '../../domain/wire/realm-objects.ts';
import {
  USER_SETTING_NAMES,
  USER_SETTINGS,
  type UserSettingKind,
} from '../../domain/wire/settings/user-settings.ts';
import type { Params } from '../endpoint.ts';

const { id, ids, timestamp } = objects;

/** Declares the same schema under each of these names. */
const each = (schema: z.ZodType, ...names: readonly string[]): Params =>
  Object.fromEntries(names.map((name) => [name, schema]));

const number = z.int();
const boolean = z.boolean();
const string = z.string();
const named = z.record(string, z.strictObject({ name: string, id }));

const permissionSetting = z.strictObject({
  require_system_group: boolean,
  allow_internet_group: boolean,
  allow_nobody_group: boolean,
  allow_everyone_group: boolean,
  default_group_name: string,
  default_for_system_groups: string.nullable(),
  allowed_system_groups: z.array(string),
});

/** Limits and facts of the server (reference/events-and-register.md 5.2). */
const SERVER: Params = {
  ...each(
    number,
    'max_message_length',
    'max_topic_length',
    'max_stream_name_length',
    'max_stream_description_length',
    'max_channel_folder_name_length',
    'max_channel_folder_description_length',
    'max_reminder_note_length',
    'max_bulk_new_subscription_messages',
    'max_file_upload_size_mib',
    'max_avatar_file_size_mib',
    'max_icon_file_size_mib',
    'max_logo_file_size_mib',
    'password_min_length',
    'password_max_length',
    'password_min_guesses',
    'event_queue_longpoll_timeout_seconds',
    'server_presence_ping_interval_seconds',
    'server_presence_offline_threshold_seconds',
    'server_typing_started_expiry_period_milliseconds',
    'server_typing_stopped_wait_period_milliseconds',
    'server_typing_started_wait_period_milliseconds',
  ),
  ...each(
    number.nullable(),
    'server_min_deactivated_realm_deletion_days',
    'server_max_deactivated_realm_deletion_days',
  ),
  server_generation: timestamp.describe('UNIX seconds of the start of the server'),
  server_emoji_data_url: string,
  server_thumbnail_formats: z.array(
    z.strictObject({
      name: string,
      max_width: number,
      max_height: number,
      format: string,
      animated: boolean,
    }),
  ),
  ...each(
    boolean,
    'server_inline_image_preview',
    'server_inline_url_embed_preview',
    'server_avatar_changes_disabled',
    'server_name_changes_disabled',
    'server_needs_upgrade',
    'server_web_public_streams_enabled',
    'server_can_summarize_topics',
    'settings_send_digest_emails',
    'development_environment',
    'service_plan_is_not_limited',
  ),
  ...each(string.nullable(), 'server_jitsi_server_url', 'jitsi_server_url'),
  server_supported_permission_settings: z.strictObject({
    realm: z.record(string, permissionSetting),
    stream: z.record(string, permissionSetting),
    group: z.record(string, permissionSetting),
  }),
  giphy_rating_options: named,
  upgrade_text_for_wide_organization_logo: string,
  demo_organization_scheduled_deletion_date: timestamp,
};

const externalAccount = z.strictObject({
  name: string,
  text: string,
  hint: string,
  url_pattern: string,
});

const authenticationMethod = z.strictObject({
  enabled: boolean,
  available: boolean,
  unavailable_reason: string.optional(),
});

/** Settings of the organization, without `realm_` (reference/events-and-register.md 5.3). */
const REALM: Params = {
  ...each(
    string,
    'name',
    'description',
    'url',
    'uri',
    'icon_url',
    'icon_source',
    'logo_url',
    'logo_source',
    'night_logo_url',
    'night_logo_source',
    'bot_domain',
    'default_language',
    'default_code_block_language',
    'empty_topic_display_name',
    'welcome_message_custom_text',
  ),
  date_created: timestamp,
  topics_policy: z.enum(['allow_empty_topic', 'disable_empty_topic']),
  message_edit_history_visibility_policy: z.enum(['all', 'moves', 'none']),
  ...each(
    boolean,
    'mandatory_topics',
    'allow_message_editing',
    'allow_edit_history',
    'enable_read_receipts',
    'presence_disabled',
    'email_auth_enabled',
    'password_auth_enabled',
    'invite_required',
    'emails_restricted_to_domains',
    'disallow_disposable_email_addresses',
    'require_second_step',
    'require_unique_names',
    'name_changes_disabled',
    'email_changes_disabled',
    'avatar_changes_disabled',
    'inline_image_preview',
    'inline_url_embed_preview',
    'digest_emails_enabled',
    'send_channel_events_messages',
    'send_welcome_emails',
    'message_content_allowed_in_email_notifications',
    'enable_spectator_access',
    'want_advertise_in_communities_directory',
    'enable_guest_user_indicator',
    'enable_guest_user_dm_warning',
    'push_notifications_enabled',
    'require_e2ee_push_notifications',
    'is_zephyr_mirror_realm',
  ),
  ...each(
    number.nullable().describe('Seconds; null: no limit'),
    'message_content_edit_limit_seconds',
    'message_content_delete_limit_seconds',
    'move_messages_within_stream_limit_seconds',
    'move_messages_between_streams_limit_seconds',
  ),
  ...each(
    number,
    'org_type',
    'plan_type',
    'message_retention_days',
    'waiting_period_threshold',
    'wildcard_mention_policy',
    'create_public_stream_policy',
    'create_private_stream_policy',
    'create_web_public_stream_policy',
    'digest_weekday',
    'video_chat_provider',
    'giphy_rating',
  ),
  ...each(
    number.describe('-1: none'),
    'moderation_request_channel_id',
    'new_stream_announcements_stream_id',
    'signup_announcements_stream_id',
    'service_update_announcements_stream_id',
  ),
  jitsi_server_url: string.nullable(),
  push_notifications_enabled_end_timestamp: timestamp.nullable(),
  upload_quota_mib: number.nullable().describe('Null: no limit'),
  default_external_accounts: z.record(string, externalAccount),
  authentication_methods: z.record(string, authenticationMethod),
  available_video_chat_providers: named,
  ...objects.realmPermissions,
};

const listedUser = z
  .strictObject({
    ...objects.userFields,
    timezone: string.optional(),
    avatar_url: objects.avatarUrlOrNull.optional(),
  })
  .meta({ id: 'ListedUser' });

/** People (reference/events-and-register.md 5.4). */
const PEOPLE: Params = {
  realm_users: z.array(listedUser),
  realm_non_active_users: z.array(listedUser),
  cross_realm_bots: z.array(listedUser),
  user_id: id,
  ...each(string, 'email', 'full_name', 'delivery_email'),
  avatar_source: objects.avatarSource,
  ...each(objects.avatarUrl, 'avatar_url', 'avatar_url_medium'),
  ...each(
    boolean,
    'is_owner',
    'is_admin',
    'is_moderator',
    'is_guest',
    'can_create_streams',
    'can_create_public_streams',
    'can_create_private_streams',
    'can_create_web_public_streams',
    'can_invite_others_to_realm',
    'has_second_step',
  ),
  realm_user_groups: z.array(objects.userGroup),
  realm_bots: z.array(objects.bot),
  presences: objects.presences,
  presence_last_update_id: number.describe('-1: none'),
  server_timestamp: z.number().describe('UNIX seconds'),
  user_status: z.record(objects.idText, objects.userStatus).describe('By user id'),
  custom_profile_fields: z.array(realmObjects.customProfileField),
  custom_profile_field_types: named,
  realm_billing: z.strictObject({ has_pending_sponsorship_request: boolean }),
};

const peers = {
  subscribers: ids.optional().describe('Active accounts, ascending'),
  partial_subscribers: ids.optional(),
};

const unreadIds = { unread_message_ids: ids.describe('Ascending') };

/** Channels and messages (reference/events-and-register.md 5.5). */
const CHANNELS_AND_MESSAGES: Params = {
  subscriptions: z.array(objects.subscription.extend(peers)),
  unsubscribed: z.array(objects.subscription.extend(peers)),
  never_subscribed: z.array(objects.channel.extend(peers)),
  streams: z.array(objects.channel),
  realm_default_streams: ids,
  realm_default_stream_groups: z.array(realmObjects.defaultChannelGroup),
  channel_folders: z.array(objects.channelFolder),
  max_message_id: id.describe('-1: none'),
  unread_msgs: z.strictObject({
    count: number,
    pms: z.array(z.strictObject({ other_user_id: id, sender_id: id, ...unreadIds })),
    streams: z.array(z.strictObject({ stream_id: id, topic: string, ...unreadIds })),
    huddles: z.array(z.strictObject({ user_ids_string: string, ...unreadIds })),
    mentions: ids,
    old_unreads_missing: boolean,
  }),
  starred_messages: ids,
  recent_private_conversations: z.array(z.strictObject({ user_ids: ids, max_message_id: id })),
  user_topics: z.array(personalObjects.userTopic),
  muted_topics: z.array(personalObjects.mutedTopic),
  muted_users: z.array(personalObjects.mutedUser),
  alert_words: z.array(string),
  stop_words: z.array(string),
};

const settingsOf = (...kinds: readonly UserSettingKind[]) =>
  Object.fromEntries(
    USER_SETTING_NAMES.filter((name) => kinds.includes(USER_SETTINGS[name].kind)).map((name) => [
      name,
      personalObjects.userSettings[name],
    ]),
  );

const choices = {
  emojiset_choices: z.array(z.strictObject({ key: string, text: string })),
  available_notification_sounds: z.array(string),
};

const settings = { ...settingsOf('display', 'notification', 'modern'), ...choices };

/** Personal keys (reference/events-and-register.md 5.6). */
const PERSONAL: Params = {
  user_settings: z.strictObject({ ...settings, timezone: string }),
  realm_user_settings_defaults: z.strictObject(settings),
  // Clients without `user_settings_object` get these.
  ...settingsOf('display', 'notification'),
  ...choices,
  timezone: string,
  drafts: z.array(personalObjects.draft),
  scheduled_messages: z.array(personalObjects.scheduledMessage),
  reminders: z.array(personalObjects.reminder),
  saved_snippets: z.array(personalObjects.savedSnippet),
  navigation_views: z.array(personalObjects.navigationView),
  onboarding_steps: z.array(personalObjects.onboardingStep),
  navigation_tour_video_url: string.nullable(),
  has_zoom_token: boolean,
  giphy_api_key: string,
  push_devices: z.record(
    string,
    z.strictObject({
      status: z.enum(['active', 'pending', 'failed']),
      error_code: string.nullable(),
    }),
  ),
};

const option = z.strictObject({ key: string, label: string, validator: string });

/** The organization (reference/events-and-register.md 5.7). */
const ORGANIZATION: Params = {
  realm_emoji: z.record(objects.idText, realmObjects.customEmoji),
  realm_linkifiers: z.array(realmObjects.linkifier),
  realm_filters: z.tuple([]).describe('Legacy, always empty'),
  realm_playgrounds: z.array(realmObjects.playground),
  realm_domains: z.array(realmObjects.realmDomain),
  realm_embedded_bots: z.array(z.strictObject({ name: string, config: z.record(string, string) })),
  realm_incoming_webhook_bots: z.array(
    z.strictObject({
      name: string,
      display_name: string,
      all_event_types: z.array(string).nullable(),
      config_options: z.array(option),
      url_options: z.array(option),
    }),
  ),
};

const serviceFields: Params = {
  service_version: string,
  service_merge_base: string,
  service_feature_level: number,
};

/** The fields of the answer to `POST /register`; `fetch_event_types` decides which are present. */
export const snapshotFields: Params = {
  queue_id: string.nullable().describe('Null: not logged in'),
  last_event_id: id.optional().describe('Where the events of the queue begin'),
  ...serviceFields,
  ...optional({
    ...SERVER,
    ...prefixed('realm_', REALM),
    ...PEOPLE,
    ...CHANNELS_AND_MESSAGES,
    ...PERSONAL,
    ...ORGANIZATION,
  }),
};

function optional(fields: Params): Params {
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, schema.optional()]),
  );
}

function prefixed(prefix: string, fields: Params): Params {
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [`${prefix}${name}`, schema]),
  );
}
