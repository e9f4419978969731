import { expect, test } from 'vitest';
import { prefixTest } from '../../../src/domain/rules/search/search-terms.ts';
import { erase } from '../../../src/operations/messages/deletion.ts';
import { maybeMatching } from '../../../src/operations/search/candidates.ts';
import * as searchIndex from '../../../src/operations/search/index.ts';
import {
  everLater,
  prepared,
  TINY,
  worked,
  workedPrepared,
} from '../../support/model/indexed-realm.ts';
import { ADA, GENERAL } from '../../support/model/model.ts';
import { type ModelledRealm, modelledRealm } from '../../support/model/modelled-realm.ts';

/** Opens a realm in which Ada has sent these messages, before any of them is indexed. */
async function indexedRealm(contents: readonly string[]) {
  const realm = await modelledRealm();
  await realm.steps(contents.map((content) => realm.say(ADA, GENERAL, '', { content })));
  return realm;
}

const candidates = ({ reader }: ModelledRealm, beginning: string) => {
  const iterator = maybeMatching(reader, [[{ test: prefixTest(beginning), at: 0 }]])(-1);
  const ids: number[] = [];
  for (let id = iterator.seek(1000); id !== undefined; id = iterator.seek(id - 1)) ids.push(id);
  return ids;
};

test('messages are looked at themselves until there are enough for a segment', async () => {
  const realm = await indexedRealm(['one', 'two']);
  expect(await worked(realm)).toBe(false);
  expect(candidates(realm, 'one')).toEqual([2, 1]);

  await realm.run(realm.say(ADA, GENERAL, '', { content: 'one' }));
  expect(await worked(realm)).toBe(true);
  expect(candidates(realm, 'one')).toEqual([3, 1]);
  expect(candidates(realm, 'none')).toEqual([]);
});

test('what says something else than in the index is looked at itself until it is indexed anew', async () => {
  const realm = await indexedRealm(['one', 'two', 'three']);
  await worked(realm);
  const edit = (id: number, content: string) =>
    realm.run((tx) => {
      const before = tx.messages.get([id]) ?? expect.fail('it is there');
      const after = { ...before, content, renderedContent: `<p>${content}</p>` };
      searchIndex.noteChange(tx, before, after);
      tx.messages.put([id], after);
    });
  await edit(2, 'two');
  expect(candidates(realm, 'four')).toEqual([]);
  await edit(2, 'four');
  expect(candidates(realm, 'four')).toEqual([2]);
  await edit(1, 'four');
  await edit(3, 'five');
  expect(candidates(realm, 'four')).toEqual([3, 2, 1]);
  expect(await worked(realm)).toBe(true);
  expect(candidates(realm, 'four')).toEqual([2, 1]);
  // The old segment never changes: the message itself shows that it no longer has the word.
  expect(candidates(realm, 'two')).toEqual([2]);
});

test('a message that changes after it was read for a segment, and before it is written, is found', async () => {
  const realm = await indexedRealm(['one', 'two', 'three']);
  const edit = (id: number, content: string) =>
    realm.run((tx) => {
      const before = tx.messages.get([id]) ?? expect.fail('it is there');
      const after = { ...before, content, renderedContent: `<p>${content}</p>` };
      tx.messages.put([id], after);
      searchIndex.noteChange(tx, before, after);
    });
  expect(prepared(realm)).toBe(false);
  expect(await workedPrepared(realm), 'it waits until all is read').toBe(false);
  await edit(1, 'four');
  await edit(3, 'four');
  while (!prepared(realm));
  expect(await workedPrepared(realm)).toBe(true);
  expect(searchIndex.progressOf(realm.reader).throughMessageId).toBe(3);
  // The first was read before its change; the third after it, so that the index has what it says.
  expect([...realm.reader.rewordedMessages.keys({})]).toEqual([[1]]);
  expect(candidates(realm, 'four')).toEqual([3, 1]);
  expect(candidates(realm, 'two')).toEqual([2, 1]);
});

test('a realm that is far behind reads more of a segment at a time', async () => {
  const realm = await indexedRealm(Array.from({ length: 9 * TINY.messages }, () => 'one'));
  const readings = () => {
    let count = 0;
    while (!prepared(realm)) count += 1;
    return count;
  };
  expect(readings(), 'the second part leaves time to write it').toBe(1);
  expect(await workedPrepared(realm)).toBe(true);
  expect(readings(), 'it is not so far behind any more').toBe(3);
});

test('a segment is read again when the realm starts again before it was written', async () => {
  const realm = await indexedRealm(['one', 'two', 'three']);
  expect(prepared(realm)).toBe(false);
  await realm.restart();
  expect(searchIndex.preparedIn(realm.reader)).toBe(null);
  const parts = Array.from({ length: 4 }, () => prepared(realm));
  expect(parts, 'others have their turns after each').toEqual([false, false, false, true]);
  expect(await workedPrepared(realm)).toBe(true);
  expect(candidates(realm, 'one')).toEqual([1]);
});

