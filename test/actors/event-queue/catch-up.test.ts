import { expect, test } from 'vitest';
import { takeStep } from '../../../actors/event-queue/catch-up.ts';
import { loadListener } from '../../../actors/event-queue/listeners.ts';
import { type LogTail, openLogTail } from '../../../actors/event-queue/log-tail.ts';
import type { AttachedQueue, Listener } from '../../../actors/event-queue/queue.ts';
import { openQueueKinds } from '../../../actors/event-queue/queue-kinds.ts';
import {
  CATCH_UP_CONTENT_PER_STEP,
  CATCH_UP_ROWS_PER_STEP,
} from '../../../src/domain/limits/event-queues.ts';
import type { LogEntry, NewLogEntry } from '../../../src/domain/wire/events/log-entry.ts';
import type { QueueOptions } from '../../../src/domain/wire/events/queue-options.ts';
import { openRealmRecord } from '../../../src/metrics/recorders.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { entryOf, messageIn, queueOptions } from '../../support/actors/listening.ts';
import { addUser, openTestStore, subscribe } from '../../support/actors/realm-store.ts';
import { MESSAGE } from '../../support/markdown/rich-message.ts';

const USER = 7;
const CHANNEL = 3;

interface Logged {
  readonly events: readonly NewLogEntry[];
  /** Writes rows beside the log. */
  readonly rows?: (tx: RealmTransaction) => void;
  /** How far the log is announced; by default to its end. */
  readonly head?: number;
}

/** A log in a store, of which nothing is in memory, and a user with a queue. */
async function logOf({ events, rows, head = events.length }: Logged) {
  const store = openTestStore();
  await store.write((tx) => {
    addUser(tx, USER);
    rows?.(tx);
    for (const entry of events) tx.emit(entry);
  });
  const tail = openLogTail({ reader: store.reader, record: openRealmRecord(), head, now: 0 });
  const listener = loadListener(store.reader, USER, head);
  return { tail, listener };
}

interface Position {
  readonly position?: number;
  readonly startedAt?: number;
}

/** A queue of which nothing is looked at but its filter and its position. */
function queueOf(
  options: Partial<QueueOptions> = {},
  { position = 0, startedAt = 0 }: Position = {},
) {
  const kind = openQueueKinds().of(queueOptions(options));
  const { format } = kind;
  return { id: 'q', userId: USER, kind, format, position, startedAt } as AttachedQueue;
}

function step(tail: LogTail, listener: Listener, queue: AttachedQueue) {
  const { events, position } = takeStep(tail, queue, listener);
  return { ids: events.map(({ entry }) => entry.id), position, events };
}

/** The same tail, in which a look into the store fails. */
const withoutStore = (tail: LogTail): LogTail => ({
  ...tail,
  reader: {
    ...tail.reader,
    get events(): never {
      throw new Error('the log was read');
    },
  },
});

const event = ({ id, at, ...rest }: LogEntry): NewLogEntry => rest;
const forAll = event(entryOf(0));
const forOthers = event(entryOf(0, { audience: { users: [USER + 1] } }));

test('a step has the events of its queue in order, and goes past those that are for others', async () => {
  const { tail, listener } = await logOf({ events: [forAll, forOthers, forAll, forOthers] });
  expect(step(tail, listener, queueOf())).toMatchObject({ ids: [1, 3], position: 4 });
  expect(step(tail, listener, queueOf({}, { position: 1 }))).toMatchObject({
    ids: [3],
    position: 4,
  });
  expect(step(tail, listener, queueOf({}, { position: 4 }))).toMatchObject({
    ids: [],
    position: 4,
  });
});

test('a step ends at the announced head, although more is committed', async () => {
  const { tail, listener } = await logOf({ events: [forAll, forAll, forAll], head: 2 });
  expect(step(tail, listener, queueOf())).toMatchObject({ ids: [1, 2], position: 2 });
});

test('a step reads a bounded number of rows, whoever they are for', async () => {
  const count = CATCH_UP_ROWS_PER_STEP + 1;
  const events = Array.from({ length: count }, () => forOthers);
  const { tail, listener } = await logOf({ events: [...events, forAll] });
  const first = step(tail, listener, queueOf());
  expect(first).toMatchObject({ ids: [], position: CATCH_UP_ROWS_PER_STEP });
  const { position } = first;
  const second = step(tail, listener, queueOf({}, { position }));
  expect(second).toMatchObject({ ids: [count + 1], position: count + 1 });
});

