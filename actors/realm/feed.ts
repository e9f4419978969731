import type { AnyActorRef } from 'xstate';
import type { LogEntry } from '../../src/domain/wire/events/log-entry.ts';
import type { Consumer } from '../../src/events/delivery.ts';
import type { RealmReader } from '../../storage/transaction.ts';
import type { Clock } from '../clock.ts';
import { eventGroup } from '../event-queue/event-group.ts';
import { forgetChanges } from '../event-queue/listeners.ts';
import type { EventQueue } from '../event-queue/queue.ts';
import { recentEvents } from '../event-queue/recent-events.ts';
import { announce } from './announcing.ts';
import { join, leave } from './audience.ts';
import type { FeedState } from './feed-state.ts';
import { feed, resume, stop } from './feeding.ts';

/**
 * Hands the log of a realm to its queues. In three phases, for each queue on its own: it catches up from its position,
 * reaches the announced head, and from then on is live and handed what is announced.
 */
export interface Feed {
  /** Everything up to here has been announced: live queues have been handed it, or have it pending. */
  head(): number;
  /** Events of one commit, in order. */
  announce(entries: readonly LogEntry[]): void;
  /** The queue is attached: it hears of what its owner hears of. */
  join(queue: EventQueue): void;
  leave(queue: EventQueue): void;
  /** Gives an attached queue a consumer, which has everything up to `position`, and brings it up to date. */
  feed(queue: EventQueue, start: { consumer: Consumer; position: number | 'where it was' }): void;
  /** Its consumer is gone, or waits no more. */
  stop(queue: EventQueue): void;
  /** The consumer can take more, or has been told to look again. */
  resume(queue: EventQueue): void;
  /** Consumers that come and go from now on are said to have done so at this time, in UNIX ms. */
  tick(now: number): void;
  /** The log has been trimmed up to here: nobody will ask how things stood before. */
  forget(eventId: number): void;
  attached(): Iterable<EventQueue>;
}

interface FeedInput {
  readonly reader: RealmReader;
  readonly clock: Clock;
  readonly owner: AnyActorRef;
  readonly head: number;
  readonly isHeartbeatDue: (queue: EventQueue) => boolean;
}

export function openFeed(input: FeedInput): Feed {
  const state: FeedState = {
    ...input,
    now: input.clock.now(),
    recent: recentEvents(),
    listeners: new Map(),
    channels: new Map(),
    attached: new Set(),
    publicQueues: new Set(),
    openGroups: new Map(),
    singles: new Map(),
    caughtUp: eventGroup(),
    dirty: [],
    isHandingOut: false,
  };
  return {
    head: () => state.head,
    announce: (entries) => announce(state, entries),
    join: (queue) => join(state, queue),
    leave: (queue) => leave(state, queue),
    feed: (queue, start) => feed(state, queue, start),
    stop: (queue) => stop(state, queue),
    resume: (queue) => resume(state, queue),
    tick(now) {
      state.now = now;
    },
    forget(eventId) {
      for (const listener of state.listeners.values()) forgetChanges(listener, eventId);
    },
    attached: () => state.attached,
  };
}