test('a step of a merge that was undone is made again, with all of its terms', async () => {
  const words = Array.from({ length: 6 }, (_, at) => `one${at} two${at} three${at} four${at}`);
  const realm = await indexedRealm(words);
  const mergeOf = () => searchIndex.progressOf(realm.reader).merge;
  while (mergeOf() === null) expect(await worked(realm)).toBe(true);
  let undone = 0;
  for (let merge = mergeOf(); merge !== null; merge = mergeOf()) {
    const refused = realm.run((tx) => {
      searchIndex.step(tx, { sizes: TINY });
      throw new Error('undone');
    });
    await expect(refused).rejects.toThrow('undone');
    expect(mergeOf()).toEqual(merge);
    undone += 1;
    await worked(realm);
  }
  expect(undone).toBeGreaterThan(3);
  for (const word of words.flatMap((text) => text.split(' '))) {
    expect(candidates(realm, word), word).toEqual([Number(word.at(-1)) + 1]);
  }
});

test('a merge of lists that are long is made in steps that end when their time is over', async () => {
  const words = Array.from({ length: 20 }, (_, at) => `word${at}`);
  const realm = await indexedRealm(Array.from({ length: 512 }, () => words.join(' ')));
  const sizes = { ...searchIndex.SIZES, messages: 64, segmentsMerged: 8, idsMerged: 100_000 };
  const step = (isOver: () => boolean) =>
    realm.run((tx) => searchIndex.step(tx, { sizes, isOver }));
  const mergeOf = () => searchIndex.progressOf(realm.reader).merge;
  while (mergeOf() === null) expect(await step(() => true)).toBe(true);
  const stepsWhile = async (isSo: () => boolean) => {
    let steps = 0;
    for (; isSo(); steps++) await step(() => true);
    return steps;
  };
  // The first step opens a source, and each of the next ones another.
  expect(await stepsWhile(() => mergeOf()?.afterTerm === '')).toBe(8);
  expect(await stepsWhile(() => mergeOf() !== null)).toBe(2);
  const rowsOf = () => realm.reader.searchPostings.count() + realm.reader.searchBlocks.count();
  const before = rowsOf();
  await step(() => true);
  expect(before - rowsOf(), 'a step removes one row when its time is over').toBe(1);
  while (await step(() => true));
  const { segments, removed } = searchIndex.progressOf(realm.reader);
  const kept = new Set(Array.from(realm.reader.searchPostings.keys({}), ([id]) => id));
  expect(removed).toEqual([]);
  expect([...kept].every((id) => segments.flat().includes(id))).toBe(true);
  for (const word of words) expect(candidates(realm, word)).toHaveLength(512);
});

test('segments all of whose messages are deleted go with the next merge', async () => {
  const realm = await indexedRealm(Array.from({ length: 12 }, (_, at) => `word${at}`));
  while (await worked(realm));
  const before = searchIndex.progressOf(realm.reader).segments.flat();
  await realm.run((tx) =>
    erase(
      tx,
      [...tx.messages.range({ end: [13] })].map(([, row]) => row),
    ),
  );
  await realm.steps(
    Array.from({ length: 12 }, () => realm.say(ADA, GENERAL, '', { content: 'x' })),
  );
  while (await worked(realm));
  const after = searchIndex.progressOf(realm.reader).segments.flat();
  expect(after.filter((id) => before.includes(id))).toEqual([]);
  const kept = new Set(Array.from(realm.reader.searchBlocks.keys({}), ([id]) => id));
  expect([...kept]).toEqual(after.toSorted((one, other) => one - other));
});

test('after a bug the index rests for an hour, and then goes on', async () => {
  const realm = await indexedRealm([]);
  await realm.steps(
    Array.from({ length: searchIndex.SIZES.messages }, () => realm.say(ADA, GENERAL, '')),
  );
  expect(searchIndex.nextAt(realm.reader)).toBe(0);
  const now = await realm.run((tx) => {
    searchIndex.rest(tx);
    return tx.now;
  });
  expect(searchIndex.nextAt(realm.reader)).toBe(now + 3_600_000);
  expect(await realm.run((tx) => searchIndex.step(tx))).toBe(true);
  expect(searchIndex.nextAt(realm.reader)).toBeUndefined();
});

test('sends wake the index when there is enough for a segment, and not before', async () => {
  const realm = await indexedRealm([]);
  const say = () => realm.say(ADA, GENERAL, '');
  const wakes = () =>
    realm.run((tx) =>
      Array.from({ length: 2 * searchIndex.SIZES.messages }, (_, at) => at + 1).filter((id) => {
        let isWoken = false;
        searchIndex.noteSent({ ...tx, wakeAt: () => (isWoken = true) }, id);
        return isWoken;
      }),
    );
  expect(await wakes()).toEqual([256, 320, 384, 448, 512]);
  await realm.steps(Array.from({ length: searchIndex.SIZES.messages }, say));
  await realm.run((tx) => searchIndex.step(tx));
  expect(await wakes()).toEqual([512]);
});

test('small steps share an operation until a millisecond has passed', async () => {
  const realm = await indexedRealm([]);
  await realm.steps(Array.from({ length: 8 * TINY.messages }, () => realm.say(ADA, GENERAL, '')));
  const stepsLeft = async () => {
    let count = 0;
    while (await worked(realm)) count += 1;
    return count;
  };

  await realm.run((tx) => searchIndex.work(tx, { sizes: TINY, clockMs: everLater() }));
  const progress = searchIndex.progressOf(realm.reader);
  await realm.run((tx) => searchIndex.work(tx, { sizes: TINY, clockMs: () => 0 }));

  expect(progress.throughMessageId).toBe(TINY.messages);
  expect(await stepsLeft()).toBe(0);
});