test('a step ends with the event that goes over its bound of characters, and the next goes on there', async () => {
  const content = 'x'.repeat(CATCH_UP_CONTENT_PER_STEP / 2);
  const long = event(
    messageIn(CHANNEL, 0, {
      event: { type: 'message', message: { ...MESSAGE, rendered_content: content } },
      audience: { users: [USER] },
    }),
  );
  const { tail, listener } = await logOf({ events: [forAll, long, long, forAll, long] });
  const first = step(tail, listener, queueOf());
  expect(first).toMatchObject({ ids: [1, 2, 3], position: 3 });
  const { position } = first;
  expect(step(tail, listener, queueOf({}, { position }))).toMatchObject({
    ids: [4, 5],
    position: 5,
  });
  // A queue that gets none of the long ones takes the whole stretch.
  const { ids } = step(tail, listener, queueOf({ eventTypes: ['realm'] }));
  expect(ids).toEqual([1, 4]);
});

test('a heartbeat is never taken from the log, nor is what the snapshot of a queue has', async () => {
  const audience = { heartbeat: true, everyone: true } as const;
  const heartbeat: NewLogEntry = { event: { type: 'heartbeat' }, audience };
  const { tail, listener } = await logOf({ events: [forAll, heartbeat, forAll, forAll] });
  expect(step(tail, listener, queueOf()).ids).toEqual([1, 3, 4]);
  expect(step(tail, listener, queueOf({}, { startedAt: 3 })).ids).toEqual([4]);
});

test('an event of a channel is for those who were in it then', async () => {
  const message = event(messageIn(CHANNEL, 0));
  const { tail, listener } = await logOf({
    events: [message, message, message, message],
    // The user joined with event 2 and left with event 4.
    rows(tx) {
      tx.membershipChanges.put([USER, 2, CHANNEL], { channelId: CHANNEL, isSubscribed: true });
      tx.membershipChanges.put([USER, 4, CHANNEL], { channelId: CHANNEL, isSubscribed: false });
    },
  });
  expect(step(tail, listener, queueOf()).ids).toEqual([2, 3]);
});

test('a queue of all public channels gets the messages of others without their flags', async () => {
  const flags = { shared: ['mentioned'], own: [] };
  const inChannel = (channelId: number) =>
    event(messageIn(channelId, 0, { audience: { channelId, isPublicChannel: true }, flags }));
  const { tail, listener } = await logOf({
    events: [inChannel(CHANNEL), inChannel(CHANNEL + 1), event(messageIn(CHANNEL + 2, 0))],
    rows: (tx) => subscribe(tx, USER, CHANNEL),
  });
  const { events } = step(tail, listener, queueOf({ allPublicChannels: true }));
  expect(events.map(({ entry }) => [entry.id, entry.flags?.shared])).toEqual([
    [1, ['mentioned']],
    [2, []],
  ]);
  expect(step(tail, listener, queueOf()).ids).toEqual([1]);
  const mentioned = queueOf({ allPublicChannels: true, narrow: [['is', 'mentioned']] });
  expect(step(tail, listener, mentioned).ids).toEqual([1]);
});

test('the filter of a queue holds for what it catches up with', async () => {
  const message = event(messageIn(CHANNEL, 0, { audience: { users: [USER] } }));
  const { tail, listener } = await logOf({ events: [forAll, message, forAll] });
  expect(step(tail, listener, queueOf({ eventTypes: ['message'] })).ids).toEqual([2]);
});

test('what is held in memory is not read from the store, and what one queue read is held for the next', async () => {
  const { tail, listener } = await logOf({ events: [forAll, forAll, forAll], head: 2 });
  expect(() => step(withoutStore(tail), listener, queueOf())).toThrow('the log was read');
  tail.recent.add(entryOf(3));
  tail.head = 3;
  const read = step(tail, listener, queueOf());
  expect(read.ids).toEqual([1, 2, 3]);
  const again = step(withoutStore(tail), listener, queueOf());
  expect(again.ids).toEqual([1, 2, 3]);
  expect(again.events.slice(0, 2)).toEqual(read.events.slice(0, 2));
  expect(again.events[0]).toBe(read.events[0]);
});

test('a step that ends early does not claim to have read the rest', async () => {
  const content = 'x'.repeat(CATCH_UP_CONTENT_PER_STEP + 1);
  const message = { ...MESSAGE, rendered_content: content };
  const long: NewLogEntry = { event: { type: 'message', message }, audience: { users: [USER] } };
  const { tail, listener } = await logOf({ events: [long, forAll, forAll], head: 2 });
  tail.recent.add(entryOf(3));
  tail.head = 3;
  expect(step(tail, listener, queueOf())).toMatchObject({ ids: [1], position: 1 });
  expect(tail.recent.between(1, 1)).toBeUndefined();
  expect(step(tail, listener, queueOf({}, { position: 1 })).ids).toEqual([2, 3]);
});
