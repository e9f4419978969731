import { z } from 'zod';
import { isReadBySender } from '../../domain/client-names.ts';
import * as errors from '../../domain/errors.ts';
import { LOCAL_ID_LENGTH_MAX } from '../../domain/limits.ts';
import { destinationOf } from '../../operations/destinations.ts';
import * as messages from '../../operations/messages.ts';
import { type Asked, endpoint } from '../endpoint.ts';
import { alsoNamed, boolean, meaning, oneOf, text } from '../params.ts';
import { anyUser } from '../permissions.ts';

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
  topic: alsoNamed(text.optional(), 'subject'),
  queue_id: text.optional(),
  local_id: text.max(LOCAL_ID_LENGTH_MAX, 'is too long').optional(),
  read_by_sender: boolean.optional(),
};

export const sendMessage = endpoint({
  summary: 'Send a message',
  method: 'POST',
  path: '/messages',
  allow: anyUser,
  params,
  headers: {
    'Idempotency-Key':
      'Text of your own. A repeat with the same one, within a day, is answered with the id of the first and sends nothing.',
  },
  reply: { id: z.int() },
  refuses: ['BAD_REQUEST', 'STREAM_DOES_NOT_EXIST', 'STREAM_WILDCARD_MENTION_NOT_ALLOWED'],
  emits: ['message', 'stream'],
  change: (tx, asked) => {
    const { type, to, topic, content, read_by_sender } = asked.params;
    return messages.send(tx, asked, {
      destination: destinationOf(tx, asked, { type, to, topic }),
      content,
      isReadBySender: read_by_sender ?? isReadBySender(asked.client, asked.place.aliasPrefix),
      origin: originOf(asked.params),
      repeatKeys: repeatKeys(asked),
    });
  },
});

type AskedSend = Asked<typeof params>;

/** For local echo: `queue_id` names the sending client's queue, and then `local_id` is required (specification). */
function originOf({ queue_id, local_id }: AskedSend['params']) {
  if (queue_id === undefined) return undefined;
  if (local_id === undefined) throw errors.badRequest('local_id is required with queue_id');
  return { queueId: queue_id, localId: local_id };
}

/** A repeat of the same send is recognized by its header, or by what the client called it on its queue. */
function repeatKeys({ idempotencyKey, params: { queue_id, local_id } }: AskedSend): string[] {
  const keys: string[] = [];
  if (idempotencyKey !== null) keys.push(`key:${idempotencyKey}`);
  if (queue_id !== undefined && local_id !== undefined) keys.push(`local:${queue_id}:${local_id}`);
  return keys;
}
