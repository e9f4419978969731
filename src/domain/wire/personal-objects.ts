/**
 * Objects that belong to one account, and that only this account gets: its files, texts for later,
 * and settings.
 */
import { z } from 'zod';
import { ADDRESS_CLASSES } from './address-class.ts';
import { KEY_MAKERS } from './key-makers.ts';
import { id, ids, type Made, timestamp } from './objects.ts';
import {
  USER_SETTING_NAMES,
  USER_SETTINGS,
  type UserSettingDescription,
  type UserSettingName,
} from './settings/user-settings.ts';

const attachmentFields = {
  id,
  name: z.string(),
  path_id: z.string().describe('Its URL is `/user_uploads/` and this'),
  size: z.int().describe('Bytes'),
  create_time: z.int().describe('UNIX milliseconds'),
  messages: z
    .array(z.strictObject({ id, date_sent: z.int().describe('UNIX milliseconds') }))
    .describe('That link it'),
};

/** A file that no message refers to any more, in the shape of `attachment`. */
export const detachedUpload = z.strictObject(attachmentFields).meta({ id: 'DetachedUpload' });

/** An uploaded file. */
export const attachment = z.strictObject(attachmentFields).meta({ id: 'Attachment' });
export type Attachment = Made<typeof attachment>;

/** An API key, identified by a name that is not secret. */
export const apiKey = z
  .strictObject({
    id: z.string().describe('Not the key, nor of any use in place of it'),
    created_at: timestamp,
    made_by: z
      .enum(KEY_MAKERS)
      .nullable()
      .describe(
        'A log-in, a command of the operator, the creation of a bot, a request for a key in place of all others, one for a further key of a bot, or a token of another service; null: not known',
      ),
    is_current: z.boolean().describe('Whether this request was made with it'),
    last_used_at: timestamp.nullable().describe('Null: not since keys are watched'),
    client: z.string().nullable().describe('As it called itself then'),
    address_class: z
      .enum(ADDRESS_CLASSES)
      .nullable()
      .describe('Of the address that it was used at'),
  })
  .meta({ id: 'ApiKey' });
export type ApiKeyObject = Made<typeof apiKey>;

/** A passkey, without its key. */
export const passkey = z
  .strictObject({
    id: z.string().describe('The credential id of WebAuthn, in base64url'),
    name: z.string(),
    added_at: timestamp,
    last_used_at: timestamp.nullable().describe('Of the last log-in by it'),
  })
  .meta({ id: 'Passkey' });

/** A session of a browser, identified by a name that is not secret. */
export const session = z
  .strictObject({
    id: z.string().describe('Not the secret of the cookie, nor of any use in place of it'),
    created_at: timestamp,
    expires_at: timestamp.describe('If it is not used again'),
    is_current: z.boolean().describe('Whether this request was made in it'),
    last_used_at: timestamp,
    client: z
      .string()
      .describe(
        'The browser and the system that logged in, such as `Firefox on Linux`; may be empty',
      ),
    address_class: z
      .enum(ADDRESS_CLASSES)
      .nullable()
      .describe('Of the address that it was used at'),
  })
  .meta({ id: 'Session' });
export type SessionObject = Made<typeof session>;

/** A browser or a telephone that gets pushes, identified by a name that is not secret. */
export const pushReceiver = z
  .strictObject({
    id: z
      .string()
      .describe(
        "The first 16 hexadecimal digits of the SHA-256 of the token, of the browser's address, or of `push_account_id`",
      ),
    kind: z.enum(['web', 'apns', 'fcm']).describe('A browser, an iOS device, or an Android device'),
    service: z
      .string()
      .nullable()
      .describe("The host of the browser's push service; null for telephones"),
    app_id: z.string().nullable().describe('Of the program on an iOS device, if it has said it'),
    is_encrypted: z.boolean().describe('Whether the device alone can read its pushes'),
    status: z
      .enum(['pending', 'active'])
      .describe('`pending`: the push bouncer has not answered its registration yet'),
    is_reached: z
      .boolean()
      .describe('False if the server has neither a key for such devices nor a bouncer'),
  })
  .meta({ id: 'PushReceiver' });
export type PushReceiverObject = Made<typeof pushReceiver>;

export const draft = z
  .strictObject({
    id,
    type: z.enum(['', 'private', 'stream']),
    to: ids,
    topic: z.string(),
    content: z.string(),
    timestamp,
  })
  .meta({ id: 'Draft' });
export type Draft = Made<typeof draft>;

export const scheduledMessage = z
  .strictObject({
    scheduled_message_id: id,
    type: z.enum(['private', 'stream']),
    to: z.union([ids, id]).describe('Users of a direct message, or the channel'),
    topic: z.string().optional().describe('Of a channel message'),
    content: z.string(),
    rendered_content: z.string(),
    scheduled_delivery_timestamp: timestamp,
    failed: z.boolean(),
    failure_reason: z.string().optional().describe('Why it could not be sent, in words'),
  })
  .meta({ id: 'ScheduledMessage' });
export type ScheduledMessage = z.infer<typeof scheduledMessage>;

export const reminder = z
  .strictObject({
    reminder_id: id,
    type: z.literal('private'),
    to: ids,
    content: z.string(),
    rendered_content: z.string(),
    scheduled_delivery_timestamp: timestamp,
    failed: z.boolean(),
    reminder_target_message_id: id,
  })
  .meta({ id: 'Reminder' });
export type Reminder = z.infer<typeof reminder>;

export const savedSnippet = z
  .strictObject({ id, title: z.string(), content: z.string(), date_created: timestamp })
  .meta({ id: 'SavedSnippet' });
export type SavedSnippet = Made<typeof savedSnippet>;

export const navigationView = z
  .strictObject({ fragment: z.string(), is_pinned: z.boolean(), name: z.string().nullable() })
  .meta({ id: 'NavigationView' });
export type NavigationViewObject = Made<typeof navigationView>;

export const onboardingStep = z.strictObject({
  type: z.enum(['one_time_notice', 'one_time_action']),
  name: z.string(),
});

export const mutedTopic = z.tuple([z.string(), z.string(), timestamp]);
export const userTopic = z.strictObject({
  stream_id: id,
  topic_name: z.string(),
  last_updated: timestamp,
  visibility_policy: z.int().min(0).max(3).describe('0 none, 1 muted, 2 unmuted, 3 followed'),
});
export const mutedUser = z.strictObject({ id, timestamp });

/** Schemas of the values of each personal setting. */
export const userSettings = Object.fromEntries(
  USER_SETTING_NAMES.map((name) => [name, userSetting(USER_SETTINGS[name])]),
  // It is built from the table whose keys are the names.
) as Readonly<Record<UserSettingName, z.ZodType<boolean | number | string>>>;

function userSetting({
  default: value,
  values,
  min,
  max,
}: UserSettingDescription): z.ZodType<boolean | number | string> {
  if (typeof value === 'boolean') return z.boolean();
  if (values !== undefined) return z.literal([...values]);
  if (typeof value === 'string') return z.string();
  return z
    .int()
    .min(min ?? Number.MIN_SAFE_INTEGER)
    .max(max ?? Number.MAX_SAFE_INTEGER);
}
