/**
 * Every event, as the log holds it: its richest form, without `id` (reference/events-and-register.md sections 3 and 4).
 * What a client gets of it is in `src/events/events.ts`, which differs for few.
 */
import { z } from 'zod';
import * as objects from './objects.ts';
import { USER_SETTING_NAMES, USER_SETTINGS } from './user-settings.ts';

const { id, ids, timestamp } = objects;

const scalar = z.union([z.boolean(), z.int(), z.string()]);

/** An event whose type says it all. */
const event = <const Type extends string, Fields extends z.core.$ZodLooseShape>(
  type: Type,
  fields: Fields,
) => z.strictObject({ type: z.literal(type), ...fields });

/** An event of a type that has operations. */
const eventOf = <
  const Type extends string,
  const Op extends string,
  Fields extends z.core.$ZodLooseShape,
>(
  type: Type,
  op: Op,
  fields: Fields,
) => z.strictObject({ type: z.literal(type), op: z.literal(op), ...fields });

type Fields = Readonly<Record<string, unknown>>;
const has = (event: Fields, name: string) => event[name] !== undefined;

const together =
  (...names: readonly string[]) =>
  (event: Fields) =>
    new Set(names.map((name) => has(event, name))).size === 1;

const exactlyOne =
  (...names: readonly string[]) =>
  (event: Fields) =>
    names.filter((name) => has(event, name)).length === 1;

/** A channel message names its place, a direct one does not. */
const placed = (event: Fields) =>
  ['stream_id', 'topic'].every((name) => has(event, name) === (event['message_type'] === 'stream'));

const MESSAGES = {
  message: event('message', { message: objects.richMessage }),
  update_message: event('update_message', {
    user_id: id.nullable().describe('Null: the server, which rendered the message anew'),
    edit_timestamp: timestamp,
    message_id: id,
    message_ids: ids.describe('Ascending; `message_id` among them'),
    flags: z.array(objects.flag).describe('Of `message_id`'),
    rendering_only: z.boolean(),
    stream_id: id.optional().describe('Of channel messages: where they were'),
    stream_name: z.string().optional(),
    orig_content: z.string().optional(),
    orig_rendered_content: z.string().optional(),
    content: z.string().optional(),
    rendered_content: z.string().optional(),
    is_me_message: z.boolean().optional(),
    subject: z.string().optional().describe('The new topic'),
    topic_links: z.array(objects.topicLink).optional(),
    orig_subject: z.string().optional(),
    propagate_mode: z.enum(['change_one', 'change_later', 'change_all']).optional(),
    new_stream_id: id.optional(),
  })
    .refine(together('content', 'rendered_content'), 'has one content of two')
    .refine(together('subject', 'topic_links'), 'has a topic without its links, or the reverse')
    .refine(together('orig_subject', 'propagate_mode'), 'moves messages by half'),
  delete_message: event('delete_message', {
    message_type: z.enum(['private', 'stream']),
    message_ids: ids.optional().describe('Ascending; with `bulk_message_deletion`'),
    message_id: id.optional().describe('Without'),
    stream_id: id.optional(),
    topic: z.string().optional(),
  })
    .refine(exactlyOne('message_id', 'message_ids'), 'names messages in no form or in both')
    .refine(placed, 'has the place of another type of message'),
  'update_message_flags add': eventOf('update_message_flags', 'add', {
    operation: z.literal('add').describe('Legacy: as `op`'),
    flag: objects.editableFlag,
    messages: ids,
    all: z.boolean().describe('Everything is read; then `messages` is empty'),
  }),
  'update_message_flags remove': eventOf('update_message_flags', 'remove', {
    operation: z.literal('remove').describe('Legacy: as `op`'),
    flag: objects.editableFlag,
    messages: ids,
    all: z.literal(false),
    message_details: z
      .record(objects.idText, objects.unreadMessage)
      .optional()
      .describe('With the flag `read`, by message id'),
  }).refine(
    ({ flag, message_details }) => (flag === 'read') === (message_details !== undefined),
    'has details exactly when it is about `read`',
  ),
} as const;

const REACTION = {
  message_id: id,
  user_id: id,
  ...objects.emoji,
  user: z
    .strictObject({ user_id: id, email: z.string(), full_name: z.string() })
    .describe('Deprecated'),
};

const SOMEONE = z.strictObject({ user_id: id, email: z.string() });

