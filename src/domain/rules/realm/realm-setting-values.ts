/**
 * Schemas of the values of an organization's settings, for every caller that sets them
 * (reference/endpoints.md 2.7).
 */
import { z } from 'zod';
import { CODE_LANGUAGE_LENGTH_MAX } from '../../limits/markdown.ts';
import {
  DAYS_MAX,
  REALM_DESCRIPTION_LENGTH_MAX,
  REALM_NAME_LENGTH_MAX,
  REALM_URL_LENGTH_MAX,
  TIME_LIMIT_SECONDS_MAX,
  WELCOME_TEXT_LENGTH_MAX,
} from '../../limits/organizations.ts';
import { groupSettingValue } from '../../wire/objects.ts';
import {
  type RealmPermissionName,
  SERVER_SUPPORTED_PERMISSION_SETTINGS,
} from '../../wire/settings/permission-settings.ts';
import type { RealmSettings } from '../../wire/settings/realm-settings.ts';
import { isLongerThan, unprintableIn } from '../messages/topic.ts';
import { isLanguage } from '../people/languages.ts';
import { GIPHY_RATINGS, ORGANIZATION_TYPES, VIDEO_CHAT_PROVIDER_IDS } from './realm-choices.ts';

/**
 * The properties of an organization that can be set: its settings, its name and its description.
 */
export type RealmProperties = RealmSettings & {
  readonly name: string;
  readonly description: string;
};
export type RealmPropertyName = keyof RealmProperties;
/** Names of the properties that are not permissions. */
export type PlainPropertyName = Exclude<RealmPropertyName, RealmPermissionName>;

const boolean = z.boolean({ error: 'is not a boolean' });
const integer = z.int({ error: 'is not an integer' });
const one = (values: readonly number[]) =>
  integer.refine((value) => values.includes(value), 'is invalid');

/** Accepts a text of at most so many code points. */
const text = (lengthMax: number) =>
  z
    .string({ error: 'is not a string' })
    .refine(
      (value) => !isLongerThan(value, lengthMax),
      `is too long (limit: ${lengthMax} characters)`,
    )
    .refine((value) => !/[\0\p{Cs}]/u.test(value), 'has an invalid character')
    .meta({ maxLength: lengthMax });

const positive = integer.refine((value) => value > 0, 'is too small');
const timeLimit = positive
  .refine((value) => value <= TIME_LIMIT_SECONDS_MAX, 'is too large')
  .nullable();
const channelId = integer.refine((value) => value === -1 || value > 0, 'is invalid');
const imageUrl = text(REALM_URL_LENGTH_MAX).nullable();

export const REALM_VALUES = {
  name: text(REALM_NAME_LENGTH_MAX)
    .refine((value) => value.trim() !== '', 'cannot be blank')
    .refine((value) => !unprintableIn(value), 'has an invalid character'),
  description: text(REALM_DESCRIPTION_LENGTH_MAX),
  allow_message_editing: boolean,
  authentication_methods: z.strictObject({ Email: boolean }, { error: 'is not a dict' }),
  avatar_changes_disabled: boolean,
  // The value is one word, as it may stand after a fence.
  default_code_block_language: text(CODE_LANGUAGE_LENGTH_MAX).regex(/^[^\s`]*$/, 'is invalid'),
  default_language: z.string({ error: 'is not a string' }).refine(isLanguage, 'is invalid'),
  digest_emails_enabled: boolean,
  digest_weekday: integer.refine((day) => day >= 0 && day <= 6, 'is invalid'),
  disallow_disposable_email_addresses: boolean,
  email_changes_disabled: boolean,
  emails_restricted_to_domains: boolean,
  enable_guest_user_dm_warning: boolean,
  enable_guest_user_indicator: boolean,
  enable_read_receipts: boolean,
  enable_spectator_access: boolean,
  giphy_rating: one(GIPHY_RATINGS),
  inline_image_preview: boolean,
  inline_url_embed_preview: boolean,
  invite_required: boolean,
  jitsi_server_url: text(REALM_URL_LENGTH_MAX).refine(isSecureUrl, 'is not a URL').nullable(),
  message_content_allowed_in_email_notifications: boolean,
  message_content_delete_limit_seconds: timeLimit,
  message_content_edit_limit_seconds: timeLimit,
  message_edit_history_visibility_policy: z.enum(['all', 'moves', 'none'], { error: 'is invalid' }),
  message_retention_days: integer.refine(
    (days) => days === -1 || (days > 0 && days <= DAYS_MAX),
    'is invalid',
  ),
  moderation_request_channel_id: channelId,
  move_messages_between_streams_limit_seconds: timeLimit,
  move_messages_within_stream_limit_seconds: timeLimit,
  name_changes_disabled: boolean,
  new_stream_announcements_stream_id: channelId,
  org_type: one(ORGANIZATION_TYPES),
  plan_type: integer,
  presence_disabled: boolean,
  require_e2ee_push_notifications: boolean,
  require_second_step: boolean,
  require_unique_names: boolean,
  send_channel_events_messages: boolean,
  send_welcome_emails: boolean,
  service_update_announcements_stream_id: channelId,
  signup_announcements_stream_id: channelId,
  topics_policy: z.enum(['allow_empty_topic', 'disable_empty_topic'], { error: 'is invalid' }),
  upload_quota_mib: integer.refine((mib) => mib >= 0, 'is too small').nullable(),
  uploaded_icon_url: imageUrl,
  uploaded_logo_url: imageUrl,
  uploaded_night_logo_url: imageUrl,
  video_chat_provider: one(VIDEO_CHAT_PROVIDER_IDS),
  waiting_period_threshold: integer.refine((days) => days >= 0 && days <= DAYS_MAX, 'is invalid'),
  want_advertise_in_communities_directory: boolean,
  welcome_message_custom_text: text(WELCOME_TEXT_LENGTH_MAX),
} as const satisfies {
  readonly [Name in PlainPropertyName]: z.ZodType<RealmProperties[Name]>;
};

export const isRealmPermission = (name: string): name is RealmPermissionName =>
  Object.hasOwn(SERVER_SUPPORTED_PERMISSION_SETTINGS.realm, name);

export const isRealmProperty = (name: string): name is RealmPropertyName =>
  isRealmPermission(name) || Object.hasOwn(REALM_VALUES, name);

export const valuesOf = (name: RealmPropertyName): z.ZodType =>
  isRealmPermission(name) ? groupSettingValue : REALM_VALUES[name];

function isSecureUrl(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
