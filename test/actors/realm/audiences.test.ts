import { expect, test } from 'vitest';
import { channelSystemId, describeChannel } from '../../../actors/channel/channel.ts';
import { connect } from '../../../actors/event-queue/delivery.ts';
import { openLogTail } from '../../../actors/event-queue/log-tail.ts';
import type { AttachedQueue } from '../../../actors/event-queue/queue.ts';
import {
  type Audiences,
  join,
  joinChannel,
  leave,
  leaveChannel,
  openAudiences,
} from '../../../actors/realm/audiences.ts';
import { Role } from '../../../src/domain/wire/roles.ts';
import { openRealmRecord } from '../../../src/metrics/recorders.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { startRealmActor, startTestQueue } from '../../support/actors/attached-queue.ts';
import { testConsumer } from '../../support/actors/listening.ts';
import { addChannel, addUser, openTestStore, subscribe } from '../../support/actors/realm-store.ts';

const [ADA, MAX] = [7, 8];
const [GENERAL, ARCHIVED] = [3, 4];
const HEAD = 5;

/** The audiences of a realm in which both are in one channel, and one in an archived channel. */
async function opened(write: (tx: RealmTransaction) => void = () => undefined) {
  const store = openTestStore();
  await store.write((tx) => {
    addUser(tx, ADA, { role: Role.administrator });
    addUser(tx, MAX);
    addChannel(tx, GENERAL);
    addChannel(tx, ARCHIVED, { isArchived: true });
    subscribe(tx, ADA, GENERAL);
    subscribe(tx, ADA, ARCHIVED);
    subscribe(tx, MAX, GENERAL);
    write(tx);
  });
  const owner = startRealmActor();
  const tail = openLogTail({ reader: store.reader, record: openRealmRecord(), head: HEAD, now: 0 });
  const audiences = openAudiences({ owner, tail });
  const queueOf = (id: string, userId: number, allPublicChannels = false) =>
    startTestQueue(id, { actor: owner, userId, options: { allPublicChannels } });
  return { audiences, owner, queueOf };
}

const channelsOf = ({ channels }: Audiences) =>
  [...channels.values()].map((channel) => describeChannel(channel));

const idsOf = (queues: Iterable<AttachedQueue>) => Array.from(queues, ({ id }) => id);

test('a queue joins its owner, who is read from the store, and the channels that the owner is in', async () => {
  const { audiences, owner, queueOf } = await opened();
  const queue = queueOf('a', ADA);
  join(audiences, queue);
  expect(queue.listener).toMatchObject({ userId: ADA, role: Role.administrator });
  expect(audiences.listeners.get(ADA)).toBe(queue.listener);
  expect(queue.listener?.queues).toEqual([queue]);
  expect(idsOf(audiences.attached)).toEqual(['a']);
  expect(channelsOf(audiences)).toEqual([
    { channelId: GENERAL, state: 'active', listeners: 1 },
    { channelId: ARCHIVED, state: 'archived', listeners: 1 },
  ]);
  expect(owner.system.get(channelSystemId(GENERAL))).toBe(audiences.channels.get(GENERAL));
});

test('the queues of one user share a listener, and those of all users the actor of a channel', async () => {
  const { audiences, queueOf } = await opened();
  const queues = [queueOf('a', ADA), queueOf('b', ADA), queueOf('c', MAX)];
  for (const queue of queues) join(audiences, queue);
  expect(queues[1]?.listener).toBe(queues[0]?.listener);
  expect(queues[2]?.listener).not.toBe(queues[0]?.listener);
  expect(idsOf(audiences.listeners.get(ADA)?.queues ?? [])).toEqual(['a', 'b']);
  expect(channelsOf(audiences).map(({ listeners }) => listeners)).toEqual([3, 2]);
});

