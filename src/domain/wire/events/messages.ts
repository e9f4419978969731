import { z } from 'zod';
import * as messageObjects from '../message-objects.ts';
import * as objects from '../objects.ts';
import { event, eventOf, exactlyOne, type Fields, has, together } from './event.ts';

const { id, ids, timestamp } = objects;

/** A channel message has a channel and a topic, a direct one has neither. */
const placed = (event: Fields) =>
  ['stream_id', 'topic'].every((name) => has(event, name) === (event['message_type'] === 'stream'));

export const MESSAGES = {
  message: event('message', { message: messageObjects.richMessage }),
  update_message: event('update_message', {
    user_id: id.nullable().describe('Null: the server, which rendered the message anew'),
    edit_timestamp: timestamp,
    message_id: id,
    message_ids: ids.describe('Ascending; `message_id` among them'),
    flags: z.array(messageObjects.flag).describe('Of `message_id`'),
    rendering_only: z.boolean(),
    stream_id: id.optional().describe('Of channel messages: where they were'),
    stream_name: z.string().optional(),
    orig_content: z.string().optional(),
    orig_rendered_content: z.string().optional(),
    content: z.string().optional(),
    rendered_content: z.string().optional(),
    is_me_message: z.boolean().optional(),
    subject: z.string().optional().describe('The new topic'),
    topic_links: z.array(messageObjects.topicLink).optional(),
    orig_subject: z.string().optional(),
    propagate_mode: z.enum(['change_one', 'change_later', 'change_all']).optional(),
    new_stream_id: id.optional(),
  })
    .refine(together('content', 'rendered_content'), 'has one content of two')
    .refine(together('subject', 'topic_links'), 'has a topic without its links, or the reverse')
    .refine(together('orig_subject', 'propagate_mode'), 'moves messages by half'),
  delete_message: event('delete_message', {
    message_type: z.enum(['private', 'stream']),
    message_ids: ids.optional().describe('Ascending; with `bulk_message_deletion`'),
    message_id: id.optional().describe('Without'),
    stream_id: id.optional(),
    topic: z.string().optional(),
  })
    .refine(exactlyOne('message_id', 'message_ids'), 'names messages in no form or in both')
    .refine(placed, 'has the place of another type of message'),
  'update_message_flags add': eventOf('update_message_flags', 'add', {
    operation: z.literal('add').describe('Legacy: as `op`'),
    flag: messageObjects.editableFlag,
    messages: ids,
    all: z.boolean().describe('Everything is read; then `messages` is empty'),
  }),
  'update_message_flags remove': eventOf('update_message_flags', 'remove', {
    operation: z.literal('remove').describe('Legacy: as `op`'),
    flag: messageObjects.editableFlag,
    messages: ids,
    all: z.literal(false),
    message_details: z
      .record(objects.idText, messageObjects.unreadMessage)
      .optional()
      .describe('With the flag `read`, by message id'),
  }).refine(
    ({ flag, message_details }) => (flag === 'read') === (message_details !== undefined),
    'has details exactly when it is about `read`',
  ),
} as const;

const REACTION = {
  message_id: id,
  user_id: id,
  ...objects.emoji,
  user: messageObjects.reactor.describe('Deprecated'),
};

const SOMEONE = z.strictObject({ user_id: id, email: z.string() });

const TYPING = {
  message_type: z.enum(['direct', 'stream']),
  sender: SOMEONE,
  recipients: z.array(SOMEONE).optional().describe('Of a direct message, with the sender'),
  stream_id: id.optional(),
  topic: z.string().optional(),
};
const isTypingSomewhere = (typing: Fields) =>
  placed(typing) && has(typing, 'recipients') === (typing['message_type'] === 'direct');
const NO_PLACE = 'has the place of another type of message';

const TYPING_EDIT = {
  sender_id: id,
  message_id: id,
  recipient: z.union([
    z.strictObject({ type: z.literal('direct'), user_ids: ids }),
    z.strictObject({ type: z.literal('channel'), channel_id: id, topic: z.string() }),
  ]),
};

/** Events about messages besides their own: reactions, submessages, typing and the like. */
export const AROUND_MESSAGES = {
  'reaction add': eventOf('reaction', 'add', REACTION),
  'reaction remove': eventOf('reaction', 'remove', REACTION),
  submessage: event('submessage', {
    message_id: id,
    submessage_id: id,
    sender_id: id,
    msg_type: z.string(),
    content: z.string(),
  }),
  'typing start': eventOf('typing', 'start', TYPING).refine(isTypingSomewhere, NO_PLACE),
  'typing stop': eventOf('typing', 'stop', TYPING).refine(isTypingSomewhere, NO_PLACE),
  'typing_edit_message start': eventOf('typing_edit_message', 'start', TYPING_EDIT),
  'typing_edit_message stop': eventOf('typing_edit_message', 'stop', TYPING_EDIT),
} as const;
