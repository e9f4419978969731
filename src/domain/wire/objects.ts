/**
 * The objects of the wire that events, snapshots and replies share, each once (specification,
 * "Resources and their fields"; reference/events-and-register.md section 4). They are strict: an
 * undeclared field is a mistake.
 */
import { z } from 'zod';
import {
  type ChannelPermissionName,
  type GroupPermissionName,
  SERVER_SUPPORTED_PERMISSION_SETTINGS,
} from './settings/permission-settings.ts';

/** The type of a value that code builds for a schema: the same fields, all of them readonly. */
export type Made<Schema extends z.ZodType> = DeepReadonly<z.input<Schema>>;
type DeepReadonly<T> = { readonly [Key in keyof T]: DeepReadonly<T[Key]> };

export const id = z.int();
export const ids = z.array(id);
/** UNIX seconds. */
export const timestamp = z.int().describe('UNIX seconds');
/** "Avatar URLs end with `?v=` and this value", the version (specification, "User"). */
export const avatarUrl = z
  .string()
  .regex(/\?v=\d+$/)
  .describe('From the root of the realm; ends in `?v=` and the version of the image');
export const avatarSource = z
  .enum(['G', 'U'])
  .describe('G: found by the address, or made of the id; U: uploaded');

export const avatarUrlOrNull = avatarUrl
  .nullable()
  .describe(
    'From the root of the realm; ends in `?v=` and the version of the image. Null: the client finds it by the real address',
  );
/** An id as the key of an object. */
export const idText = z.string().regex(/^-?\d+$/);

export const groupSettingValue = z
  .union([id, z.strictObject({ direct_members: ids, direct_subgroups: ids })])
  .meta({ id: 'GroupSettingValue', description: 'The id of a user group, or an unnamed group' });

/** Builds one key for each permission setting of a kind. */
const permissions = <Name extends string>(settings: Readonly<Record<Name, unknown>>) =>
  // The object has the keys of the table and no others; `fromEntries` loses them in its type.
  Object.fromEntries(Object.keys(settings).map((name) => [name, groupSettingValue])) as Record<
    Name,
    typeof groupSettingValue
  >;

export const channelPermissions = permissions<ChannelPermissionName>(
  SERVER_SUPPORTED_PERMISSION_SETTINGS.stream,
);
export const groupPermissions = permissions<GroupPermissionName>(
  SERVER_SUPPORTED_PERMISSION_SETTINGS.group,
);
export const realmPermissions = permissions(SERVER_SUPPORTED_PERMISSION_SETTINGS.realm);

export const topicsPolicy = z.enum([
  'inherit',
  'allow_empty_topic',
  'disable_empty_topic',
  'empty_topic_only',
]);
export type TopicsPolicy = z.infer<typeof topicsPolicy>;

const CHANNEL = {
  stream_id: id,
  name: z.string(),
  description: z.string(),
  rendered_description: z.string(),
  date_created: timestamp,
  creator_id: id.nullable(),
  invite_only: z.boolean(),
  is_web_public: z.boolean(),
  history_public_to_subscribers: z.boolean(),
  is_announcement_only: z.boolean().describe('Legacy: `stream_post_policy` is 2'),
  is_archived: z.boolean(),
  is_recently_active: z
    .boolean()
    .describe('Whether it was made, or anything was sent to it, in the last 180 days'),
  stream_post_policy: z
    .int()
    .describe('Legacy: 1 all, 2 administrators, 3 full members, 4 moderators'),
  message_retention_days: z.int().nullable().describe('Null: as the organization; -1: forever'),
  first_message_id: id.nullable(),
  stream_weekly_traffic: z
    .int()
    .nullable()
    .describe(
      'Messages in a week on average of the last 28 days, counted once a day; null: younger than a week',
    ),
  subscriber_count: z.int(),
  folder_id: id.nullable(),
  topics_policy: topicsPolicy,
  ...channelPermissions,
};

export const channel = z.strictObject(CHANNEL).meta({ id: 'Channel' });
export type ChannelObject = Made<typeof channel>;

/** Properties that subscribers set for themselves. */
export const personalProperties = {
  color: z.string().describe('`#rrggbb`'),
  is_muted: z.boolean(),
  in_home_view: z.boolean().describe('Legacy: not `is_muted`'),
  pin_to_top: z.boolean(),
  desktop_notifications: z.boolean().nullable().describe('Null: as the account, as in the next'),
  audible_notifications: z.boolean().nullable(),
  push_notifications: z.boolean().nullable(),
  email_notifications: z.boolean().nullable(),
  wildcard_mentions_notify: z.boolean().nullable(),
};

const SUBSCRIPTION = {
  ...CHANNEL,
  ...personalProperties,
  email_address: z
    .literal('')
    .optional()
    .describe('Legacy: only of servers that have an alias prefix'),
};

