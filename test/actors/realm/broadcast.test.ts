import { expect, test } from 'vitest';
import { type Channel, describeChannel } from '../../../actors/channel/channel.ts';
import { connect, disconnect } from '../../../actors/event-queue/delivery.ts';
import { openLogTail } from '../../../actors/event-queue/log-tail.ts';
import type { AttachedQueue } from '../../../actors/event-queue/queue.ts';
import { join, openAudiences } from '../../../actors/realm/audiences.ts';
import { type Broadcasting, broadcast } from '../../../actors/realm/broadcast.ts';
import type { Audience, LogEntry } from '../../../src/domain/wire/events/log-entry.ts';
import type { QueueOptions } from '../../../src/domain/wire/events/queue-options.ts';
import { Role } from '../../../src/domain/wire/roles.ts';
import { openRealmRecord } from '../../../src/metrics/recorders.ts';
import type { SubscriptionRow } from '../../../storage/tables/channels/subscriptions.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { startRealmActor, startTestQueue } from '../../support/actors/attached-queue.ts';
import {
  entryOf,
  messageIn,
  type TestConsumer,
  testConsumer,
} from '../../support/actors/listening.ts';
import { addChannel, addUser, openTestStore, subscribe } from '../../support/actors/realm-store.ts';
import { testClock } from '../../support/test-clock.ts';

const [ADA, MAX, GUS, BOT] = [5, 6, 7, 8];
const [GENERAL, TEA] = [3, 4];

interface Listening {
  readonly queue: AttachedQueue;
  readonly consumer: TestConsumer;
}

/** A realm in which Ada and Max are in one channel, and Gus in another. */
async function opened() {
  const store = openTestStore();
  await store.write((tx) => {
    addUser(tx, ADA, { role: Role.administrator });
    addUser(tx, MAX);
    addUser(tx, GUS, { role: Role.guest });
    addUser(tx, BOT, { botType: 1 });
    for (const id of [GENERAL, TEA]) addChannel(tx, id);
    for (const id of [ADA, MAX]) subscribe(tx, id, GENERAL);
    subscribe(tx, GUS, TEA);
    received(tx, MAX, [1, 20]);
    received(tx, GUS, [1, 20]);
    received(tx, ADA, [1, 19]);
  });
  const clock = testClock();
  const owner = startRealmActor();
  const tail = openLogTail({
    reader: store.reader,
    record: openRealmRecord(),
    head: 0,
    now: clock.now(),
  });
  const audiences = openAudiences({ owner, tail });
  const due = new Set<AttachedQueue>();
  const state: Broadcasting = {
    audiences,
    open: new Set<Channel>(),
    now: () => clock.now(),
    isHeartbeatDue: (queue) => due.has(queue),
  };
  const listen = (userId: number, options: Partial<QueueOptions> = {}): Listening => {
    const id = `queue ${audiences.attached.size}`;
    const queue = startTestQueue(id, { actor: owner, userId, options });
    join(audiences, queue);
    const consumer = testConsumer();
    connect(tail, queue, { consumer, position: tail.head });
    return { queue, consumer };
  };
  const say = (...entries: LogEntry[]) => broadcast(state, entries);
  return { state, audiences, tail, clock, due, listen, say };
}

/** Notes which messages of the channel a user received: from the first to the last. */
const received = (tx: RealmTransaction, userId: number, ids: readonly [number, number]) =>
  tx.subscriptions.put([GENERAL, userId], { received: ids } as unknown as SubscriptionRow);

const ids = ({ consumer }: Listening) => consumer.ids();

test('an event for users, for everybody or by a rule goes to the queues of these', async () => {
  const { listen, say } = await opened();
  const people = { ada: listen(ADA), max: listen(MAX), gus: listen(GUS), bot: listen(BOT) };
  const second = listen(MAX);
  const places = [{ channelId: GENERAL, at: [20] }];
  // Each names a user who has no queue as well: a rule must not be taken for a list of users.
  const audiences: Record<string, Audience> = {
    users: { users: [MAX, 99] },
    everyone: { users: [99], everyone: true },
    except: { users: [MAX, GUS], except: [MAX] },
    nonGuests: { users: [99], nonGuests: true },
    people: { users: [BOT, ADA], peopleAlone: true },
    administrators: { users: [99], administrators: true },
    roles: { users: [99], roles: { above: Role.member, upTo: Role.guest } },
    wereIn: { users: [99], wereIn: { isWithoutGuests: true, places } },
    nobody: { users: [] },
  };
  say(...Object.values(audiences).map((audience, index) => entryOf(index + 1, { audience })));
  const names = (listening: Listening) =>
    ids(listening).map((id) => Object.keys(audiences)[id - 1] ?? 'another');
  expect(names(people.max)).toEqual(['users', 'everyone', 'nonGuests', 'wereIn']);
  expect(names(second)).toEqual(names(people.max));
  expect(names(people.ada)).toEqual(['everyone', 'nonGuests', 'people', 'administrators']);
  expect(names(people.gus)).toEqual(['everyone', 'except', 'roles']);
  expect(names(people.bot)).toEqual(['everyone', 'nonGuests']);
});

test('an event of a channel goes to its subscribers, and to users that it names who are not in it', async () => {
  const { listen, say } = await opened();
  const [ada, max, gus, bot] = [listen(ADA), listen(MAX), listen(GUS), listen(BOT)];
  say(
    messageIn(GENERAL, 1, { audience: { channelId: GENERAL, users: [ADA, GUS] } }),
    messageIn(TEA, 2),
    messageIn(99, 3),
  );
  expect(ids(ada)).toEqual([1]);
  expect(ids(max)).toEqual([1]);
  expect(ids(gus)).toEqual([1, 2]);
  expect(ids(bot)).toEqual([]);
  expect(ada.consumer.batches[0]).toBe(max.consumer.batches[0]);
});

