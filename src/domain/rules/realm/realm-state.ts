import {
  CHANNEL_DESCRIPTION_LENGTH_MAX,
  CHANNEL_FOLDER_DESCRIPTION_LENGTH_MAX,
  CHANNEL_FOLDER_NAME_LENGTH_MAX,
  CHANNEL_NAME_LENGTH_MAX,
  TOPIC_LENGTH_MAX,
} from '../../limits/channels.ts';
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '../../limits/credentials.ts';
import { THUMBNAIL_HEIGHT, THUMBNAIL_WIDTH } from '../../limits/images.ts';
import { MESSAGE_LENGTH_MAX } from '../../limits/messages.ts';
import { DELETION_DELAY_DAYS_MIN } from '../../limits/organizations.ts';
import { REMINDER_NOTE_LENGTH_MAX } from '../../limits/personal.ts';
import { SERVER_SUPPORTED_PERMISSION_SETTINGS } from '../../wire/settings/permission-settings.ts';
import type { RealmSettings } from '../../wire/settings/realm-settings.ts';
import {
  availableNotificationSounds,
  emojisetChoices,
  USER_SETTING_NAMES,
  USER_SETTINGS,
  type UserSettingKind,
  type UserSettings,
} from '../../wire/settings/user-settings.ts';
import {
  type GroupSettingValue,
  type SystemGroupName,
  systemGroupName,
} from '../../wire/system-groups.ts';
import { EMPTY_TOPIC_DISPLAY_NAME } from '../messages/topic.ts';
import { PRESENCE_OFFLINE_SECONDS, PRESENCE_PING_SECONDS } from '../people/presence.ts';
import { EXTERNAL_ACCOUNTS } from '../people/profile-fields.ts';
import { GIPHY_RATING_OPTIONS, VIDEO_CHAT_PROVIDERS } from './realm-choices.ts';

/** The facts from which the `realm` keys of a snapshot are built. */
export interface RealmStateInput {
  readonly realm: {
    readonly id: number;
    /** The name that people read. */
    readonly name: string;
    readonly stringId: string;
    /** Markdown. */
    readonly description: string;
    /** Canonical and absolute, without a slash at its end. */
    readonly url: string;
    /** UNIX seconds. */
    readonly dateCreated: number;
    readonly settings: RealmSettings;
  };
  readonly server: {
    /** UNIX seconds of the start of the process. */
    readonly generation: number;
    readonly pushNotificationsEnabled: boolean;
    readonly webPublicEnabled: boolean;
    readonly showsPreviews: boolean;
    readonly maxFileUploadMib: number;
  };
}

/**
 * Returns all keys of the fetch type `realm` (reference/events-and-register.md 5.2, 5.3), as a
 * signed-in user sees them.
 */
export function realmState(input: RealmStateInput): Record<string, unknown> {
  return {
    ...LIMITS,
    ...SERVER_FACTS,
    ...serverState(input),
    ...identityState(input.realm),
    ...imageState(input.realm),
    ...settingsState(input.realm.settings),
    ...legacySettingsState(input.realm.settings),
  };
}

/** Returns the key `user_settings`. */
export function userSettingsState(
  stored: Partial<UserSettings>,
  timezone: string,
): Record<string, unknown> {
  return { ...realmUserSettingsDefaultsState(stored), timezone };
}

/** Returns the key `realm_user_settings_defaults`, the settings that new accounts start with. */
export function realmUserSettingsDefaultsState(
  stored: Partial<UserSettings>,
): Record<string, unknown> {
  return {
    ...settingsOfKinds(stored, ['display', 'notification', 'modern']),
    emojiset_choices: emojisetChoices,
    available_notification_sounds: availableNotificationSounds,
  };
}

/** Returns the legacy top-level keys of the fetch type `update_display_settings`. */
export function displaySettingsState(
  stored: Partial<UserSettings>,
  timezone: string,
): Record<string, unknown> {
  return {
    ...settingsOfKinds(stored, ['display']),
    emojiset_choices: emojisetChoices,
    timezone,
  };
}

/** Returns the legacy top-level keys of the fetch type `update_global_notifications`. */
export function notificationSettingsState(stored: Partial<UserSettings>): Record<string, unknown> {
  return {
    ...settingsOfKinds(stored, ['notification']),
    available_notification_sounds: availableNotificationSounds,
  };
}

/** The key `custom_profile_field_types`. */
export const customProfileFieldTypes = {
  SHORT_TEXT: { id: 1, name: 'Short text' },
  LONG_TEXT: { id: 2, name: 'Long text' },
  SELECT: { id: 3, name: 'List of options' },
  DATE: { id: 4, name: 'Date' },
  URL: { id: 5, name: 'Link' },
  USER: { id: 6, name: 'Users' },
  EXTERNAL_ACCOUNT: { id: 7, name: 'External account' },
  PRONOUNS: { id: 8, name: 'Pronouns' },
} as const;