const TYPING = {
  message_type: z.enum(['direct', 'stream']),
  sender: SOMEONE,
  recipients: z.array(SOMEONE).optional().describe('Of a direct message, with the sender'),
  stream_id: id.optional(),
  topic: z.string().optional(),
};
const isTypingSomewhere = (typing: Fields) =>
  placed(typing) && has(typing, 'recipients') === (typing['message_type'] === 'direct');
const NO_PLACE = 'has the place of another type of message';

const TYPING_EDIT = {
  sender_id: id,
  message_id: id,
  recipient: z.union([
    z.strictObject({ type: z.literal('direct'), user_ids: ids }),
    z.strictObject({ type: z.literal('channel'), channel_id: id, topic: z.string() }),
  ]),
};

const AROUND_MESSAGES = {
  'reaction add': eventOf('reaction', 'add', REACTION),
  'reaction remove': eventOf('reaction', 'remove', REACTION),
  submessage: event('submessage', {
    message_id: id,
    submessage_id: id,
    sender_id: id,
    msg_type: z.string(),
    content: z.string(),
  }),
  'typing start': eventOf('typing', 'start', TYPING).refine(isTypingSomewhere, NO_PLACE),
  'typing stop': eventOf('typing', 'stop', TYPING).refine(isTypingSomewhere, NO_PLACE),
  'typing_edit_message start': eventOf('typing_edit_message', 'start', TYPING_EDIT),
  'typing_edit_message stop': eventOf('typing_edit_message', 'stop', TYPING_EDIT),
} as const;

/** What a `stream` update may be about; its value has the type of the channel's field. */
const CHANNEL_PROPERTIES = objects.channel
  .pick({
    name: true,
    description: true,
    invite_only: true,
    stream_post_policy: true,
    is_announcement_only: true,
    message_retention_days: true,
    first_message_id: true,
    is_recently_active: true,
    is_archived: true,
    folder_id: true,
    topics_policy: true,
  })
  .extend(objects.channelPermissions).shape;

const PERSONAL_PROPERTIES = objects.personalProperties;

/** Whether the value has the type of the property it is about. */
const fits =
  (schemas: Readonly<Record<string, z.ZodType>>) =>
  ({ property, value }: { property: string; value: unknown }) =>
    schemas[property]?.safeParse(value).success === true;

const PEERS = { stream_ids: ids, user_ids: ids };

const CHANNELS = {
  'stream create': eventOf('stream', 'create', { streams: z.array(objects.channel) }),
  'stream delete': eventOf('stream', 'delete', {
    stream_ids: ids,
    streams: z.array(z.strictObject({ stream_id: id })).describe('Legacy'),
  }),
  'stream update': eventOf('stream', 'update', {
    stream_id: id,
    name: z.string().describe('The old one when the name changes'),
    property: z.enum(keysOf(CHANNEL_PROPERTIES)),
    value: z.union([scalar, z.null(), objects.groupSettingValue]),
    rendered_description: z.string().optional().describe('With the property `description`'),
    history_public_to_subscribers: z
      .boolean()
      .optional()
      .describe('With the property `invite_only`, as the next'),
    is_web_public: z.boolean().optional(),
  })
    .refine(fits(CHANNEL_PROPERTIES), 'has a value of another property')
    .refine(
      (update) => has(update, 'rendered_description') === (update.property === 'description'),
      'has a rendered description exactly when it is about the description',
    )
    .refine(
      (update) =>
        together('history_public_to_subscribers', 'is_web_public')(update) &&
        has(update, 'is_web_public') === (update.property === 'invite_only'),
      'tells the whole privacy exactly when it is about privacy',
    ),
  'subscription add': eventOf('subscription', 'add', {
    subscriptions: z.array(objects.subscription),
  }),
  'subscription remove': eventOf('subscription', 'remove', {
    subscriptions: z.array(z.strictObject({ stream_id: id, name: z.string() })),
  }),
  'subscription update': eventOf('subscription', 'update', {
    stream_id: id,
    property: z.enum(keysOf(PERSONAL_PROPERTIES)),
    value: z.union([scalar, z.null()]),
  }).refine(fits(PERSONAL_PROPERTIES), 'has a value of another property'),
  'subscription peer_add': eventOf('subscription', 'peer_add', PEERS),
  'subscription peer_remove': eventOf('subscription', 'peer_remove', PEERS),
  'channel_folder add': eventOf('channel_folder', 'add', {
    channel_folder: objects.channelFolder,
  }),
  'channel_folder update': eventOf('channel_folder', 'update', {
    channel_folder_id: id,
    data: objects.channelFolder
      .pick({ name: true, description: true, rendered_description: true, is_archived: true })
      .partial(),
  }),
  'channel_folder reorder': eventOf('channel_folder', 'reorder', {
    order: ids.describe('All folders, in their new order'),
  }),
  default_streams: event('default_streams', { default_streams: ids.describe('All of them') }),
  default_stream_groups: event('default_stream_groups', {
    default_stream_groups: z.array(objects.defaultChannelGroup),
  }),
} as const;