/** A subscription without the list of subscribers. */
const ownSubscription = z.strictObject(SUBSCRIPTION);
export type SubscriptionObject = Made<typeof ownSubscription>;

export const subscription = z
  .strictObject({ ...SUBSCRIPTION, subscribers: ids.describe('Active accounts, ascending') })
  .meta({ id: 'Subscription' });

export const channelFolder = z
  .strictObject({
    id,
    name: z.string(),
    description: z.string(),
    rendered_description: z.string(),
    order: z.int(),
    date_created: timestamp,
    creator_id: id.nullable(),
    is_archived: z.boolean(),
  })
  .meta({ id: 'ChannelFolder' });
export type ChannelFolder = Made<typeof channelFolder>;

export const reactionType = z.enum(['unicode_emoji', 'realm_emoji', 'service_extra_emoji']);
export type ReactionType = z.infer<typeof reactionType>;

/** An emoji, as reactions and statuses name it. */
export const emoji = {
  emoji_name: z.string(),
  emoji_code: z.string(),
  reaction_type: reactionType,
};

export const profileData = z.record(
  idText,
  z.strictObject({ value: z.string(), rendered_value: z.string().optional() }),
);

/** A user, except for the fields that differ between events and replies. */
export const userFields = {
  user_id: id,
  email: z.string().describe('For the API alone when the real address is hidden'),
  delivery_email: z.string().nullable().describe('The real address; null: hidden'),
  full_name: z.string(),
  date_joined: z.string().describe('ISO 8601'),
  is_owner: z.boolean(),
  is_admin: z.boolean(),
  is_guest: z.boolean(),
  is_bot: z.boolean(),
  bot_type: z
    .int()
    .nullable()
    .describe('1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded; null: no bot'),
  bot_owner_id: id.nullable(),
  role: z.int().describe('100 owner, 200 administrator, 300 moderator, 400 member, 600 guest'),
  timezone: z.string(),
  avatar_version: z.int().describe('Another one whenever the image may have changed'),
  is_system_bot: z.literal(true).optional(),
  profile_data: profileData.optional().describe('By id of the custom profile field'),
};

export const user = z
  .strictObject({
    ...userFields,
    is_active: z.boolean(),
    avatar_url: avatarUrlOrNull,
  })
  .meta({ id: 'User' });
export type UserObject = Made<typeof user>;

const botService = z.union([
  z.strictObject({ base_url: z.string(), interface: z.int(), token: z.string() }),
  z.strictObject({ service_name: z.string(), config_data: z.record(z.string(), z.string()) }),
]);

const BOT = {
  email: z.string(),
  full_name: z.string(),
  bot_type: z.int().nullable(),
  api_key: z.string(),
  avatar_url: avatarUrl,
  is_active: z.boolean(),
  owner_id: id.optional(),
  default_sending_stream: z.string().nullable(),
  default_events_register_stream: z.string().nullable(),
  default_all_public_streams: z.boolean(),
  services: z.array(botService),
};

export const bot = z.strictObject({ user_id: id, ...BOT }).meta({ id: 'Bot' });
export type BotObject = Made<typeof bot>;
export const botChange = z.strictObject(BOT).partial().extend({ user_id: id });

export const userGroup = z
  .strictObject({
    id,
    name: z.string(),
    description: z.string(),
    date_created: timestamp.nullable(),
    creator_id: id.nullable(),
    members: ids.describe('Direct and active'),
    direct_subgroup_ids: ids,
    is_system_group: z.boolean(),
    deactivated: z.boolean(),
    ...groupPermissions,
  })
  .meta({ id: 'UserGroup' });

/** Presence in the modern form. */
export const presence = z
  .strictObject({ active_timestamp: timestamp, idle_timestamp: timestamp })
  .meta({ id: 'Presence' });

export const legacyPresence = z
  .strictObject({
    client: z.literal('website'),
    status: z.enum(['active', 'idle']),
    timestamp,
    pushable: z.literal(false),
  })
  .meta({ id: 'LegacyPresence' });

const { pushable, ...aggregated } = legacyPresence.shape;

export const presences = z
  .record(
    z.string(),
    z.union([
      presence,
      z.strictObject({ aggregated: z.strictObject(aggregated), website: legacyPresence }),
    ]),
  )
  .describe('By user id in the modern form, by API email in the legacy one');

/** A status, with only the keys that are set. */
export const userStatus = z
  .strictObject({
    away: z.literal(true).optional().describe('Legacy: not `presence_enabled`'),
    status_text: z.string().optional(),
    emoji_name: z.string().optional(),
    emoji_code: z.string().optional(),
    reaction_type: reactionType.optional(),
  })
  .meta({ id: 'UserStatus' });
