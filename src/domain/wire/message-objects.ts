/**
 * Messages and what belongs to them, as events, snapshots and replies have them (specification,
 * "Resources and their fields"; reference/events-and-register.md section 4).
 */
import { z } from 'zod';
import { EDITABLE_FLAGS, FLAG_NAMES } from './flags.ts';
import { avatarUrl, avatarUrlOrNull, emoji, id, ids, type Made, timestamp } from './objects.ts';

export const flag = z.enum(FLAG_NAMES);
export const editableFlag = z.enum(EDITABLE_FLAGS);

export const reactor = z.strictObject({ user_id: id, email: z.string(), full_name: z.string() });
export type Reactor = Made<typeof reactor>;

const reaction = z
  .strictObject({
    ...emoji,
    user_id: id,
    user: reactor.optional().describe('Legacy: only of servers that have an alias prefix'),
  })
  .meta({ id: 'Reaction' });
export type Reaction = Made<typeof reaction>;

const submessage = z
  .strictObject({
    id,
    message_id: id,
    sender_id: id,
    msg_type: z.string(),
    content: z.string(),
  })
  .meta({ id: 'Submessage' });
export type Submessage = Made<typeof submessage>;

export const topicLink = z.strictObject({ text: z.string(), url: z.string() });

const recipient = z.strictObject({
  id,
  email: z.string(),
  full_name: z.string(),
  is_mirror_dummy: z.boolean(),
});

const MESSAGE = {
  id,
  sender_id: id,
  sender_full_name: z.string(),
  sender_email: z.string(),
  sender_realm_str: z.string(),
  client: z.string(),
  timestamp,
  type: z.enum(['stream', 'private']),
  stream_id: id.optional().describe('Of a channel message'),
  recipient_id: id,
  display_recipient: z.union([z.string(), z.array(recipient)]),
  subject: z.string().describe('The topic; empty for a direct message'),
  topic_links: z.array(topicLink),
  is_me_message: z.boolean(),
  reactions: z.array(reaction),
  submessages: z.array(submessage),
};

/** Data that a client which has forgotten a message needs in order to count it as unread. */
export const unreadMessage = z.union([
  z.strictObject({
    type: z.literal('private'),
    mentioned: z.literal(true).optional(),
    user_ids: ids.describe('The others'),
  }),
  z.strictObject({
    type: z.literal('stream'),
    mentioned: z.literal(true).optional(),
    stream_id: id,
    topic: z.string(),
    unmuted_stream_msg: z.boolean(),
  }),
]);
export type UnreadMessage = Made<typeof unreadMessage>;

/** Fields of a message that every client gets. */
const messageFields = {
  ...MESSAGE,
  content: z.string().describe('HTML or Markdown, as `content_type` says'),
  content_type: z.enum(['text/html', 'text/x-markdown']),
  avatar_url: avatarUrlOrNull,
};

export const message = z.strictObject(messageFields).meta({ id: 'Message' });

/**
 * The body of a call to a bot's server when its trigger matches (specification, "POST
 * /service-outgoing-webhook").
 */
export const webhookCall = z
  .strictObject({
    bot_email: z.string(),
    bot_full_name: z.string(),
    data: z.string().describe('The message as it was written: Markdown'),
    trigger: z.enum(['direct_message', 'mention']),
    token: z.string().describe('Always the same for a bot: by it you know who calls'),
    message: z.strictObject({
      ...messageFields,
      avatar_url: avatarUrl.describe('Absolute; ends in `?v=` and the version of the image'),
      rendered_content: z.string().describe('HTML'),
    }),
  })
  .meta({ id: 'WebhookCall' });

/** The answer of a bot's server; other fields mean nothing. */
export const webhookAnswer = z
  .object({
    response_not_required: z.boolean().optional().describe('True: the bot says nothing'),
    response_string: z.string().optional().describe('The older name of `content`'),
    content: z.string().optional().describe('What the bot says: Markdown'),
  })
  .meta({ id: 'WebhookAnswer' });

const editEntry = z
  .strictObject({
    user_id: id.nullable(),
    timestamp,
    prev_content: z.string().optional(),
    prev_rendered_content: z.string().optional(),
    prev_stream: id.optional(),
    stream: id.optional(),
    prev_topic: z.string().optional(),
    topic: z.string().optional(),
  })
  .meta({ id: 'EditEntry' });

/** A message in a list. */
export const listedMessage = z
  .strictObject({
    ...messageFields,
    flags: z.array(flag).describe('Of who asks'),
    last_edit_timestamp: timestamp.optional(),
    last_moved_timestamp: timestamp.optional(),
    edit_history: z.array(editEntry).optional().describe('Newest first'),
    match_content: z.string().optional().describe('HTML, with what was searched for marked'),
    match_subject: z.string().optional().describe('HTML, with what was searched for marked'),
  })
  .meta({ id: 'ListedMessage' });

/**
 * A message as the log stores it: both contents, and whether a client may compute the avatar
 * itself.
 */
export const richMessage = z.strictObject({
  ...MESSAGE,
  content: z.string(),
  rendered_content: z.string(),
  avatar_url: avatarUrl,
  uses_gravatar: z.boolean(),
});
export type RichMessage = Made<typeof richMessage>;
