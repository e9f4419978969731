import { type ExecutableActionsFrom, type SnapshotFrom, setup, transition } from 'xstate';
import type { QueueNarrowMessage } from '../../src/domain/rules/messages/narrow.ts';
import type { QueueOptions } from '../../src/domain/wire/events/queue-options.ts';
import type { Role } from '../../src/domain/wire/roles.ts';
import type { Consumer, EventRun } from '../../src/events/delivery.ts';
import type { Announced, Form } from '../../src/events/for-client.ts';
import type { RealmReader } from '../../storage/transaction.ts';

/**
 * An event queue: a cursor into the realm's log, a filter and a form. Taking events from the log and writing them to the
 * consumer changes these fields in place; only its lifecycle is an actor (`tellQueue`).
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
  /** Everything up to here has been handed out or was not for it. Where a live queue stands: `reached`. */
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
  /** What was announced and is not yet written. */
  pending: EventGroup | null;
  /**
   * UNIX ms of the last sweep before the consumer came or had something; without one, before it left; once it is detached, of
   * the sweep that found it so.
   */
  waitingSince: number;
  /** Present while attached. */
  listener: Listener | null;
  /** What its row says was acknowledged. */
  noted: number;
  /** A catch-up step is scheduled. */
  isCatchingUp: boolean;
  /** All that there is of its actor. */
  state: QueueState;
}

export interface QueueEffects {
  readonly onDetached: () => void;
  readonly onExpired: () => void;
}

/** What the machine is asked with: who tells the queue has those of this queue. */
const NO_EFFECTS: QueueEffects = { onDetached: () => undefined, onExpired: () => undefined };

/** registered → attached ↔ detached → expired. Between two polls a queue stays attached for a moment. */
const queueMachine = setup({
  types: {
    context: {} as QueueEffects,
    events: {} as QueueCommand,
  },
  actions: {
    leave: ({ context }) => context.onDetached(),
    expire: ({ context }) => context.onExpired(),
  },
}).createMachine({
  id: 'event queue',
  context: NO_EFFECTS,
  initial: 'registered',
  on: { end: '.ended' },
  states: {
    registered: { on: { attach: 'attached', idleLimitReached: 'expired' } },
    attached: { exit: 'leave', on: { consumerGone: 'detached' } },
    detached: { on: { attach: 'attached', idleLimitReached: 'expired' } },
    expired: { entry: 'expire', type: 'final' },
    ended: { type: 'final' },
  },
});

export type QueueState = SnapshotFrom<typeof queueMachine>['value'];

export type QueueCommand = {
  readonly type: 'attach' | 'consumerGone' | 'idleLimitReached' | 'end';
};

/**
 * Tells a queue one command. Its actor is no more than the name of its state (docs/decisions/0106): there may be a hundred
 * thousand queues, and each has a handful of commands in its life. What an action throws is thrown at who tells it.
 */
export function tellQueue(queue: EventQueue, { type }: QueueCommand, effects: QueueEffects) {
  const name = `${queue.state} ${type}`;
  let step = steps.get(name);
  if (step === undefined) {
    step = stepOf(queue.state, type);
    steps.set(name, step);
  }
  for (const { exec, info, params } of step.actions) {
    exec?.({ ...info, context: effects }, params);
  }
  queue.state = step.state;
}

/** Of what the machine was asked so far; it has neither guards nor data, so that its answer is always the same. */
const steps = new Map<string, Step>();

interface Step {
  readonly state: QueueState;
  readonly actions: readonly ExecutableActionsFrom<typeof queueMachine>[];
}

function stepOf(state: QueueState, type: QueueCommand['type']): Step {
  const before = queueMachine.resolveState({ value: state, context: NO_EFFECTS });
  // An actor that has ended hears nothing any more.
  if (before.status !== 'active') return { state, actions: [] };
  const [after, actions] = transition(queueMachine, before, { type });
  return { state: after.value, actions };
}

/** A user with an attached queue, and what decides whether an event is for them, as of any position of the log. */
export interface Listener {
  readonly userId: number;
  readonly role: Role;
  readonly isBot: boolean;
  /** Subscribed now: as of the announced head. Ascending; a set of hardly more than one would weigh three times as much. */
  readonly channels: number[];
  /** Joined and left within the retained log, ascending. */
  readonly changes: SubscriptionChange[];
  queues: readonly EventQueue[];
  /** The realm's table of when each user was subscribed to a channel, in the sequence of messages. */
  readonly subscriptions: RealmReader['subscriptions'];
}

export interface SubscriptionChange {
  readonly eventId: number;
  readonly channelId: number;
  readonly isSubscribed: boolean;
}

/**
 * Events of one turn that go to the same queues, in order. Queues of a form whose owners have the same flags share one
 * encoded run; a queue that sent one of the messages gets a run of its own.
 */
export interface EventGroup {
  readonly events: Announced[];
  /** Some event is not for all queues of its audience. */
  isFiltered: boolean;
  /** Some event is no message. */
  hasOthers: boolean;
  /** True when it joins groups of several channels, as pending for one queue only. */
  readonly isJoined: boolean;
  /** The channel whose queues share it; null when a single queue has it. */
  readonly channelId: number | null;
  /** The channel's next group joined to this one, shared by all queues that have not been handed it yet. */
  next: { readonly group: EventGroup; readonly both: EventGroup } | null;
  /** By the number of those who have the same flags. */
  readonly runs: Runs[];
  /** Known when the group is settled. */
  concerned: Concerned | null;
}

/** The users whose events differ from what everybody gets. */
export interface Concerned {
  /** Users with flags of their own for some event, by a number: those of one number have the same. All others have 0. */
  readonly users: ReadonlyMap<number, number>;
  /** Queues that sent one of the messages. */
  readonly origins: ReadonlySet<string>;
}

export type Runs = Map<Form, EventRun>;
