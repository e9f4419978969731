import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { openTopicTally } from '../../../src/operations/importing/topic-tally.ts';
import { openRealmStore } from '../../../storage/store.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { makeScratch } from '../../support/scratch.ts';

const [ADA, GRACE] = [10, 11];

test('a tally adds to what is counted of its topics, and leaves the others', async () => {
  const { run, reader } = openStore();
  await run((tx) => {
    tx.topics.put([1, 'plans'], { name: 'Plans', newestMessageId: 5, messageCount: 2 });
    tx.topicParticipants.put([1, 'plans', ADA], { sent: 2, reacted: 1 });
    tx.topics.put([2, 'plans'], { name: 'plans', newestMessageId: 3, messageCount: 1 });
  });
  await run((tx) => {
    const tally = openTopicTally();
    tally.addMessage({ id: 6, senderId: ADA, channelId: 1, topic: 'PLANS' });
    tally.addReaction({ id: 6, senderId: ADA, channelId: 1, topic: 'PLANS' }, GRACE);
    tally.addMessage({ id: 7, senderId: GRACE, channelId: 1, topic: 'plans' });
    tally.addReaction({ id: 7, senderId: GRACE, channelId: 1, topic: 'plans' }, GRACE);
    tally.addMessage({ id: 8, senderId: ADA, channelId: 1, topic: 'News' });
    tally.writeTo(tx);
  });
  expect([...reader.topics.range({})]).toEqual([
    [[1, 'news'], { name: 'News', newestMessageId: 8, messageCount: 1 }],
    [[1, 'plans'], { name: 'plans', newestMessageId: 7, messageCount: 4 }],
    [[2, 'plans'], { name: 'plans', newestMessageId: 3, messageCount: 1 }],
  ]);
  expect([...reader.topicParticipants.range({})]).toEqual([
    [[1, 'news', ADA], { sent: 1, reacted: 0 }],
    [[1, 'plans', ADA], { sent: 3, reacted: 1 }],
    [[1, 'plans', GRACE], { sent: 1, reacted: 2 }],
  ]);
});

test('direct messages are in no topic', async () => {
  const { run, reader } = openStore();
  await run((tx) => {
    const tally = openTopicTally();
    const direct = { id: 1, senderId: ADA, channelId: null, topic: '' };
    tally.addMessage(direct);
    tally.addReaction(direct, GRACE);
    tally.writeTo(tx);
  });
  expect([...reader.topics.range({})]).toEqual([]);
  expect([...reader.topicParticipants.range({})]).toEqual([]);
});

function openStore() {
  const directory = makeScratch();
  const store = openRealmStore(directory);
  onTestFinished(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });
  return {
    reader: store.reader,
    async run(operation: (tx: RealmTransaction) => void) {
      const outcomes = await store.commit(
        () => [operation],
        () => 0,
      );
      for (const outcome of outcomes) if ('error' in outcome) throw outcome.error;
    },
  };
}
