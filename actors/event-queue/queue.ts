import { type AnyActorRef, createActor, type SnapshotFrom, setup } from 'xstate';
import type { QueueNarrowMessage } from '../../src/domain/rules/messages/narrow.ts';
import type { QueueOptions } from '../../src/domain/wire/events/queue-options.ts';
import type { Role } from '../../src/domain/wire/roles.ts';
import type { Consumer } from '../../src/events/delivery.ts';
import type { Format } from '../../src/events/for-client.ts';
import type { QueueRow } from '../../storage/tables/realm/events.ts';
import type { RealmReader } from '../../storage/transaction.ts';
import { sendOrThrow } from '../send-or-throw.ts';
import type { Batch } from './batch.ts';

/**
 * An event queue is a cursor into the realm's log with a filter and a format. While a client
 * listens it is a running actor; in between it is its row and a record for the sweep.
 */
export type EventQueue = AttachedQueue | DetachedQueue;

/** An attached queue, for other folders: they read its fields and call functions of this one. */
export type AttachedQueue = Readonly<QueueFields>;
export type DetachedQueue = Readonly<QueueRecord>;

/** A queue's position in the log: everything that a change of consumers must not lose. */
interface Cursor {
  /** The log position of its snapshot. */
  readonly startedAt: number;
  /** The client has said that it has everything up to here. */
  acknowledged: number;
  /** Everything up to here was delivered or not for it. `reached` tells where a live queue is. */
  position: number;
  /** The newest event that was delivered. */
  deliveredId: number;
  /** The row says that this was acknowledged. */
  noted: number;
  /**
   * The time (UNIX ms) of the last sweep before the consumer came or got something; without a
   * consumer, before it left; of a detached queue, the time when it was detached.
   */
  waitingSince: number;
}

/** A detached queue: nothing runs, and a hundred thousand of them cost little. */
export interface QueueRecord extends Cursor {
  readonly id: string;
  readonly userId: number;
  readonly kind: QueueKind;
  readonly owner: null;
  /** A detached queue has no consumer. */
  readonly consumer?: undefined;
}

/**
 * The context of a queue's actor. Taking events from the log and writing them to the consumer
 * changes it in place, as a send for each event would cost more than the event. Only this folder
 * imports this type, so only this folder writes the fields (`test/architecture.test.ts`).
 */
export interface QueueFields extends Cursor {
  readonly id: string;
  readonly userId: number;
  readonly format: Format;
  /** It takes each message of its channels as it is, so that it can share a channel's batch. */
  readonly takesAllMessages: boolean;
  /** The queue has caught up, and its consumer takes events as they are broadcast. */
  isLive: boolean;
  /** Events that were broadcast and are not yet written. */
  pending: Batch | null;
  consumer: Consumer | null;
  /** The queue's user, once it is in the audiences. */
  listener: Listener | null;
  /** A catch-up step is scheduled. */
  isCatchingUp: boolean;
  /** The `Authorization` of the last poll, which need not be looked up again; empty for none. */
  polledWith: string;
  /** The version of the accounts at which that header was right. */
  polledAt: number;
  readonly kind: QueueKind;
  readonly owner: QueueOwner;
}

/** The part of a queue that follows from its options only, shared by queues with equal options. */
export interface QueueKind {
  readonly options: QueueOptions;
  readonly format: Format;
  /** Null accepts all types. */
  readonly types: ReadonlySet<string> | null;
  /** Null accepts all messages. */
  readonly narrow: ((message: QueueNarrowMessage) => boolean) | null;
  readonly takesAllMessages: boolean;
}

/** The realm, as its queues see it. */
export interface QueueOwner {
  /** The realm's actor, whose children the queues' actors are. */
  readonly actor: AnyActorRef;
  now(): number;
  /** Takes the queue out of all audiences. */
  leave(queue: AttachedQueue): void;
  /** Keeps the record of a queue whose actor has stopped. */
  putAside(queue: DetachedQueue): void;
}

/** attached → detached | ended. The actor starts in the first state and stops with the others. */
const queueMachine = setup({
  types: {
    context: {} as { readonly queue: QueueFields },
    input: {} as QueueFields,
    events: {} as QueueCommand,
  },
  actions: {
    leave: ({ context: { queue } }) => queue.owner.leave(queue),
    putAside: ({ context: { queue } }) => queue.owner.putAside(recordOf(queue)),
  },
}).createMachine({
  id: 'event queue',
  context: ({ input }) => ({ queue: input }), // xstate copies a context, and the audiences hold this
  initial: 'attached',
  states: {
    attached: { exit: 'leave', on: { consumerGone: 'detached', end: 'ended' } },
    detached: { entry: 'putAside', type: 'final' },
    ended: { type: 'final' },
  },
});

