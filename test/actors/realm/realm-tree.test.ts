import { expect, test } from 'vitest';
import { openRealmParts } from '../../../actors/realm/parts.ts';
import { describeRealm } from '../../../actors/realm/realm-tree.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { startRealmActor } from '../../support/actors/attached-queue.ts';
import { testConsumer } from '../../support/actors/listening.ts';
import { testInput } from '../../support/actors/realm-input.ts';
import {
  addChannel,
  addRealm,
  addUser,
  openTestStore,
  subscribe,
} from '../../support/actors/realm-store.ts';
import { ADA, rowOf } from '../../support/actors/swept-realm.ts';
import { temporaryFolder } from '../../support/scratch.ts';

const MAX = ADA + 1;
const [GENERAL, ARCHIVED] = [3, 4];

function write(tx: RealmTransaction) {
  addRealm(tx);
  addChannel(tx, GENERAL);
  addChannel(tx, ARCHIVED, { isArchived: true });
  for (const userId of [ADA, MAX]) {
    addUser(tx, userId);
    subscribe(tx, userId, GENERAL);
  }
  subscribe(tx, MAX, ARCHIVED);
  tx.queues.put(['a'], rowOf({ keyHash: 'key of a' }));
  tx.queues.put(['b'], rowOf({ userId: MAX, keyHash: 'key of b' }));
  tx.queues.put(['c'], rowOf());
  tx.keyUses.put([ADA, 'key of a'], { usedAt: 1, client: 'phone', addressClass: null });
}

async function opened() {
  const path = temporaryFolder();
  const before = openTestStore(path);
  await before.write(write);
  await before.close();
  const parts = await openRealmParts({ ...testInput(path), owner: startRealmActor() });
  parts.door.open();
  const attach = (id: string, takesOne = false) => {
    const consumer = testConsumer({ takesOne });
    const queue = parts.queues.all().get(id) ?? expect.fail(`there is no queue ${id}`);
    // The restart was event 1.
    expect(parts.queues.attach(queue, 1, consumer)).toBe('attached');
    return consumer;
  };
  return { parts, attach };
}

test('a realm to which nobody listens has no channels, and only counts its queues', async () => {
  const { parts } = await opened();
  expect(describeRealm(parts)).toEqual({
    state: parts.actor.getSnapshot().value,
    channels: [],
    queues: [],
    detachedQueues: 3,
  });
});

test('it describes the channels that are listened to and the queues that are attached', async () => {
  const { parts, attach } = await opened();
  attach('a', true);
  parts.queues.consumerGone('b', attach('b'));
  expect(describeRealm(parts)).toMatchObject({
    channels: [
      { channelId: GENERAL, state: 'active', listeners: 2 },
      { channelId: ARCHIVED, state: 'archived', listeners: 1 },
    ],
    queues: [
      { id: 'a', userId: ADA, state: 'attached', consumer: 'poll', isLive: true },
      { id: 'b', userId: MAX, state: 'attached', consumer: null, isLive: false },
    ],
    detachedQueues: 1,
  });
  attach('b');
  expect(describeRealm(parts).queues[1]).toMatchObject({ consumer: 'socket', isLive: true });
});

test('a queue has the client that last used its key, also before that is written', async () => {
  const { parts, attach } = await opened();
  for (const id of ['a', 'b', 'c']) attach(id);
  const clients = () => describeRealm(parts).queues.map(({ client }) => client);
  // The key of the second was never used, and that of the third is not known.
  expect(clients()).toEqual(['phone', null, null]);
  const from = { client: 'website', address: '' };
  parts.keyUses.note({ userId: ADA, keyHash: 'key of a' }, from, 2_000);
  parts.keyUses.note({ userId: MAX, keyHash: 'key of b' }, from, 2_000);
  expect(clients()).toEqual(['website', 'website', null]);
});

test('a realm that has failed is described without what only its store knows', async () => {
  const { parts, attach } = await opened();
  attach('a');
  parts.door.close();
  await parts.close();
  expect(describeRealm(parts)).toMatchObject({
    channels: [{ channelId: GENERAL, listeners: 1 }],
    queues: [{ id: 'a', state: 'attached', client: null }],
    detachedQueues: 2,
  });
});
