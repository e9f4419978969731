import { z } from 'zod';
import * as objects from '../objects.ts';
import * as realmObjects from '../realm-objects.ts';
import { event, eventOf, fits, scalar } from './event.ts';
import { settingName, USER_PROPERTIES } from './personal.ts';

const { id, timestamp } = objects;

/**
 * Settings of the organization that change one at a time in events; the snapshot has `realm_`
 * before their names.
 */
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
  'require_second_step',
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

/**
 * Settings of the organization that an event carries together, because they depend on each other.
 */
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

export const REALM = {
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
  realm_linkifiers: event('realm_linkifiers', {
    realm_linkifiers: z.array(realmObjects.linkifier),
  }),
  realm_playgrounds: event('realm_playgrounds', {
    realm_playgrounds: z.array(realmObjects.playground),
  }),
  'realm_emoji update': eventOf('realm_emoji', 'update', {
    realm_emoji: z.record(objects.idText, realmObjects.customEmoji),
  }),
  'realm_domains add': eventOf('realm_domains', 'add', { realm_domain: realmObjects.realmDomain }),
  'realm_domains change': eventOf('realm_domains', 'change', {
    realm_domain: realmObjects.realmDomain,
  }),
  'realm_domains remove': eventOf('realm_domains', 'remove', { domain: z.string() }),
  realm_export: event('realm_export', { exports: z.array(realmObjects.realmExport) }),
  realm_export_consent: event('realm_export_consent', { user_id: id, consented: z.boolean() }),
  custom_profile_fields: event('custom_profile_fields', {
    fields: z.array(realmObjects.customProfileField),
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