test('a change that is committed and not yet announced is not yet one of the audiences', async () => {
  const { audiences, queueOf } = await opened((tx) => {
    const left = { channelId: ARCHIVED, isSubscribed: false };
    tx.userChannels.put([ADA, ARCHIVED], { isActive: false });
    tx.membershipChanges.put([ADA, HEAD + 1, ARCHIVED], left);
  });
  join(audiences, queueOf('a', ADA));
  expect([...audiences.channels.keys()]).toEqual([GENERAL, ARCHIVED]);
});

test('a queue that leaves is in no audience any more, and the last one takes listener and channels along', async () => {
  const { audiences, owner, queueOf } = await opened();
  const [first, second, other] = [queueOf('a', ADA), queueOf('b', ADA), queueOf('c', MAX)];
  for (const queue of [first, second, other]) join(audiences, queue);
  leave(audiences, first);
  expect(first.listener).toBeNull();
  expect(idsOf(audiences.attached)).toEqual(['b', 'c']);
  expect(idsOf(audiences.listeners.get(ADA)?.queues ?? [])).toEqual(['b']);
  expect(channelsOf(audiences).map(({ listeners }) => listeners)).toEqual([2, 1]);

  leave(audiences, second);
  expect([...audiences.listeners.keys()]).toEqual([MAX]);
  expect(channelsOf(audiences)).toEqual([{ channelId: GENERAL, state: 'active', listeners: 1 }]);
  expect(owner.system.get(channelSystemId(ARCHIVED))).toBeUndefined();

  leave(audiences, other);
  expect(audiences.channels.size + audiences.listeners.size + audiences.attached.size).toBe(0);
  expect(owner.system.get(channelSystemId(GENERAL))).toBeUndefined();
});

test('a queue that leaves is live no more, and goes on where it was', async () => {
  const { audiences, queueOf } = await opened();
  const queue = queueOf('a', ADA);
  join(audiences, queue);
  connect(audiences.tail, queue, { consumer: testConsumer(), position: HEAD });
  expect(queue.isLive).toBe(true);
  audiences.tail.head = HEAD + 2;
  leave(audiences, queue);
  expect(queue).toMatchObject({ isLive: false, pending: null, position: HEAD + 2 });
});

test('only queues of all public channels are among these, for as long as they are attached', async () => {
  const { audiences, queueOf } = await opened();
  const [plain, ofAll] = [queueOf('a', ADA), queueOf('b', ADA, true)];
  join(audiences, plain);
  join(audiences, ofAll);
  expect(idsOf(audiences.publicQueues)).toEqual(['b']);
  leave(audiences, ofAll);
  expect(audiences.publicQueues.size).toBe(0);
});

test('leaving what one is not in changes nothing', async () => {
  const { audiences, queueOf } = await opened();
  const [joined, stranger] = [queueOf('a', ADA), queueOf('b', MAX)];
  join(audiences, joined);
  leave(audiences, stranger);
  leaveChannel(audiences, 99, joined);
  expect(idsOf(audiences.attached)).toEqual(['a']);
  expect(channelsOf(audiences).map(({ listeners }) => listeners)).toEqual([1, 1]);
});

test('a channel starts with the first queue that joins it, and once more after the last has left', async () => {
  const { audiences, queueOf } = await opened();
  const queue = queueOf('a', MAX);
  joinChannel(audiences, ARCHIVED, queue);
  const first = audiences.channels.get(ARCHIVED);
  leaveChannel(audiences, ARCHIVED, queue);
  expect(audiences.channels.has(ARCHIVED)).toBe(false);
  joinChannel(audiences, ARCHIVED, queue);
  expect(audiences.channels.get(ARCHIVED)).not.toBe(first);
  // A channel without a row is about to be made by the commit that is announced.
  joinChannel(audiences, 99, queue);
  expect(channelsOf(audiences)).toEqual([
    { channelId: ARCHIVED, state: 'archived', listeners: 1 },
    { channelId: 99, state: 'active', listeners: 1 },
  ]);
});
