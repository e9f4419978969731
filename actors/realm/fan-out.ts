import type { AnyActorRef } from 'xstate';
import type { LogEntry } from '../../src/domain/wire/events/log-entry.ts';
import type { Consumer } from '../../src/events/delivery.ts';
import type { RealmRecord } from '../../src/metrics/recorders.ts';
import type { RealmReader } from '../../storage/transaction.ts';
import type { Channel } from '../channel/channel.ts';
import type { Clock } from '../clock.ts';
import { connect, disconnect, resume } from '../event-queue/delivery.ts';
import { forgetChanges } from '../event-queue/listeners.ts';
import { openLogTail } from '../event-queue/log-tail.ts';
import type { AttachedQueue } from '../event-queue/queue.ts';
import { join, leave, openAudiences } from './audiences.ts';
import { type Broadcasting, broadcast } from './broadcast.ts';

/**
 * Delivers the log of a realm to its queues. Each queue has three phases: it catches up from its
 * position, reaches the announced head, and from then on is live: events are broadcast to it.
 */
export interface FanOut {
  /** Everything up to here was broadcast: live queues were delivered it, or have it pending. */
  head(): number;
  /** Delivers the events of one commit, in order. */
  broadcast(entries: readonly LogEntry[]): void;
  /** Puts an attached queue into the audiences that its owner is in. */
  join(queue: AttachedQueue): void;
  leave(queue: AttachedQueue): void;
  /** Gives a queue a consumer, which has everything up to `position`, and catches up. */
  connect(
    queue: AttachedQueue,
    start: { consumer: Consumer; position: number | 'where it was' },
  ): void;
  /** Takes the queue's consumer away: it has gone, or no longer waits. */
  disconnect(queue: AttachedQueue): void;
  /** Goes on with a consumer that can take more, or was told to look again. */
  resume(queue: AttachedQueue): void;
  /** Sets the time (UNIX ms) that is noted of consumers which come and go from now on. */
  tick(now: number): void;
  /** Drops what is only needed for events up to here, as the log no longer has them. */
  forget(eventId: number): void;
  attached(): Iterable<AttachedQueue>;
  attachedCount(): number;
  /** Returns the channels that somebody listens to. */
  channels(): Iterable<Channel>;
}

interface FanOutInput {
  readonly reader: RealmReader;
  readonly clock: Clock;
  /** The realm's actor. */
  readonly owner: AnyActorRef;
  readonly record: RealmRecord;
  readonly head: number;
  readonly isHeartbeatDue: (queue: AttachedQueue) => boolean;
}

export function openFanOut(input: FanOutInput): FanOut {
  const { reader, clock, owner, record, head, isHeartbeatDue } = input;
  const tail = openLogTail({ reader, record, head, now: clock.now() });
  const audiences = openAudiences({ owner, tail });
  const now = () => clock.now();
  const state: Broadcasting = { audiences, open: new Set(), now, isHeartbeatDue };
  return {
    head: () => tail.head,
    broadcast: (entries) => broadcast(state, entries),
    join: (queue) => join(audiences, queue),
    leave: (queue) => leave(audiences, queue),
    connect: (queue, start) => connect(tail, queue, start),
    disconnect: (queue) => disconnect(tail, queue),
    resume: (queue) => resume(tail, queue),
    tick(now) {
      tail.now = now;
    },
    forget(eventId) {
      for (const listener of audiences.listeners.values()) forgetChanges(listener, eventId);
    },
    attached: () => audiences.attached,
    attachedCount: () => audiences.attached.size,
    channels: () => audiences.channels.values(),
  };
}
