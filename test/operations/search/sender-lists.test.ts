import { expect, test } from 'vitest';
import type { Direction } from '../../../src/operations/indexes/ids/iterators.ts';
import { erase } from '../../../src/operations/messages/deletion.ts';
import * as senderLists from '../../../src/operations/search/sender-lists.ts';
import { ADA, GENERAL, IVY, MEL, PEOPLE } from '../../support/model/model.ts';
import { type ModelledRealm, modelledRealm } from '../../support/model/modelled-realm.ts';
import { openRandom } from '../../support/random.ts';
import { runNumbers } from '../../support/runs.ts';

/** So small that a few messages are in all the places that there are. */
const TINY: senderLists.Sizes = { block: 3, listed: 12, rows: 5 };

const step = (realm: ModelledRealm) => realm.run((tx) => senderLists.step(tx, { sizes: TINY }));

/** Makes a step as a realm does it, with what was sorted before. */
const preparedStep = (realm: ModelledRealm) => {
  senderLists.prepare(realm.reader, TINY);
  const prepared = senderLists.preparedIn(realm.reader);
  return realm.run((tx) => senderLists.step(tx, { sizes: TINY, prepared }));
};

function found({ reader }: ModelledRealm, senderId: number, direction: Direction): number[] {
  const iterator = senderLists.sentBy(reader, senderId)(direction);
  const ids: number[] = [];
  const first = direction === 1 ? 0 : 10_000;
  for (let id = iterator.seek(first); id !== undefined; id = iterator.seek(id + direction)) {
    if (reader.messages.has([id])) ids.push(id);
  }
  return ids;
}

const places = ({ reader }: ModelledRealm) => ({
  listedThrough: reader.senderLists.get(['senders'])?.listedThrough,
  listed: reader.senderMessages.count(),
  blocks: reader.senderBlocks.count(),
});

function expectAllFound(realm: ModelledRealm) {
  const rows = Array.from(realm.reader.messages.range({}), ([, row]) => row);
  for (const person of PEOPLE) {
    const sent = rows.filter(({ senderId }) => senderId === person).map(({ id }) => id);
    expect(found(realm, person, 1)).toEqual(sent);
    expect(found(realm, person, -1)).toEqual(sent.toReversed());
    const isFound = (id: number) => senderLists.isFoundBySender(realm.reader, person, id);
    expect(sent.every(isFound)).toBe(true);
    const { blockedThrough = 0 } = realm.reader.senderProgress.get(['senders']) ?? {};
    const notSent = rows.filter(({ id, senderId }) => id <= blockedThrough && senderId !== person);
    expect(notSent.filter(({ id }) => isFound(id))).toEqual([]);
    const listed = [...realm.reader.senderMessages.keysUnder([person])];
    expect(listed.every(([, id]) => sent.includes(id))).toBe(true);
  }
}

test('messages are looked at themselves, then in blocks, then listed together', async () => {
  const realm = await modelledRealm();
  const say = (count: number) =>
    realm.steps(Array.from({ length: count }, () => realm.say(ADA, GENERAL, '')));
  await say(2);
  expect(await step(realm)).toBe(false);
  expect(places(realm)).toEqual({ listedThrough: 0, listed: 0, blocks: 0 });
  expectAllFound(realm);

  await say(10);
  for (let blocks = 1; blocks <= 4; blocks++) {
    expect(await step(realm)).toBe(true);
    expect(places(realm)).toEqual({ listedThrough: 0, listed: 0, blocks });
    expectAllFound(realm);
  }
  for (const listed of [5, 10]) {
    expect(await step(realm)).toBe(true);
    expect(places(realm)).toEqual({ listedThrough: 0, listed, blocks: 4 });
    expectAllFound(realm);
  }
  await realm.restart();
  expect(await step(realm)).toBe(true);
  expect(places(realm)).toEqual({ listedThrough: 12, listed: 12, blocks: 0 });
  expectAllFound(realm);
  expect(await step(realm)).toBe(false);
});

test('a message that is deleted while a list is written is not in it', async () => {
  const realm = await modelledRealm();
  await realm.steps(Array.from({ length: 12 }, () => realm.say(ADA, GENERAL, '')));
  for (let steps = 0; steps < 5; steps++) await step(realm);
  expect(places(realm)).toMatchObject({ listed: 5, blocks: 4 });
  await realm.run((tx) => {
    for (const id of [2, 9]) erase(tx, [tx.messages.get([id]) ?? expect.fail('it is there')]);
  });
  expectAllFound(realm);
  while (await step(realm));
  expect(places(realm)).toEqual({ listedThrough: 12, listed: 10, blocks: 0 });
  expectAllFound(realm);
});

test.each(runNumbers({ few: 3, all: 20, most: 100 }))(
  'the messages of everyone are found, whatever is sent, deleted and listed (run %i)',
  async (seed) => {
    const random = openRandom(seed);
    const realm = await modelledRealm();
    for (let act = 0; act < 120; act++) {
      if (random.chance(0.5))
        await realm.steps([realm.say(random.pick([ADA, IVY, MEL]), GENERAL, '')]);
      else if (random.chance(0.8)) await random.pick([step, preparedStep])(realm);
      else {
        await realm.run((tx) => {
          const row = tx.messages.get([1 + random.below(tx.lastId('message') + 1)]);
          if (row !== undefined) erase(tx, [row]);
        });
      }
      if (act % 10 === 0) expectAllFound(realm);
    }
    expectAllFound(realm);
    expect(places(realm).listedThrough).toBeGreaterThan(0);
  },
);

test('a store of before, read as it is, has all messages in the list', async () => {
  const realm = await modelledRealm();
  await realm.steps(Array.from({ length: 12 }, () => realm.say(ADA, GENERAL, '')));
  while (await step(realm));
  await realm.run((tx) => {
    tx.senderLists.remove(['senders']);
    tx.senderProgress.remove(['senders']);
  });
  expect(found(realm, ADA, -1)).toHaveLength(12);
  expect(senderLists.isFoundBySender(realm.reader, ADA, 12)).toBe(true);
  expect(senderLists.isFoundBySender(realm.reader, ADA, 13)).toBe(false);
  expect(senderLists.nextAt(realm.reader)).toBeUndefined();
});

test('a step ends in the middle of its rows when its time is over, and the next one goes on', async () => {
  const realm = await modelledRealm();
  await realm.steps(Array.from({ length: 40 }, () => realm.say(ADA, GENERAL, '')));
  const sizes = { block: 10, listed: 40, rows: 40 };
  const late = () => realm.run((tx) => senderLists.step(tx, { sizes, isOver: () => true }));
  for (let blocks = 1; blocks <= 4; blocks++) await late();
  for (const listed of [16, 32, 40]) {
    await late();
    expect(places(realm)).toMatchObject({ listed, listedThrough: listed === 40 ? 40 : 0 });
    expectAllFound(realm);
  }
});

test('after a bug the lists rest, and messages are found meanwhile', async () => {
  const realm = await modelledRealm();
  await realm.steps(Array.from({ length: 300 }, () => realm.say(ADA, GENERAL, '')));
  expect(senderLists.nextAt(realm.reader)).toBe(0);
  const now = await realm.run((tx) => {
    senderLists.rest(tx);
    return tx.now;
  });
  expect(senderLists.nextAt(realm.reader)).toBe(now + 3_600_000);
  expectAllFound(realm);
  await realm.run((tx) => senderLists.work(tx, { clockMs: () => 0 }));
  expect(places(realm)).toEqual({ listedThrough: 0, listed: 0, blocks: 1 });
  expect(senderLists.nextAt(realm.reader)).toBeUndefined();
});