test('a channel and a rule together are looked up for each listener', async () => {
  const { listen, say } = await opened();
  const [ada, max, gus] = [listen(ADA), listen(MAX), listen(GUS)];
  say(entryOf(1, { audience: { channelId: TEA, administrators: true } }));
  expect([ada, max, gus].map(ids)).toEqual([[1], [], [1]]);
});

test('each consumer is written to once for a commit, in the order of the log', async () => {
  const { state, listen, say } = await opened();
  const ada = listen(ADA);
  say(messageIn(GENERAL, 1), entryOf(2), messageIn(GENERAL, 3), messageIn(TEA, 4));
  expect(state.open.size).toBe(0);
  expect(ada.consumer.events().map((heard) => heard.map(({ id }) => id))).toEqual([[1, 2, 3]]);
  say(entryOf(5));
  expect(ada.consumer.batches).toHaveLength(2);
});

test('who joins or leaves within a commit gets the events from then on or until then', async () => {
  const { audiences, listen, say } = await opened();
  const [ada, max, gus] = [listen(ADA), listen(MAX), listen(GUS)];
  const change = (id: number, userIds: readonly number[], isSubscribed: boolean) =>
    entryOf(id, {
      audience: { users: userIds },
      memberships: { userIds: [...userIds, 99], channelIds: [GENERAL], isSubscribed },
    });
  say(
    messageIn(GENERAL, 1),
    change(2, [GUS], true),
    messageIn(GENERAL, 3),
    change(4, [ADA, MAX], false),
    messageIn(GENERAL, 5),
  );
  expect(ids(ada)).toEqual([1, 3, 4]);
  expect(ids(max)).toEqual([1, 3, 4]);
  expect(ids(gus)).toEqual([2, 3, 5]);
  expect(audiences.listeners.get(ADA)?.channels).toEqual([]);
  expect(audiences.listeners.get(GUS)?.channels).toEqual([GENERAL, TEA]);
  say(change(6, [GUS], false), messageIn(GENERAL, 7));
  expect(audiences.channels.has(GENERAL)).toBe(false);
  expect(ids(gus)).toEqual([2, 3, 5, 6]);
});

test('a channel is archived and unarchived by the events that say so, between its messages', async () => {
  const { audiences, listen, say } = await opened();
  const ada = listen(ADA);
  const archived = (id: number, value: boolean, property = 'is_archived') =>
    entryOf(id, {
      event: { type: 'stream', op: 'update', stream_id: GENERAL, name: 'x', property, value },
    } as LogEntry);
  const state = () => {
    const channel = audiences.channels.get(GENERAL);
    return channel && describeChannel(channel).state;
  };
  say(archived(1, true, 'is_default'));
  expect(state()).toBe('active');
  say(messageIn(GENERAL, 2), archived(3, true), messageIn(GENERAL, 4));
  expect(state()).toBe('archived');
  say(archived(5, false));
  expect(state()).toBe('active');
  expect(ids(ada)).toEqual([1, 2, 3, 4, 5]);
});

test('queues of all public channels get what their owners are not in, without flags', async () => {
  const { listen, say } = await opened();
  const ofAll = { allPublicChannels: true };
  const [gus, ada, plain] = [listen(GUS, ofAll), listen(ADA, ofAll), listen(BOT)];
  const behind = listen(GUS, ofAll);
  const flags = { shared: ['mentioned'], own: [] };
  const audience: Audience = { channelId: GENERAL, isPublicChannel: true };
  Object.assign(behind.queue, { isLive: false });
  say(messageIn(GENERAL, 1, { audience, flags }), messageIn(GENERAL, 2));
  const heard = (listening: Listening) =>
    listening.consumer.events().flatMap((all) => all.map(({ id, flags }) => [id, flags]));
  expect(heard(gus)).toEqual([[1, []]]);
  expect(heard(ada)).toEqual([
    [1, ['mentioned']],
    [2, []],
  ]);
  expect([plain, behind].map(ids)).toEqual([[], []]);
});

test('a heartbeat goes to live queues that are due one, and puts off the next', async () => {
  const { tail, clock, due, listen, say } = await opened();
  const [ada, max, gone] = [listen(ADA), listen(MAX), listen(GUS)];
  disconnect(tail, gone.queue);
  for (const { queue } of [ada, gone]) due.add(queue);
  clock.advance(1_000);
  const before = gone.queue.waitingSince;
  say(entryOf(1, { event: { type: 'heartbeat' }, audience: { heartbeat: true } }));
  expect([ada, max, gone].map(ids)).toEqual([[1], [], []]);
  expect(ada.queue.waitingSince).toBe(clock.now());
  expect(gone.queue.waitingSince).toBe(before);
});

test('without a queue the events are announced and remembered all the same', async () => {
  const { state, tail, say } = await opened();
  say(messageIn(GENERAL, 1), entryOf(2));
  expect(tail.head).toBe(2);
  expect(tail.recent.between(1, 2)?.map(({ entry }) => entry.id)).toEqual([1, 2]);
  expect(state.open.size).toBe(0);
});

test('while an earlier turn still flushes, a broadcast leaves the writing to it', async () => {
  const { tail, listen, say } = await opened();
  const ada = listen(ADA);
  tail.isFlushing = true;
  say(messageIn(GENERAL, 1));
  expect(ids(ada)).toEqual([]);
  expect(tail.unflushed).toEqual([ada.queue]);
  tail.isFlushing = false;
  say(messageIn(GENERAL, 2));
  expect(ids(ada)).toEqual([1, 2]);
});
