import { describe, expect, test } from 'vitest';
import { parseNarrow } from '../../../src/domain/rules/messages/narrow.ts';
import { prefixTest } from '../../../src/domain/rules/search/search-terms.ts';
import { stemOf } from '../../../src/domain/rules/search/words.ts';
import { erase } from '../../../src/operations/messages/deletion.ts';
import { update } from '../../../src/operations/messages/updates.ts';
import { fetchMessages } from '../../../src/operations/reading/message-list.ts';
import { maybeMatching } from '../../../src/operations/search/candidates.ts';
import * as searchIndex from '../../../src/operations/search/index.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { ADA, GENERAL, IVY, MEL, RANDOM, TEAM } from '../../support/model/model.ts';
import { userOf } from '../../support/model/modelled-acts.ts';
import { type ModelledRealm, modelledRealm } from '../../support/model/modelled-realm.ts';
import { openRandom, type Random } from '../../support/random.ts';
import { runNumbers } from '../../support/runs.ts';
import { SITE } from '../../support/site.ts';

/**
 * These sizes are so small that a few messages make everything that there can be: several levels,
 * merges in many steps, pieces of text.
 */
const TINY: searchIndex.Sizes = {
  messages: 3,
  segmentsMerged: 2,
  levelMax: 3,
  characters: 400,
  idsMerged: 5,
  rowsRemoved: 2,
};

const WORDS = [
  ...['stop', 'stopped', 'Stops', 'stoop', 'the', 'THE', 'a', 'plan', 'planet', 'plane', 'Café'],
  ...[
    'cafes',
    '日本',
    '日本語',
    '本',
    '本x',
    'ok!',
    ':-/',
    '->',
    'x2',
    'ab'.repeat(50),
    '한국어',
    'ab를',
    'ßx',
  ],
] as const;
const QUERIES = [
  ...[
    'stop',
    'the',
    'a',
    'plan',
    'cafe',
    'the plan',
    'stopping the',
    'plan* the',
    'pl*',
    'nothing',
  ],
  ...['日本', '本', '日本語 the', '"the plan"', '"e pl"', '"plan"', '"lan"', '"日本 the"', '"本x"'],
  ...[
    ':-/',
    '"->"',
    '"-> the"',
    '"ok! "',
    `"${'ba'.repeat(20)}"`,
    'ab'.repeat(50),
    '한국어',
    '국어',
    'ab',
    '"국"',
  ],
  ...['"STOP" -> a', '', '" "', '"café"', 'p* s* t*'],
] as const;

/**
 * Tells in the plainest way whether a search finds a message. It shares only the stems with the
 * index.
 */
function matches({ content, topic }: MessageRow, query: string): boolean {
  const plain = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const texts = [plain(content), plain(topic)];
  const words = texts
    .flatMap((text) => text.match(/[\p{L}\p{N}]+/gu) ?? [])
    .flatMap((word) => word.split(/[\p{sc=Han}\p{sc=Hangul}]+/u));
  const stems = words.map(stemOf);
  return Array.from(plain(query).matchAll(/"([^"]+)"|[^\s"]+/g)).every(([token, phrase]) => {
    if (
      phrase !== undefined ||
      /[\p{sc=Han}\p{sc=Hangul}]/u.test(token) ||
      !/[\p{L}\p{N}]/u.test(token)
    ) {
      return texts.some((text) => text.includes(phrase ?? token));
    }
    if (token.endsWith('*')) return words.some((word) => word.startsWith(token.slice(0, -1)));
    return stems.includes(stemOf(token));
  });
}

function found(realm: ModelledRealm, as: number, narrow: readonly unknown[], forward = false) {
  const list = fetchMessages(realm.reader, {
    user: userOf(realm.reader, as),
    site: SITE,
    narrow: parseNarrow(narrow),
    anchor: forward ? 'oldest' : 'newest',
    includeAnchor: true,
    numBefore: forward ? 0 : 5000,
    numAfter: forward ? 5000 : 0,
    applyMarkdown: false,
    clientGravatar: false,
    allowEmptyTopicName: true,
  });
  return (list.messages as { id: number }[]).map(({ id }) => id);
}

const NARROWS = [
  [],
  [['channel', 'general']],
  [['channels', 'public']],
  [['is', 'dm']],
  [['sender', 'Mel@example.com']],
  [['is', 'starred']],
] as const;

function expectSame(realm: ModelledRealm, as: number, label: string) {
  for (const narrow of NARROWS) {
    const all = found(realm, as, narrow).map((id) => rowOf(realm, id));
    for (const query of QUERIES) {
      const wanted = all.filter((row) => matches(row, query)).map(({ id }) => id);
      const searched = [...narrow, ['search', query]];
      const told = `${label}, for ${as}: ${JSON.stringify(searched)}`;
      expect(found(realm, as, searched), told).toEqual(wanted);
      expect(found(realm, as, searched, true), told).toEqual(wanted);
    }
  }
}

