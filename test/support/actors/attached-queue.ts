import { type AnyActorRef, createActor, createMachine } from 'xstate';
import {
  type AttachedQueue,
  openQueue,
  type QueueOwner,
  startQueue,
} from '../../../actors/event-queue/queue.ts';
import { openQueueKinds } from '../../../actors/event-queue/queue-kinds.ts';
import type { QueueOptions } from '../../../src/domain/wire/events/queue-options.ts';
import { queueOptions } from './listening.ts';

/** Starts an actor that stands for a realm's, whose children channels and queues are. */
export function startRealmActor(onEvent: (type: string) => void = () => undefined): AnyActorRef {
  const actions = ({ event }: { event: { type: string } }) => onEvent(event.type);
  return createActor(createMachine({ id: 'realm', on: { '*': { actions } } })).start();
}

interface QueueInput {
  readonly actor: AnyActorRef;
  readonly userId: number;
  readonly options?: Partial<QueueOptions>;
  /** The event at which it begins; by default before all. */
  readonly startedAt?: number;
  readonly leave?: QueueOwner['leave'];
}

const kinds = openQueueKinds();

/** Starts the actor of a queue, which is in no audience and has no consumer yet. */
export function startTestQueue(id: string, input: QueueInput): AttachedQueue {
  const { actor, userId, options = {}, startedAt = 0, leave = () => undefined } = input;
  const row = { userId, options: queueOptions(options), startedAt, acknowledged: startedAt };
  const record = openQueue(id, row, { kind: kinds.of(row.options), now: 0 });
  return startQueue(record, { actor, now: () => 0, leave, putAside: () => undefined });
}