/** What changed of a user: the id and exactly one of these. */
const personChange = z.union([
  z.strictObject({ user_id: id, full_name: z.string() }),
  z.strictObject({
    user_id: id,
    avatar_url: objects.avatarUrl,
    avatar_url_medium: objects.avatarUrl,
    avatar_source: objects.avatarSource,
    avatar_version: z.int(),
  }),
  z.strictObject({ user_id: id, email: z.string(), timezone: z.string() }),
  z.strictObject({ user_id: id, bot_owner_id: id.nullable() }),
  z.strictObject({ user_id: id, role: z.int() }),
  z.strictObject({ user_id: id, delivery_email: z.string().nullable() }),
  z.strictObject({ user_id: id, new_email: z.string() }),
  z.strictObject({ user_id: id, is_active: z.boolean() }),
  z.strictObject({
    user_id: id,
    custom_profile_field: z.strictObject({
      id,
      value: z.string().nullable(),
      rendered_value: z.string().optional(),
    }),
  }),
]);

const GROUP_MEMBERS = { group_id: id, user_ids: ids };
const GROUP_SUBGROUPS = { group_id: id, direct_subgroup_ids: ids };

const PEOPLE = {
  'realm_user add': eventOf('realm_user', 'add', {
    person: objects.user.extend({ avatar_url: objects.avatarUrl }),
  }),
  'realm_user remove': eventOf('realm_user', 'remove', {
    person: z.strictObject({ user_id: id, full_name: z.string() }),
  }),
  'realm_user update': eventOf('realm_user', 'update', { person: personChange }),
  'realm_bot add': eventOf('realm_bot', 'add', { bot: objects.bot }),
  'realm_bot update': eventOf('realm_bot', 'update', {
    bot: objects.botChange.refine(
      (bot) => Object.keys(bot).length === 2,
      'is not the id and one property',
    ),
  }),
  'realm_bot delete': eventOf('realm_bot', 'delete', { bot: z.strictObject({ user_id: id }) }),
  presence: event('presence', {
    presences: z.record(objects.idText, objects.presence),
    user_id: id,
    server_timestamp: z.number().describe('UNIX seconds'),
    presence: z.strictObject({ website: objects.legacyPresence }),
    email: z.string(),
  }),
  user_status: event('user_status', {
    user_id: id,
    away: z.boolean().optional(),
    status_text: z.string().optional().describe('Empty: cleared'),
    emoji_name: z.string().optional(),
    emoji_code: z.string().optional(),
    reaction_type: z.union([objects.reactionType, z.literal('')]).optional(),
  }).refine(together('emoji_name', 'emoji_code', 'reaction_type'), 'has a part of an emoji'),
  'user_group add': eventOf('user_group', 'add', { group: objects.userGroup }),
  'user_group update': eventOf('user_group', 'update', {
    group_id: id,
    data: objects.userGroup
      .pick({ name: true, description: true, deactivated: true })
      .extend(objects.groupPermissions)
      .partial(),
  }),
  'user_group remove': eventOf('user_group', 'remove', { group_id: id }),
  'user_group add_members': eventOf('user_group', 'add_members', GROUP_MEMBERS),
  'user_group remove_members': eventOf('user_group', 'remove_members', GROUP_MEMBERS),
  'user_group add_subgroups': eventOf('user_group', 'add_subgroups', GROUP_SUBGROUPS),
  'user_group remove_subgroups': eventOf('user_group', 'remove_subgroups', GROUP_SUBGROUPS),
} as const;