const rowOf = ({ reader }: ModelledRealm, id: number) =>
  reader.messages.get([id]) ?? expect.fail(`there is a message ${id}`);

const text = (random: Random) =>
  Array.from({ length: 1 + random.below(5) }, () => random.pick(WORDS)).join(
    random.chance(0.2) ? ' ** ' : ' ',
  );

const textsOf = (topic: string) => topic.slice(0, 40);

function act(realm: ModelledRealm, random: Random) {
  const ids = realm.model.messages
    .map(({ id }) => id)
    .filter((id) => realm.reader.messages.has([id]));
  const id = ids.length === 0 ? 0 : (ids[random.below(ids.length)] ?? 0);
  const content = text(random);
  const who = random.pick([ADA, MEL, IVY]);
  const kind = id === 0 ? 0 : random.below(12);
  if (kind < 6) {
    const topic = textsOf(text(random));
    return realm.say(who, random.pick([GENERAL, RANDOM, TEAM]), topic, { content });
  }
  if (kind === 6) return realm.tell(who, [random.pick([ADA, MEL, IVY])], { content });
  if (kind === 7) return (tx: RealmTransaction) => erase(tx, [rowOf(realm, id)]);
  if (kind === 8) return realm.star(who, id);
  const isMove = kind > 9 && rowOf(realm, id).channelId !== null;
  return (tx: RealmTransaction) =>
    update(
      tx,
      { user: userOf(tx, isMove ? ADA : rowOf(realm, id).senderId), site: SITE, client: 'test' },
      {
        request: {
          messageId: id,
          content: isMove ? undefined : content,
          topic: isMove ? textsOf(text(random)) : undefined,
          channelId: undefined,
          mode: random.pick(['change_one', 'change_later', 'change_all']),
          notifiesOldThread: false,
          notifiesNewThread: false,
          contentHash: undefined,
        },
        rest: undefined,
      },
    );
}

const worked = (realm: ModelledRealm) => realm.run((tx) => searchIndex.step(tx, { sizes: TINY }));

/** Reads a message of the next segment. Returns whether a step has nothing to wait for. */
const prepared = ({ reader }: ModelledRealm) =>
  searchIndex.prepare(reader, { sizes: TINY, clockMs: everLater() });

/** Makes a step as a realm does it: with the segment that was read before, be it whole or not. */
const workedPrepared = (realm: ModelledRealm) =>
  realm.run((tx) =>
    searchIndex.step(tx, { sizes: TINY, prepared: searchIndex.preparedIn(realm.reader) }),
  );

describe('an index finds what looking at every message would find', () => {
  test.each(runNumbers({ few: 1, all: 3 }))(
    'whatever was sent, edited, moved and deleted (seed %d)',
    async (seed) => {
      const random = openRandom(seed);
      const realm = await modelledRealm();
      await realm.steps([ADA, MEL, IVY].map((user) => realm.join(user, GENERAL)));
      await realm.steps([ADA, MEL].map((user) => realm.join(user, TEAM)));
      for (let round = 0; round < 150; round++) {
        await realm.steps([act(realm, random)]);
        for (let steps = random.below(8); steps > 0; steps--) {
          if (random.chance(0.3)) await worked(realm);
          else if (random.chance(0.6)) prepared(realm);
          else await workedPrepared(realm);
        }
        if (random.chance(0.03)) await realm.restart();
        if (round % 50 === 49) {
          expectSame(realm, random.pick([ADA, MEL, IVY]), `seed ${seed}, round ${round}`);
        }
      }
      while (await worked(realm));
      const { segments, throughMessageId } = searchIndex.progressOf(realm.reader);
      expect(segments.map((ids) => ids.length > 0)).toEqual([
        expect.any(Boolean),
        expect.any(Boolean),
        expect.any(Boolean),
        true,
      ]);
      expect(throughMessageId).toBeGreaterThan(60);
      for (const user of [ADA, MEL, IVY]) expectSame(realm, user, `seed ${seed}, at the end`);
    },
  );
});

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

test('a realm that is far behind reads a segment as a whole', async () => {
  const realm = await indexedRealm(Array.from({ length: 9 * TINY.messages }, () => 'one'));
  expect(prepared(realm)).toBe(true);
  expect(await workedPrepared(realm)).toBe(true);
  expect(prepared(realm), 'it is not so far behind any more').toBe(false);
});

test('a segment is read again when the realm starts again before it was written', async () => {
  const realm = await indexedRealm(['one', 'two', 'three']);
  expect(prepared(realm)).toBe(false);
  await realm.restart();
  expect(searchIndex.preparedIn(realm.reader)).toBe(null);
  const parts = Array.from({ length: 3 }, () => prepared(realm));
  expect(parts.at(-1)).toBe(true);
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

/** A clock that is a millisecond later each time. */
const everLater = () => {
  let now = 0;
  return () => now++;
};
