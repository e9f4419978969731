import { type GroupSettingValue, systemGroupId } from '../system-groups.ts';
import {
  type RealmPermissionName,
  SERVER_SUPPORTED_PERMISSION_SETTINGS,
} from './permission-settings.ts';

/** A way to log in, by the backend name that clients know. */
export type AuthenticationMethod = 'Email';

/**
 * The stored settings of an organization, under the wire's names without `realm_`
 * (reference/events-and-register.md 5.3). Name, description, URL and creation time are in the
 * realm's own row; the legacy keys are derived in `realm-state.ts`.
 */
export interface RealmSettings extends Readonly<Record<RealmPermissionName, GroupSettingValue>> {
  readonly allow_message_editing: boolean;
  readonly authentication_methods: Readonly<Record<AuthenticationMethod, boolean>>;
  readonly avatar_changes_disabled: boolean;
  readonly default_code_block_language: string;
  readonly default_language: string;
  readonly digest_emails_enabled: boolean;
  readonly digest_weekday: number;
  readonly disallow_disposable_email_addresses: boolean;
  readonly email_changes_disabled: boolean;
  readonly emails_restricted_to_domains: boolean;
  readonly enable_guest_user_dm_warning: boolean;
  readonly enable_guest_user_indicator: boolean;
  readonly enable_read_receipts: boolean;
  readonly enable_spectator_access: boolean;
  readonly giphy_rating: number;
  readonly inline_image_preview: boolean;
  readonly inline_url_embed_preview: boolean;
  readonly invite_required: boolean;
  /** null: the server's. */
  readonly jitsi_server_url: string | null;
  readonly message_content_allowed_in_email_notifications: boolean;
  /** null in any of the four limits: none. */
  readonly message_content_delete_limit_seconds: number | null;
  readonly message_content_edit_limit_seconds: number | null;
  readonly message_edit_history_visibility_policy: 'all' | 'moves' | 'none';
  /** -1: forever. */
  readonly message_retention_days: number;
  /** -1 in any of the four channels: none. */
  readonly moderation_request_channel_id: number;
  readonly move_messages_between_streams_limit_seconds: number | null;
  readonly move_messages_within_stream_limit_seconds: number | null;
  readonly name_changes_disabled: boolean;
  readonly new_stream_announcements_stream_id: number;
  readonly org_type: number;
  readonly plan_type: number;
  readonly presence_disabled: boolean;
  readonly require_e2ee_push_notifications: boolean;
  readonly require_second_step: boolean;
  readonly require_unique_names: boolean;
  /** True if notices of changes are sent to channels. */
  readonly send_channel_events_messages: boolean;
  readonly send_welcome_emails: boolean;
  readonly service_update_announcements_stream_id: number;
  readonly signup_announcements_stream_id: number;
  readonly topics_policy: 'allow_empty_topic' | 'disable_empty_topic';
  readonly upload_quota_mib: number | null;
  /**
   * null in any of the three images: the built-in one. Else a URL, absolute or from the root of the
   * realm.
   */
  readonly uploaded_icon_url: string | null;
  readonly uploaded_logo_url: string | null;
  readonly uploaded_night_logo_url: string | null;
  readonly video_chat_provider: number;
  readonly waiting_period_threshold: number;
  readonly want_advertise_in_communities_directory: boolean;
  readonly welcome_message_custom_text: string;
}

export function realmSettingsDefaults(): RealmSettings {
  return { ...PLAIN_DEFAULTS, ...permissionDefaults() };
}

const TEN_MINUTES = 600;
const ONE_WEEK = 604_800;

const PLAIN_DEFAULTS = {
  allow_message_editing: true,
  authentication_methods: { Email: true },
  avatar_changes_disabled: false,
  default_code_block_language: '',
  default_language: 'en',
  digest_emails_enabled: false,
  digest_weekday: 1,
  disallow_disposable_email_addresses: true,
  email_changes_disabled: false,
  emails_restricted_to_domains: false,
  enable_guest_user_dm_warning: true,
  enable_guest_user_indicator: true,
  enable_read_receipts: false,
  enable_spectator_access: false,
  giphy_rating: 2,
  inline_image_preview: true,
  inline_url_embed_preview: false,
  invite_required: true,
  jitsi_server_url: null,
  message_content_allowed_in_email_notifications: true,
  message_content_delete_limit_seconds: TEN_MINUTES,
  message_content_edit_limit_seconds: TEN_MINUTES,
  message_edit_history_visibility_policy: 'all',
  message_retention_days: -1,
  moderation_request_channel_id: -1,
  move_messages_between_streams_limit_seconds: ONE_WEEK,
  move_messages_within_stream_limit_seconds: ONE_WEEK,
  name_changes_disabled: false,
  new_stream_announcements_stream_id: -1,
  org_type: 0,
  plan_type: 1,
  presence_disabled: false,
  require_e2ee_push_notifications: false,
  require_second_step: false,
  require_unique_names: false,
  send_channel_events_messages: true,
  send_welcome_emails: true,
  service_update_announcements_stream_id: -1,
  signup_announcements_stream_id: -1,
  topics_policy: 'allow_empty_topic',
  upload_quota_mib: null,
  uploaded_icon_url: null,
  uploaded_logo_url: null,
  uploaded_night_logo_url: null,
  video_chat_provider: 1,
  waiting_period_threshold: 0,
  want_advertise_in_communities_directory: false,
  welcome_message_custom_text: '',
} as const satisfies Omit<RealmSettings, RealmPermissionName>;

function permissionDefaults(): Record<RealmPermissionName, GroupSettingValue> {
  const defaults = Object.entries(SERVER_SUPPORTED_PERMISSION_SETTINGS.realm).map(
    ([name, setting]) => [name, systemGroupId(setting.default_group_name)],
  );
  // It is built from the table whose keys are the permission names.
  return Object.fromEntries(defaults) as Record<RealmPermissionName, GroupSettingValue>;
}
