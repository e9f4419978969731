import { describe, expect, test } from 'vitest';
import { parseNarrow } from '../../../src/domain/rules/messages/narrow.ts';
import { stemOf } from '../../../src/domain/rules/search/words.ts';
import { erase } from '../../../src/operations/messages/deletion.ts';
import { update } from '../../../src/operations/messages/updates.ts';
import { fetchMessages } from '../../../src/operations/reading/message-list.ts';
import * as searchIndex from '../../../src/operations/search/index.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { prepared, worked, workedPrepared } from '../../support/model/indexed-realm.ts';
import { ADA, GENERAL, IVY, MEL, RANDOM, TEAM } from '../../support/model/model.ts';
import { userOf } from '../../support/model/modelled-acts.ts';
import { type ModelledRealm, modelledRealm } from '../../support/model/modelled-realm.ts';
import { openRandom, type Random } from '../../support/random.ts';
import { runNumbers } from '../../support/runs.ts';
import { SITE } from '../../support/site.ts';

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