/** Settings of the organization that are told one at a time; the snapshot has `realm_` before their names. */
const REALM_PROPERTIES = [
  'avatar_changes_disabled',
  'default_code_block_language',
  'default_language',
  'description',
  'digest_emails_enabled',
  'digest_weekday',
  'disallow_disposable_email_addresses',
  'email_changes_disabled',
  'emails_restricted_to_domains',
  'enable_guest_user_dm_warning',
  'enable_guest_user_indicator',
  'enable_read_receipts',
  'enable_spectator_access',
  'giphy_rating',
  'inline_image_preview',
  'inline_url_embed_preview',
  'invite_required',
  'jitsi_server_url',
  'message_content_allowed_in_email_notifications',
  'message_content_delete_limit_seconds',
  'message_edit_history_visibility_policy',
  'message_retention_days',
  'moderation_request_channel_id',
  'move_messages_between_streams_limit_seconds',
  'move_messages_within_stream_limit_seconds',
  'name',
  'name_changes_disabled',
  'new_stream_announcements_stream_id',
  'org_type',
  'presence_disabled',
  'push_notifications_enabled',
  'push_notifications_enabled_end_timestamp',
  'require_e2ee_push_notifications',
  'require_unique_names',
  'send_channel_events_messages',
  'send_welcome_emails',
  'service_update_announcements_stream_id',
  'signup_announcements_stream_id',
  'video_chat_provider',
  'waiting_period_threshold',
  'want_advertise_in_communities_directory',
  'welcome_message_custom_text',
] as const;

/** Settings of the organization that are told together with what hangs together with them. */
const realmChanges = z
  .strictObject({
    allow_message_editing: z.boolean(),
    message_content_edit_limit_seconds: z.int().nullable(),
    authentication_methods: z.record(
      z.string(),
      z.strictObject({
        enabled: z.boolean(),
        available: z.boolean(),
        unavailable_reason: z.string().optional(),
      }),
    ),
    plan_type: z.int(),
    upload_quota_mib: z.int().nullable(),
    max_file_upload_size_mib: z.int(),
    topics_policy: z.enum(['allow_empty_topic', 'disable_empty_topic']),
    mandatory_topics: z.boolean(),
    icon_url: z.string(),
    icon_source: z.string(),
    logo_url: z.string(),
    logo_source: z.string(),
    night_logo_url: z.string(),
    night_logo_source: z.string(),
    ...objects.realmPermissions,
  })
  .partial();

const USER_PROPERTIES = { ...objects.userSettings, timezone: z.string() };
const isLegacySetting = (kind: 'display' | 'notification') => (name: string) =>
  // A name of the table, or undefined: the index only does not say so in its type.
  (USER_SETTINGS as Readonly<Record<string, { kind: string }>>)[name]?.kind === kind;

const settingName = z.enum(USER_SETTING_NAMES);
const languageName = z.string().optional().describe('With `default_language`');

const REALM = {
  'realm update': eventOf('realm', 'update', {
    property: z.enum(REALM_PROPERTIES),
    value: z.union([scalar, z.null()]),
  }),
  'realm update_dict': eventOf('realm', 'update_dict', {
    property: z.enum(['default', 'icon', 'logo', 'night_logo']),
    data: realmChanges,
  }),
  'realm deactivated': eventOf('realm', 'deactivated', { realm_id: id }),
  'realm_user_settings_defaults update': eventOf('realm_user_settings_defaults', 'update', {
    property: settingName,
    value: scalar,
  }).refine(fits(USER_PROPERTIES), 'has a value of another setting'),
  realm_linkifiers: event('realm_linkifiers', { realm_linkifiers: z.array(objects.linkifier) }),
  realm_playgrounds: event('realm_playgrounds', {
    realm_playgrounds: z.array(objects.playground),
  }),
  'realm_emoji update': eventOf('realm_emoji', 'update', {
    realm_emoji: z.record(objects.idText, objects.customEmoji),
  }),
  'realm_domains add': eventOf('realm_domains', 'add', { realm_domain: objects.realmDomain }),
  'realm_domains change': eventOf('realm_domains', 'change', {
    realm_domain: objects.realmDomain,
  }),
  'realm_domains remove': eventOf('realm_domains', 'remove', { domain: z.string() }),
  realm_export: event('realm_export', { exports: z.array(objects.realmExport) }),
  realm_export_consent: event('realm_export_consent', { user_id: id, consented: z.boolean() }),
  custom_profile_fields: event('custom_profile_fields', {
    fields: z.array(objects.customProfileField),
  }),
  invites_changed: event('invites_changed', {}),
  restart: event('restart', {
    service_version: z.string(),
    service_merge_base: z.string(),
    service_feature_level: z.int(),
    server_generation: timestamp,
  }),
  web_reload_client: event('web_reload_client', { immediate: z.boolean() }),
  heartbeat: event('heartbeat', {}),
} as const;

