import { z } from 'zod';
import * as errors from '../../domain/wire/errors.ts';
import type { Consumer } from '../../events/delivery.ts';
import { anyEvent } from '../../events/events.ts';
import { endpoint } from '../endpoint.ts';
import { boolean, integer, text } from '../params.ts';
import { anyUser } from '../permissions.ts';
import { attachmentError } from './attachment.ts';

/** Everybody who may log in may wait. */
export const mayWait = anyUser;

export const getEvents = endpoint({
  summary: 'Wait for the events of a queue',
  method: 'GET',
  path: '/events',
  rate: 'poll',
  allow: mayWait,
  params: {
    queue_id: text.optional(),
    last_event_id: integer.optional(),
    dont_block: boolean.default(false),
  },
  reply: { queue_id: z.string(), events: z.array(anyEvent).describe('Ascending by `id`') },
  // An event of a bot has the tokens of its services.
  holdsSecret: true,
  refuses: ['BAD_REQUEST', 'BAD_EVENT_QUEUE_ID'],
  emits: ['heartbeat'],
  exchange({ params, user }, { realm, transport, answer, refuse }) {
    const { queue_id: queueId, last_event_id: lastEventId, dont_block } = params;
    if (queueId === undefined) throw errors.badRequest("Missing 'queue_id' argument");
    if (lastEventId === undefined) throw errors.badRequest("Missing 'last_event_id' argument");
    const { queues } = realm;
    const queue = queues.find(queueId, user.id);
    if (queue === undefined) throw errors.badEventQueueId(queueId);
    const parked = transport.canPark ? transport.park({ queues, queue }) : asReply(queueId, answer);
    const attachment = queues.attach(queue, lastEventId, parked);
    if (attachment !== 'attached') return refuse(attachmentError(attachment, queueId, lastEventId));
    if (!queues.isWaiting(queueId, parked)) return; // answered already
    // A socket has nothing to park: it hears of events by itself.
    if (dont_block || !transport.canPark)
      queues.whenCaughtUp(queueId, parked, () => parked.replaced());
  },
});

/** Makes a consumer that takes one run of events as the answer of an ordinary request. */
function asReply(
  queueId: string,
  answer: (body: Readonly<Record<string, unknown>>) => void,
): Consumer {
  let isAnswered = false;
  const reply = (events: string) => {
    if (!isAnswered) answer({ events: JSON.parse(`[${events}]`), queue_id: queueId });
    isAnswered = true;
  };
  return {
    takesOne: true,
    deliver(run) {
      reply(run.json());
      return 'taken';
    },
    replaced: () => reply(''),
    ended: () => reply(''),
    stopping: () => reply(''),
  };
}
