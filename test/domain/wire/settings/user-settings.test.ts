import { describe, expect, test } from 'vitest';
import {
  availableNotificationSounds,
  emojisetChoices,
  USER_SETTING_NAMES,
  USER_SETTINGS,
  type UserSettingDescription,
  type UserSettingKind,
  userSettingsDefaults,
} from '../../../../src/domain/wire/settings/user-settings.ts';

const DISPLAY = {
  color_scheme: 1,
  default_language: 'en',
  web_home_view: 'inbox',
  demote_inactive_streams: 1,
  emojiset: 'google',
  enable_drafts_synchronization: true,
  enter_sends: false,
  fluid_layout_width: false,
  high_contrast_mode: false,
  left_side_userlist: false,
  starred_message_counts: true,
  translate_emoticons: false,
  twenty_four_hour_time: false,
};

const NOTIFICATION = {
  desktop_icon_count_display: 1,
  email_notifications_batching_period_seconds: 120,
  enable_desktop_notifications: true,
  enable_digest_emails: true,
  enable_login_emails: true,
  enable_marketing_emails: true,
  enable_offline_email_notifications: true,
  enable_offline_push_notifications: true,
  enable_online_push_notifications: true,
  enable_sounds: true,
  enable_stream_audible_notifications: false,
  enable_stream_desktop_notifications: false,
  enable_stream_email_notifications: false,
  enable_stream_push_notifications: false,
  message_content_in_email_notifications: true,
  notification_sound: 'chime',
  pm_content_in_desktop_notifications: true,
  presence_enabled: true,
  realm_name_in_email_notifications_policy: 1,
  wildcard_mentions_notify: true,
};

const MODERN = {
  display_emoji_reaction_users: true,
  email_address_visibility: 1,
  web_escape_navigates_to_home_view: true,
  receives_typing_notifications: true,
  send_private_typing_notifications: true,
  send_stream_typing_notifications: true,
  send_read_receipts: true,
  allow_private_data_export: false,
  web_mark_read_on_scroll_policy: 1,
  web_channel_default_view: 1,
  user_list_style: 2,
  web_animate_image_previews: 'on_hover',
  web_stream_unreads_count_display_policy: 2,
  web_font_size_px: 16,
  web_line_height_percent: 140,
  web_navigate_to_sent_message: true,
  enable_followed_topic_desktop_notifications: true,
  enable_followed_topic_email_notifications: true,
  enable_followed_topic_push_notifications: true,
  enable_followed_topic_audible_notifications: true,
  enable_followed_topic_wildcard_mentions_notify: true,
  automatically_follow_topics_policy: 3,
  automatically_unmute_topics_in_muted_streams_policy: 2,
  automatically_follow_topics_where_mentioned: true,
  web_suggest_update_timezone: true,
  hide_ai_features: false,
  web_left_sidebar_show_channel_folders: true,
  web_left_sidebar_unreads_count_summary: true,
  resolved_topic_notice_auto_read_policy: 'except_followed',
};

test.each<{ kind: UserSettingKind; expected: object }>([
  { kind: 'display', expected: DISPLAY },
  { kind: 'notification', expected: NOTIFICATION },
  { kind: 'modern', expected: MODERN },
])('the $kind settings are those of the reference, section 5.6', ({ kind, expected }) => {
  const names = USER_SETTING_NAMES.filter((name) => USER_SETTINGS[name].kind === kind);
  expect(names.toSorted()).toEqual(Object.keys(expected).toSorted());
});

test('every setting has its default', () => {
  expect(userSettingsDefaults()).toEqual({ ...DISPLAY, ...NOTIFICATION, ...MODERN });
});

describe('what a setting may be', () => {
  const descriptions: readonly (readonly [string, UserSettingDescription])[] =
    Object.entries(USER_SETTINGS);

  test('includes its default', () => {
    for (const [name, { default: fallback, values, min, max }] of descriptions) {
      if (values !== undefined) expect(values, name).toContain(fallback);
      if (min !== undefined) expect(fallback, name).toBeGreaterThanOrEqual(min);
      if (max !== undefined) expect(fallback, name).toBeLessThanOrEqual(max);
    }
  });

  test('is bounded for every number', () => {
    for (const [name, { default: fallback, values, min, max }] of descriptions) {
      if (typeof fallback !== 'number') continue;
      expect(values ?? (min !== undefined && max !== undefined), name).toBeTruthy();
    }
  });

  test('is an offered emoji set, an offered sound or none', () => {
    expect(USER_SETTINGS.emojiset.values).toEqual(emojisetChoices.map(({ key }) => key));
    expect(USER_SETTINGS.notification_sound.values).toEqual([
      ...availableNotificationSounds,
      'none',
    ]);
  });
});
