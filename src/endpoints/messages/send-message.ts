import { z } from 'zod';
import { LOCAL_ID_LENGTH_MAX } from '../../domain/limits/requests.ts';
import { widget } from '../../domain/rules/messages/widgets.ts';
import { isReadBySender } from '../../domain/wire/client-names.ts';
import * as errors from '../../domain/wire/errors.ts';
import * as sending from '../../operations/posting/sending.ts';
import { endpoint, type ParsedRequest } from '../endpoint.ts';
import { alsoNamed, boolean, json, meaning, oneOf, text } from '../params.ts';
import { anyUser } from '../permissions.ts';
import { EVENTS_OF_SENDING } from './events-of-sending.ts';

const recipients = meaning(
  text,
  z
    .union([z.string(), z.int(), z.array(z.string()), z.array(z.int())])
    .describe(
      'The name or the id of a channel; or users, by a list of ids or of API email addresses',
    ),
);

const params = {
  type: oneOf(['direct', 'channel', 'stream', 'private']),
  to: recipients.optional(),
  content: text,
  topic: alsoNamed(text.optional(), 'subject').describe('Of a channel message'),
  queue_id: text.optional().describe('For local echo: the queue of the sending client'),
  local_id: text
    .max(LOCAL_ID_LENGTH_MAX, 'is too long')
    .optional()
    .describe('Comes back with the event in the queue `queue_id`'),
  read_by_sender: boolean.optional(),
  widget_content: json(
    z.unknown().transform((value, context) => {
      const given = widget.safeParse(value);
      if (given.success) return given.data;
      context.addIssue({ code: 'custom', message: 'is not a widget' });
      return z.NEVER;
    }),
  )
    .optional()
    .describe('A poll or a list of tasks, as the first submessage of such a message has it'),
  forged: boolean.optional().describe('Refused, as the next two: nobody writes for others'),
  sender: text.optional(),
  time: text.optional(),
};

export const sendMessage = endpoint({
  summary: 'Send a message',
  method: 'POST',
  path: '/messages',
  rate: 'send',
  allow: anyUser,
  forSenders: true,
  params,
  headers: {
    'Idempotency-Key':
      'Text of your own. A repeat with the same one, within a day, is answered with the id of the first and sends nothing.',
  },
  reply: {
    id: z.int(),
    automatic_new_visibility_policy: z
      .union([z.literal(2), z.literal(3)])
      .optional()
      .describe('2 unmuted, 3 followed: what the topic has become for the sender by sending'),
  },
  refuses: [
    'BAD_REQUEST',
    'STREAM_DOES_NOT_EXIST',
    'STREAM_WILDCARD_MENTION_NOT_ALLOWED',
    'TOPIC_WILDCARD_MENTION_NOT_ALLOWED',
  ],
  emits: EVENTS_OF_SENDING,
  change: (tx, request) => {
    const { type, to, topic, content, read_by_sender, widget_content } = request.params;
    refuseForgery(request.params);
    return sending.send(tx, request, {
      type,
      to,
      topic,
      content,
      isReadBySender:
        read_by_sender ?? isReadBySender(request.client, request.site.settings.aliasPrefix),
      widget: widget_content,
      origin: originOf(request.params),
      repeatKeys: repeatKeys(request),
    });
  },
});

type SendRequest = ParsedRequest<typeof params>;

/**
 * "Only for users with the forge permission; otherwise BR" (reference/endpoints.md 1.1). No user
 * has it.
 */
function refuseForgery({ forged, sender, time }: SendRequest['params']) {
  if (forged === true || sender !== undefined || time !== undefined) {
    throw errors.badRequest('User not authorized for this query');
  }
}

/**
 * Returns the origin for local echo: `queue_id` names the sending client's queue, and then
 * `local_id` is required (specification).
 */
function originOf({ queue_id, local_id }: SendRequest['params']) {
  if (queue_id === undefined) return undefined;
  if (local_id === undefined) throw errors.badRequest('local_id is required with queue_id');
  return { queueId: queue_id, localId: local_id };
}

/**
 * Returns the keys by which a repeat of the same send is recognized: its header, or the client's id
 * on its queue.
 */
function repeatKeys({ idempotencyKey, params: { queue_id, local_id } }: SendRequest): string[] {
  const keys: string[] = [];
  if (idempotencyKey !== null) keys.push(`key:${idempotencyKey}`);
  if (queue_id !== undefined && local_id !== undefined) keys.push(`local:${queue_id}:${local_id}`);
  return keys;
}
