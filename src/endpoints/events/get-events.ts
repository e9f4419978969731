import { z } from 'zod';
import type { EventQueue } from '../../../actors/event-queue.ts';
import type { Attachment } from '../../../actors/realm/positions.ts';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import * as errors from '../../domain/errors.ts';
import type { Consumer } from '../../events/delivery.ts';
import { anyEvent } from '../../events/events.ts';
import { endpoint } from '../endpoint.ts';
import { boolean, integer, text } from '../params.ts';
import { anyUser } from '../permissions.ts';
import { attachmentError } from './attachment.ts';

/** Whoever may log in. */
export const mayWait = anyUser;

export const getEvents = endpoint({
  summary: 'Wait for the events of a queue',
  method: 'GET',
  path: '/events',
  allow: mayWait,
  params: {
    queue_id: text.optional(),
    last_event_id: integer.optional(),
    dont_block: boolean.default(false),
  },
  reply: { queue_id: z.string(), events: z.array(anyEvent).describe('Ascending by `id`') },
  refuses: ['BAD_REQUEST', 'BAD_EVENT_QUEUE_ID'],
  emits: ['heartbeat'],
  exchange({ params, user }, { realm, transport, answer, refuse }) {
    const { queue_id: queueId, last_event_id: lastEventId, dont_block } = params;
    if (queueId === undefined) throw errors.badRequest("Missing 'queue_id' argument");
    if (lastEventId === undefined) throw errors.badRequest("Missing 'last_event_id' argument");
    const queue = realm.queues.find(queueId, user.id);
    if (queue === undefined) throw errors.badEventQueueId(queueId);
    const parked = transport.canPark ? transport.park(queueId) : asReply(queueId, answer);
    const attachment = waitFor({ realm, queue, lastEventId, parked, request: transport });
    if (attachment !== 'attached') return refuse(attachmentError(attachment, queueId, lastEventId));
    if (queue.consumer !== parked) return; // answered already
    // A socket has nothing to park: it hears of events by itself.
    if (dont_block || !transport.canPark)
      realm.queues.whenCaughtUp(queue, parked, () => parked.replaced());
  },
});

interface Wait {
  readonly realm: Realm;
  readonly queue: EventQueue;
  readonly lastEventId: number;
  /** What waits for the request. */
  readonly parked: Consumer;
  readonly request: { onGone(callback: () => void): void };
}

/** Has the queue answer the request as soon as it can, unless there is a reason against it, which is returned. */
export function waitFor({ realm, queue, lastEventId, parked, request }: Wait): Attachment {
  const attachment = realm.queues.attach(queue, lastEventId, parked);
  // Nobody who has his answer is waited for.
  if (queue.consumer === parked) request.onGone(() => realm.queues.consumerGone(queue, parked));
  return attachment;
}

/** Takes one run of events as the answer of an ordinary request. */
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