const PERSONAL = {
  user_topic: event('user_topic', objects.userTopic.shape),
  muted_topics: event('muted_topics', {
    muted_topics: z.array(objects.mutedTopic).describe('Channel name, topic, time'),
  }),
  muted_users: event('muted_users', { muted_users: z.array(objects.mutedUser) }),
  'user_settings update': eventOf('user_settings', 'update', {
    property: z.enum([...USER_SETTING_NAMES, 'timezone']),
    value: scalar,
    language_name: languageName,
  })
    .refine(fits(USER_PROPERTIES), 'has a value of another setting')
    .refine(
      (update) => has(update, 'language_name') === (update.property === 'default_language'),
      'names a language exactly when it is about the language',
    ),
  update_display_settings: event('update_display_settings', {
    setting_name: z.enum([...USER_SETTING_NAMES, 'timezone']),
    setting: scalar,
    user: z.string().describe('The API email'),
    language_name: languageName,
  }).refine(
    ({ setting_name }) => setting_name === 'timezone' || isLegacySetting('display')(setting_name),
    'is about no display setting',
  ),
  update_global_notifications: event('update_global_notifications', {
    notification_name: settingName,
    setting: scalar,
    user: z.string().describe('The API email'),
  }).refine(
    ({ notification_name }) => isLegacySetting('notification')(notification_name),
    'is about no notification setting',
  ),
  alert_words: event('alert_words', { alert_words: z.array(z.string()) }),
  has_zoom_token: event('has_zoom_token', { value: z.boolean() }),
  push_device: event('push_device', {
    push_account_id: z.string(),
    status: z.enum(['active', 'pending', 'failed']),
    error_code: z.string().optional(),
  }),
  onboarding_steps: event('onboarding_steps', {
    onboarding_steps: z.array(objects.onboardingStep).describe('Those that remain'),
  }),
} as const;

const SPACE = { upload_space_used: z.int().describe('Bytes of the whole organization') };

const KEPT = {
  'drafts add': eventOf('drafts', 'add', { drafts: z.array(objects.draft) }),
  'drafts update': eventOf('drafts', 'update', { draft: objects.draft }),
  'drafts remove': eventOf('drafts', 'remove', { draft_id: id }),
  'scheduled_messages add': eventOf('scheduled_messages', 'add', {
    scheduled_messages: z.array(objects.scheduledMessage),
  }),
  'scheduled_messages update': eventOf('scheduled_messages', 'update', {
    scheduled_message: objects.scheduledMessage,
  }),
  'scheduled_messages remove': eventOf('scheduled_messages', 'remove', {
    scheduled_message_id: id,
  }),
  'reminders add': eventOf('reminders', 'add', { reminders: z.array(objects.reminder) }),
  'reminders remove': eventOf('reminders', 'remove', { reminder_id: id }),
  'saved_snippets add': eventOf('saved_snippets', 'add', { saved_snippet: objects.savedSnippet }),
  'saved_snippets update': eventOf('saved_snippets', 'update', {
    saved_snippet: objects.savedSnippet,
  }),
  'saved_snippets remove': eventOf('saved_snippets', 'remove', { saved_snippet_id: id }),
  'navigation_view add': eventOf('navigation_view', 'add', {
    navigation_view: objects.navigationView,
  }),
  'navigation_view update': eventOf('navigation_view', 'update', {
    fragment: z.string(),
    data: objects.navigationView.omit({ fragment: true }).partial(),
  }),
  'navigation_view remove': eventOf('navigation_view', 'remove', { fragment: z.string() }),
  'attachment add': eventOf('attachment', 'add', { attachment: objects.attachment, ...SPACE }),
  'attachment update': eventOf('attachment', 'update', {
    attachment: objects.attachment,
    ...SPACE,
  }),
  'attachment remove': eventOf('attachment', 'remove', {
    attachment: z.strictObject({ id }),
    ...SPACE,
  }),
} as const;

/** By `type`, or `type op`. */
export const LOGGED_EVENTS = {
  ...MESSAGES,
  ...AROUND_MESSAGES,
  ...CHANNELS,
  ...PEOPLE,
  ...REALM,
  ...PERSONAL,
  ...KEPT,
} as const;

/** An event in its richest form: `type` and fields in wire names, without `id`. */
export type LoggedEvent = objects.Made<(typeof LOGGED_EVENTS)[keyof typeof LOGGED_EVENTS]>;

/** The names of a table, which is not empty. */
function keysOf<Name extends string>(table: Readonly<Record<Name, unknown>>): readonly Name[] {
  // The table has no keys but its own: `Object.keys` only does not say so in its type.
  return Object.keys(table) as Name[];
}
