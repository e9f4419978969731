import { type ActorRefFrom, setup } from 'xstate';
import type { QueueNarrowMessage } from '../src/domain/narrow.ts';
import type { QueueOptions } from '../src/domain/queue-options.ts';
import type { Consumer } from '../src/events/delivery.ts';
import type { Form } from '../src/events/for-client.ts';
import type { EventGroup } from './realm/event-group.ts';
import type { Listener } from './realm/listeners.ts';

/**
 * An event queue: a cursor into the realm's log, a filter and a form. Taking events from the log and writing them to the
 * consumer changes these fields in place; only its lifecycle is a machine (`queueMachine`).
 */
export interface EventQueue {
  readonly id: string;
  readonly userId: number;
  readonly options: QueueOptions;
  readonly form: Form;
  /** Null accepts all types. */
  readonly types: ReadonlySet<string> | null;
  readonly matches: ((message: QueueNarrowMessage) => boolean) | null;
  /** Takes every message of its channels as it is, which is what lets a channel's queues share one list. */
  readonly takesAllMessages: boolean;
  /** The log position of its snapshot. */
  readonly startedAt: number;
  /** What the client has said it has. */
  acknowledged: number;
  /** Everything up to here has been handed out or was not for it. Live queues stand at the announced head instead. */
  position: number;
  /** The newest event handed out. */
  deliveredId: number;
  consumer: Consumer | null;
  /** Caught up, and its consumer takes events as they are announced. */
  isLive: boolean;
  /** The `Authorization` that its owner last polled it with, which need not be looked up again; empty for none. */
  polledWith: string;
  /** The version of the accounts at which that was right. */
  polledAt: number;
  /** What this turn brought, not yet written. */
  pending: EventGroup | null;
  /** UNIX ms of the last sweep before the consumer came or had something; without one, before it left. */
  waitingSince: number;
  /** Present while attached. */
  listener: Listener | null;
  /** What its row says was acknowledged. */
  noted: number;
  /** A catch-up step is scheduled. */
  isCatchingUp: boolean;
  actor: QueueActor | null;
}

/** registered → attached ↔ detached → expired. Between two polls a queue stays attached for a moment. */
export const queueMachine = setup({
  types: {
    context: {} as QueueContext,
    input: {} as QueueContext,
    events: {} as { type: 'attach' } | { type: 'consumerGone' } | { type: 'end' },
  },
  delays: { idleLimit: ({ context }) => context.idleLimitMs },
  actions: {
    leave: ({ context }) => context.onDetached(),
    expire: ({ context }) => context.onExpired(),
  },
}).createMachine({
  id: 'event queue',
  context: ({ input }) => input,
  initial: 'registered',
  on: { end: '.ended' },
  states: {
    registered: { after: { idleLimit: 'expired' }, on: { attach: 'attached' } },
    attached: { exit: 'leave', on: { consumerGone: 'detached' } },
    detached: { after: { idleLimit: 'expired' }, on: { attach: 'attached' } },
    expired: { entry: 'expire', type: 'final' },
    ended: { type: 'final' },
  },
});

export interface QueueContext {
  readonly idleLimitMs: number;
  readonly onDetached: () => void;
  readonly onExpired: () => void;
}

export type QueueActor = ActorRefFrom<typeof queueMachine>;
