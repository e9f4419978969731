import { z } from 'zod';
import { DAYS_MAX, TIME_LIMIT_SECONDS_MAX } from '../../domain/limits/organizations.ts';
import {
  type PlainPropertyName,
  REALM_VALUES,
} from '../../domain/rules/realm/realm-setting-values.ts';
import * as errors from '../../domain/wire/errors.ts';
import { SERVER_SUPPORTED_PERMISSION_SETTINGS } from '../../domain/wire/settings/permission-settings.ts';
import type { RealmChange } from '../../operations/realm/settings.ts';
import type { Values } from '../endpoint.ts';
import {
  boolean,
  given,
  groupSettingChange,
  integer,
  json,
  jsonOrBare,
  meaning,
  perPermission,
  text,
  textOrJson,
  word,
} from '../params.ts';

const { realm: PERMISSIONS } = SERVER_SUPPORTED_PERMISSION_SETTINGS;
// These are the names of the table; `Object.keys` loses them in its type.
const PERMISSION_NAMES = Object.keys(PERMISSIONS) as (keyof typeof PERMISSIONS)[];

/** Declares parameters of these names. */
const each = <const Name extends PlainPropertyName, T extends z.ZodType>(
  names: readonly Name[],
  schemaOf: (name: Name) => T,
) =>
  // There is one entry for each name, by construction.
  Object.fromEntries(names.map((name) => [name, schemaOf(name)])) as Record<Name, T>;

const SWITCHES = [
  'emails_restricted_to_domains',
  'disallow_disposable_email_addresses',
  'invite_required',
  'require_second_step',
  'require_unique_names',
  'name_changes_disabled',
  'email_changes_disabled',
  'avatar_changes_disabled',
  'inline_image_preview',
  'inline_url_embed_preview',
  'allow_message_editing',
  'send_welcome_emails',
  'digest_emails_enabled',
  'message_content_allowed_in_email_notifications',
  'enable_spectator_access',
  'enable_read_receipts',
  'enable_guest_user_indicator',
  'enable_guest_user_dm_warning',
  'require_e2ee_push_notifications',
  'send_channel_events_messages',
] as const;

const NUMBERS = [
  'waiting_period_threshold',
  'video_chat_provider',
  'giphy_rating',
  'org_type',
] as const;

const CHANNELS = [
  'new_stream_announcements_stream_id',
  'signup_announcements_stream_id',
  'service_update_announcements_stream_id',
  'moderation_request_channel_id',
] as const;

const LANGUAGES = ['default_language', 'default_code_block_language'] as const;

const LIMITS = [
  'message_content_delete_limit_seconds',
  'message_content_edit_limit_seconds',
  'move_messages_within_stream_limit_seconds',
  'move_messages_between_streams_limit_seconds',
] as const;

/** Accepts an amount for `unlimitedOr`, which describes faults. */
const amount = (described: string) =>
  meaning(jsonOrBare, z.union([z.int().min(1), z.literal('unlimited')]))
    .describe(described)
    .optional();

/** The properties of an organization that can be changed (reference/endpoints.md 2.7). */
export const realmParams = {
  name: text.trim().pipe(REALM_VALUES.name).optional(),
  description: text.trim().pipe(REALM_VALUES.description).describe('Markdown').optional(),
  ...each(SWITCHES, () => boolean.optional()),
  ...each(NUMBERS, (name) =>
    integer.pipe<z.ZodType<number, number>>(REALM_VALUES[name]).optional(),
  ),
  digest_weekday: integer
    .pipe<z.ZodType<number, number>>(REALM_VALUES.digest_weekday)
    .describe('The day on which weekly mails go out: 0 is Monday, 6 is Sunday')
    .optional(),
  ...each(CHANNELS, (name) =>
    integer.pipe<z.ZodType<number, number>>(REALM_VALUES[name]).describe('-1: none').optional(),
  ),
  ...each(LANGUAGES, (name) => word.pipe<z.ZodType<string, string>>(REALM_VALUES[name]).optional()),
  ...each(LIMITS, () => amount('Seconds, or `unlimited`')),
  message_retention_days: amount('Days, or `unlimited`'),
  topics_policy: word.pipe(REALM_VALUES.topics_policy).optional(),
  mandatory_topics: boolean
    .optional()
    .describe('Deprecated: whether `topics_policy` is `disable_empty_topic`'),
  message_edit_history_visibility_policy: word
    .pipe(REALM_VALUES.message_edit_history_visibility_policy)
    .optional(),
  authentication_methods: json(
    z.record(z.string(), z.boolean({ error: 'is not a boolean' }), { error: 'is not a dict' }),
  )
    .describe('By name, whether one may log in by it; there is `Email`')
    .optional(),
  jitsi_server_url: textOrJson
    .transform((url) => (url === 'default' ? null : url))
    .pipe(REALM_VALUES.jitsi_server_url)
    .describe('`default`: that of the server')
    .optional(),
  welcome_message_custom_text: text.pipe(REALM_VALUES.welcome_message_custom_text).optional(),
  string_id: text
    .optional()
    .describe('The first label of its host name; it is still found by those that it had'),
  ...perPermission(PERMISSIONS, groupSettingChange),
};

/** Returns the requested change, by the names of the settings. */
export function realmChange(params: Values<typeof realmParams>): RealmChange {
  const { message_retention_days: days } = params;
  const limits = LIMITS.filter((name) => params[name] !== undefined).map((name) => [
    name,
    unlimitedOr(name, params[name], TIME_LIMIT_SECONDS_MAX) ?? null,
  ]);
  return {
    plain: {
      ...given(
        [
          'name',
          'description',
          ...SWITCHES,
          ...NUMBERS,
          'digest_weekday',
          ...CHANNELS,
          ...LANGUAGES,
          'message_edit_history_visibility_policy',
          'jitsi_server_url',
          'welcome_message_custom_text',
        ],
        params,
      ),
      ...Object.fromEntries(limits),
      ...(days === undefined
        ? {}
        : { message_retention_days: unlimitedOr('message_retention_days', days, DAYS_MAX) ?? -1 }),
      ...topicsPolicy(params),
    },
    methods: params.authentication_methods,
    stringId: params.string_id,
    permissions: given(PERMISSION_NAMES, params),
  };
}

/** Returns a positive amount; undefined if there is no limit. */
function unlimitedOr(name: string, value: unknown, max: number): number | undefined {
  if (value === 'unlimited') return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value <= max) {
    return value;
  }
  // A list may be nested too deep to be written out within the stack.
  const shown = typeof value === 'string' || typeof value === 'number' ? value : typeof value;
  throw errors.invalidVariable(name, shown);
}

/** Returns the policy by its present name or the earlier one. */
function topicsPolicy({
  topics_policy,
  mandatory_topics,
}: Pick<Values<typeof realmParams>, 'topics_policy' | 'mandatory_topics'>) {
  if (topics_policy !== undefined && mandatory_topics !== undefined) {
    throw errors.incompatibleParameters(['topics_policy', 'mandatory_topics']);
  }
  if (topics_policy !== undefined) return { topics_policy };
  if (mandatory_topics === undefined) return {};
  return { topics_policy: mandatory_topics ? 'disable_empty_topic' : 'allow_empty_topic' } as const;
}
