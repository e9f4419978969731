/**
 * The keys and events that tell clients of a setting. All settings are in `user_settings`;
 * `display` and `notification` ones are also in the legacy top-level keys and events, `modern` ones
 * never.
 */
export type UserSettingKind = 'display' | 'notification' | 'modern';

/**
 * A setting has the type of its default; `values`, or `min` and `max`, bound what it may be set to.
 */
export interface UserSettingDescription {
  readonly kind: UserSettingKind;
  readonly default: boolean | number | string;
  readonly values?: readonly (number | string)[];
  readonly min?: number;
  readonly max?: number;
}

/**
 * Sets of emoji images. Except for plain text, clients know them by the name of their maker
 * (specification, PATCH /settings).
 */
export const emojisetChoices = [
  { key: 'google', text: 'Google' },
  { key: 'twitter', text: 'Twitter' },
  { key: 'text', text: 'Plain text' },
] as const;

export const availableNotificationSounds = ['bell', 'chime', 'ding', 'drop', 'knock'] as const;

/** "1 automatic, 2 always, 3 never", and other scales of as many steps. */
const ONE_TO_THREE = [1, 2, 3] as const;
const ONE_TO_FOUR = [1, 2, 3, 4] as const;

const on = <K extends UserSettingKind>(kind: K) => ({ kind, default: true }) as const;
const off = <K extends UserSettingKind>(kind: K) => ({ kind, default: false }) as const;

/**
 * Every personal setting (reference/events-and-register.md 5.6; its values: specification, PATCH
 * /settings).
 */
export const USER_SETTINGS = {
  color_scheme: { kind: 'display', default: 1, values: ONE_TO_THREE },
  default_language: { kind: 'display', default: 'en' },
  demote_inactive_streams: { kind: 'display', default: 1, values: ONE_TO_THREE },
  emojiset: {
    kind: 'display',
    default: 'google',
    values: emojisetChoices.map(({ key }) => key),
  },
  enable_drafts_synchronization: on('display'),
  enter_sends: off('display'),
  fluid_layout_width: off('display'),
  high_contrast_mode: off('display'),
  left_side_userlist: off('display'),
  starred_message_counts: on('display'),
  translate_emoticons: off('display'),
  twenty_four_hour_time: off('display'),
  web_home_view: {
    kind: 'display',
    default: 'inbox',
    values: ['recent_topics', 'inbox', 'all_messages'],
  },

  desktop_icon_count_display: { kind: 'notification', default: 1, values: ONE_TO_FOUR },
  email_notifications_batching_period_seconds: {
    kind: 'notification',
    default: 120,
    min: 1,
    max: 604_800,
  },
  enable_desktop_notifications: on('notification'),
  enable_digest_emails: on('notification'),
  enable_login_emails: on('notification'),
  enable_marketing_emails: on('notification'),
  enable_offline_email_notifications: on('notification'),
  enable_offline_push_notifications: on('notification'),
  enable_online_push_notifications: on('notification'),
  enable_sounds: on('notification'),
  enable_stream_audible_notifications: off('notification'),
  enable_stream_desktop_notifications: off('notification'),
  enable_stream_email_notifications: off('notification'),
  enable_stream_push_notifications: off('notification'),
  message_content_in_email_notifications: on('notification'),
  notification_sound: {
    kind: 'notification',
    default: 'chime',
    values: [...availableNotificationSounds, 'none'],
  },
  pm_content_in_desktop_notifications: on('notification'),
  presence_enabled: on('notification'),
  realm_name_in_email_notifications_policy: {
    kind: 'notification',
    default: 1,
    values: ONE_TO_THREE,
  },
  wildcard_mentions_notify: on('notification'),

  allow_private_data_export: off('modern'),
  automatically_follow_topics_policy: { kind: 'modern', default: 3, values: ONE_TO_FOUR },
  automatically_follow_topics_where_mentioned: on('modern'),
  automatically_unmute_topics_in_muted_streams_policy: {
    kind: 'modern',
    default: 2,
    values: ONE_TO_FOUR,
  },
  display_emoji_reaction_users: on('modern'),
  email_address_visibility: { kind: 'modern', default: 1, values: [1, 2, 3, 4, 5] },
  enable_followed_topic_audible_notifications: on('modern'),
  enable_followed_topic_desktop_notifications: on('modern'),
  enable_followed_topic_email_notifications: on('modern'),
  enable_followed_topic_push_notifications: on('modern'),
  enable_followed_topic_wildcard_mentions_notify: on('modern'),
  hide_ai_features: off('modern'),
  receives_typing_notifications: on('modern'),
  resolved_topic_notice_auto_read_policy: {
    kind: 'modern',
    default: 'except_followed',
    values: ['always', 'except_followed', 'never'],
  },
  send_private_typing_notifications: on('modern'),
  send_read_receipts: on('modern'),
  send_stream_typing_notifications: on('modern'),
  user_list_style: { kind: 'modern', default: 2, values: ONE_TO_THREE },
  web_animate_image_previews: {
    kind: 'modern',
    default: 'on_hover',
    values: ['always', 'on_hover', 'never'],
  },
  web_channel_default_view: { kind: 'modern', default: 1, values: ONE_TO_FOUR },
  web_escape_navigates_to_home_view: on('modern'),
  // The API does not limit the next two sizes; beyond these limits no text can be read.
  web_font_size_px: { kind: 'modern', default: 16, min: 6, max: 72 },
  web_left_sidebar_show_channel_folders: on('modern'),
  web_left_sidebar_unreads_count_summary: on('modern'),
  web_line_height_percent: { kind: 'modern', default: 140, min: 80, max: 300 },
  web_mark_read_on_scroll_policy: { kind: 'modern', default: 1, values: ONE_TO_THREE },
  web_navigate_to_sent_message: on('modern'),
  web_stream_unreads_count_display_policy: { kind: 'modern', default: 2, values: ONE_TO_THREE },
  web_suggest_update_timezone: on('modern'),
} as const satisfies Record<string, UserSettingDescription>;

export type UserSettingName = keyof typeof USER_SETTINGS;

/** A value for each setting. A stored row holds only those that differ from the default. */
export type UserSettings = {
  readonly [Name in UserSettingName]: Widened<(typeof USER_SETTINGS)[Name]['default']>;
};

type Widened<T> = T extends boolean ? boolean : T extends number ? number : string;

export const USER_SETTING_NAMES: readonly UserSettingName[] =
  // The table has no other keys; `Object.keys` loses them in its type.
  Object.keys(USER_SETTINGS) as UserSettingName[];

export function userSettingsDefaults(): UserSettings {
  const defaults = USER_SETTING_NAMES.map((name) => [name, USER_SETTINGS[name].default]);
  // It is built from the same table as the type, so each name has a value of its type.
  return Object.fromEntries(defaults) as UserSettings;
}