/**
 * The values of reference/events-and-register.md 5.2, which gives none for the length of a
 * reminder's note.
 */
const LIMITS = {
  max_message_length: MESSAGE_LENGTH_MAX,
  max_topic_length: TOPIC_LENGTH_MAX,
  max_stream_name_length: CHANNEL_NAME_LENGTH_MAX,
  max_stream_description_length: CHANNEL_DESCRIPTION_LENGTH_MAX,
  max_channel_folder_name_length: CHANNEL_FOLDER_NAME_LENGTH_MAX,
  max_channel_folder_description_length: CHANNEL_FOLDER_DESCRIPTION_LENGTH_MAX,
  max_reminder_note_length: REMINDER_NOTE_LENGTH_MAX,
  max_bulk_new_subscription_messages: 100,
  max_avatar_file_size_mib: 5,
  max_icon_file_size_mib: 5,
  max_logo_file_size_mib: 5,
  password_min_length: PASSWORD_LENGTH_MIN,
  password_max_length: PASSWORD_LENGTH_MAX,
  password_min_guesses: 10_000,
  server_min_deactivated_realm_deletion_days: DELETION_DELAY_DAYS_MIN,
  server_max_deactivated_realm_deletion_days: null,
  event_queue_longpoll_timeout_seconds: 90,
  server_presence_ping_interval_seconds: PRESENCE_PING_SECONDS,
  server_presence_offline_threshold_seconds: PRESENCE_OFFLINE_SECONDS,
  server_typing_started_expiry_period_milliseconds: 45_000,
  server_typing_stopped_wait_period_milliseconds: 12_000,
  server_typing_started_wait_period_milliseconds: 30_000,
} as const;

/**
 * The server has no video calls of its own, so an organization names its own server or has none.
 */
const SERVER_JITSI_URL = null;

const SERVER_FACTS = {
  server_thumbnail_formats: [
    thumbnailFormat({ name: '840x560-anim.webp', animated: true }),
    thumbnailFormat({ name: '840x560.webp', animated: false }),
  ],
  server_avatar_changes_disabled: false,
  server_name_changes_disabled: false,
  server_needs_upgrade: false,
  server_can_summarize_topics: false,
  server_jitsi_server_url: SERVER_JITSI_URL,
  server_supported_permission_settings: SERVER_SUPPORTED_PERMISSION_SETTINGS,
  giphy_rating_options: GIPHY_RATING_OPTIONS,
  settings_send_digest_emails: true,
  development_environment: false,
  upgrade_text_for_wide_organization_logo: '',
  realm_available_video_chat_providers: VIDEO_CHAT_PROVIDERS,
  realm_default_external_accounts: EXTERNAL_ACCOUNTS,
  realm_empty_topic_display_name: EMPTY_TOPIC_DISPLAY_NAME,
  realm_is_zephyr_mirror_realm: false,
  realm_push_notifications_enabled_end_timestamp: null,
} as const;

function thumbnailFormat(format: { name: string; animated: boolean }) {
  return { ...format, max_width: THUMBNAIL_WIDTH, max_height: THUMBNAIL_HEIGHT, format: 'webp' };
}

/** "plan_type ≠ 2" (reference/events-and-register.md 5.2). */
const LIMITED_PLAN = 2;

function serverState({ realm, server }: RealmStateInput) {
  return {
    max_file_upload_size_mib: server.maxFileUploadMib,
    server_generation: server.generation,
    server_emoji_data_url: `${realm.url}/static/emoji-data.json`,
    server_inline_image_preview: server.showsPreviews,
    server_inline_url_embed_preview: server.showsPreviews,
    server_web_public_streams_enabled: server.webPublicEnabled,
    jitsi_server_url: realm.settings.jitsi_server_url ?? SERVER_JITSI_URL,
    service_plan_is_not_limited: realm.settings.plan_type !== LIMITED_PLAN,
    realm_push_notifications_enabled: server.pushNotificationsEnabled,
  };
}

function identityState(realm: RealmStateInput['realm']) {
  return {
    realm_name: realm.name,
    realm_description: realm.description,
    realm_url: realm.url,
    realm_uri: realm.url,
    realm_date_created: realm.dateCreated,
    realm_bot_domain: new URL(realm.url).hostname,
  };
}

/** The three images of an organization. */
export type RealmImage = 'icon' | 'logo' | 'night_logo';

const IMAGES = {
  icon: { setting: 'uploaded_icon_url', builtIn: '/static/realm-icon.png', source: 'G' },
  logo: { setting: 'uploaded_logo_url', builtIn: '/static/realm-logo.png', source: 'D' },
  night_logo: {
    setting: 'uploaded_night_logo_url',
    builtIn: '/static/realm-night-logo.png',
    source: 'D',
  },
} as const;