type QueueStateName = SnapshotFrom<typeof queueMachine>['value'];

export type QueueCommand = { readonly type: 'consumerGone' | 'end' };

/** Returns the record of a queue that was just committed, or is read back at a start. */
export function openQueue(
  id: string,
  { userId, startedAt, acknowledged }: QueueRow,
  { kind, now }: { readonly kind: QueueKind; readonly now: number },
): DetachedQueue {
  const position = acknowledged;
  const cursor = { position, deliveredId: position, noted: position, waitingSince: now };
  return { id, userId, kind, startedAt, acknowledged, ...cursor, owner: null };
}

/** The accounts never have this version, so that no header is taken for one that was looked up. */
const NEVER = -1;

/** Starts the actor of a queue. It has no consumer yet and is in no audience. */
export function startQueue(record: DetachedQueue, owner: QueueOwner): AttachedQueue {
  const { kind } = record;
  // Memory holds the fields in this order: those that each event and each poll read come first.
  const queue: QueueFields = {
    id: record.id,
    userId: record.userId,
    format: kind.format,
    takesAllMessages: kind.takesAllMessages,
    isLive: false,
    pending: null,
    consumer: null,
    listener: null,
    position: record.position,
    deliveredId: record.deliveredId,
    acknowledged: record.acknowledged,
    startedAt: record.startedAt,
    isCatchingUp: false,
    polledWith: '',
    polledAt: NEVER,
    waitingSince: record.waitingSince,
    kind,
    noted: record.noted,
    owner,
  };
  const systemId = queueSystemId(queue.id);
  createActor(queueMachine, { input: queue, parent: owner.actor, systemId }).start();
  return queue;
}

/** Returns the name by which a realm's system finds the actor of an attached queue. */
export const queueSystemId = (queueId: string) => `event queue ${queueId}`;

export const isAttached = (queue: EventQueue): queue is AttachedQueue => queue.owner !== null;

/** Sends a queue's actor a command, which stops it. An exception of its actions is thrown here. */
export function transitionQueue({ id, owner }: AttachedQueue, command: QueueCommand) {
  sendOrThrow(owner.actor.system.get(queueSystemId(id)) ?? null, command);
}

/** Describes an attached queue to operators. The state is its actor's. */
export function describeQueue({ id, userId, owner, consumer, isLive }: AttachedQueue) {
  const actor: AnyActorRef | undefined = owner.actor.system.get(queueSystemId(id));
  const state = actor?.getSnapshot().value as QueueStateName | undefined; // no other actor has it
  const served = consumer?.takesOne ? ('poll' as const) : ('socket' as const);
  return { id, userId, state, consumer: consumer === null ? null : served, isLive };
}

function recordOf(queue: QueueFields): DetachedQueue {
  return {
    id: queue.id,
    userId: queue.userId,
    kind: queue.kind,
    startedAt: queue.startedAt,
    acknowledged: queue.acknowledged,
    position: queue.position,
    deliveredId: queue.deliveredId,
    noted: queue.noted,
    waitingSince: queue.owner.now(),
    owner: null,
  };
}

/** Puts an attached queue into the audiences, as one of its user's, or takes it out with null. */
export function setListener(queue: QueueFields, listener: Listener | null) {
  if (queue.listener !== null) {
    queue.listener.queues = queue.listener.queues.filter((other) => other !== queue);
  }
  if (listener !== null) listener.queues = listener.queues.concat([queue]);
  queue.listener = listener;
}

/** Tells whether a header may poll the queue while the accounts have this version. */
export const isPolledWith = (queue: EventQueue, header: string, version: number) =>
  isAttached(queue) && queue.polledWith === header && queue.polledAt === version;

/** Remembers the header of the queue's owner, for the polls that follow. */
export function notePoller(
  queue: QueueFields | QueueRecord,
  { header, version }: { readonly header: string; readonly version: number },
) {
  if (queue.owner === null) return;
  queue.polledWith = header;
  queue.polledAt = version;
}

/** A user with an attached queue, and what decides at any position if an event is for them. */
export interface Listener {
  readonly userId: number;
  readonly role: Role;
  readonly isBot: boolean;
  /**
   * The channels that the user is subscribed to at the announced head, ascending. A set of hardly
   * more than one would weigh three times as much.
   */
  readonly channels: number[];
  /** The channels joined and left within the retained log, ascending. */
  readonly changes: SubscriptionChange[];
  queues: readonly AttachedQueue[];
  /** The realm's table of when each user was subscribed to a channel, by the ids of messages. */
  readonly subscriptions: RealmReader['subscriptions'];
}

export interface SubscriptionChange {
  readonly eventId: number;
  readonly channelId: number;
  readonly isSubscribed: boolean;
}