/** Names of the settings of an organization that hold the URLs of uploaded images. */
export const IMAGE_SETTINGS = Object.values(IMAGES).map(({ setting }) => setting);

export const imageSetting = (image: RealmImage) => IMAGES[image].setting;

/**
 * Returns the URL and the source (built-in or uploaded) of an image, by its keys without `realm_`.
 */
export function shownImage(image: RealmImage, uploaded: string | null, realmUrl: string) {
  const { builtIn, source } = IMAGES[image];
  return {
    [`${image}_url`]: new URL(uploaded ?? builtIn, realmUrl).href,
    [`${image}_source`]: uploaded === null ? source : 'U',
  };
}

function imageState({ url, settings }: RealmStateInput['realm']) {
  const shown = (['icon', 'logo', 'night_logo'] as const).flatMap((image) =>
    Object.entries(shownImage(image, settings[imageSetting(image)], url)),
  );
  return Object.fromEntries(shown.map(([name, value]) => [`realm_${name}`, value]));
}

/**
 * Returns the stored settings, each under `realm_` and its name, as clients see them; the images
 * have keys of their own.
 */
function settingsState(settings: RealmSettings): Record<string, unknown> {
  const { uploaded_icon_url, uploaded_logo_url, uploaded_night_logo_url, ...plain } = settings;
  const state = Object.entries(plain).map(([name, value]) => [
    `realm_${name}`,
    shownSetting(name, value),
  ]);
  const isByPassword = settings.authentication_methods.Email;
  return {
    ...Object.fromEntries(state),
    realm_email_auth_enabled: isByPassword,
    realm_password_auth_enabled: isByPassword,
  };
}

/** Returns the value of a setting as clients see it. */
export function shownSetting(name: string, value: unknown): unknown {
  if (name !== 'authentication_methods') return value;
  // The table gives a setting of this name this type.
  const { Email: enabled } = value as RealmSettings['authentication_methods'];
  return { Email: { enabled, available: true } };
}

/** Returns the settings of older clients, derived from those that replaced them. */
function legacySettingsState(settings: RealmSettings) {
  return {
    realm_mandatory_topics: settings.topics_policy === 'disable_empty_topic',
    realm_allow_edit_history: settings.message_edit_history_visibility_policy !== 'none',
    realm_wildcard_mention_policy: legacyPolicy(
      settings.can_mention_many_users_group,
      WILDCARD_MENTION_POLICY,
    ),
    realm_create_public_stream_policy: legacyPolicy(
      settings.can_create_public_channel_group,
      CREATE_CHANNEL_POLICY,
    ),
    realm_create_private_stream_policy: legacyPolicy(
      settings.can_create_private_channel_group,
      CREATE_CHANNEL_POLICY,
    ),
    realm_create_web_public_stream_policy: legacyPolicy(
      settings.can_create_web_public_channel_group,
      CREATE_WEB_PUBLIC_CHANNEL_POLICY,
    ),
  };
}

/**
 * Maps each system group to its number in a legacy policy, or to that of the nearest group which
 * has one.
 */
type LegacyPolicy = Readonly<Record<SystemGroupName, number>>;

const WILDCARD_MENTION_POLICY: LegacyPolicy = {
  'role:internet': 1,
  'role:everyone': 1,
  'role:members': 2,
  'role:fullmembers': 3,
  'role:moderators': 7,
  'role:administrators': 5,
  'role:owners': 5,
  'role:nobody': 6,
};

const CREATE_CHANNEL_POLICY: LegacyPolicy = {
  'role:internet': 1,
  'role:everyone': 1,
  'role:members': 1,
  'role:fullmembers': 3,
  'role:moderators': 4,
  'role:administrators': 2,
  'role:owners': 2,
  'role:nobody': 2,
};

const CREATE_WEB_PUBLIC_CHANNEL_POLICY: LegacyPolicy = {
  'role:internet': 4,
  'role:everyone': 4,
  'role:members': 4,
  'role:fullmembers': 4,
  'role:moderators': 4,
  'role:administrators': 2,
  'role:owners': 7,
  'role:nobody': 6,
};

/**
 * Older clients only decide by it what to offer. Any other group counts as the moderators, so that
 * not every user is offered what would be refused, and some are offered what is allowed.
 */
function legacyPolicy(value: GroupSettingValue, policy: LegacyPolicy): number {
  const name = typeof value === 'number' ? systemGroupName(value) : undefined;
  return policy[name ?? 'role:moderators'];
}

/** Takes the names from the table, so that a stored setting which no longer exists is not sent. */
function settingsOfKinds(
  stored: Partial<UserSettings>,
  kinds: readonly UserSettingKind[],
): Record<string, unknown> {
  const names = USER_SETTING_NAMES.filter((name) => kinds.includes(USER_SETTINGS[name].kind));
  return Object.fromEntries(
    names.map((name) => [name, stored[name] ?? USER_SETTINGS[name].default]),
  );
}
