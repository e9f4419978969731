import { expect, test } from 'vitest';
import {
  QUESTIONS_MISSED_MAX,
  TEXTS_MISSED_MAX,
} from '../../../src/operations/search/message-search.ts';
import { copyMessage } from '../../support/model/message-copies.ts';
import { ALL_BEFORE, fetch, ids, type Query } from '../../support/model/message-lists.ts';
import { ADA, GENERAL, IVY, MEL, RANDOM } from '../../support/model/model.ts';
import { type ModelledRealm, modelledRealm } from '../../support/model/modelled-realm.ts';

test('a search looks through 50,000 messages in vain, and then gives what it has or asks for less', async () => {
  const realm = await modelledRealm();
  await realm.run(realm.say(ADA, GENERAL, 'a', { content: 'needle' }));
  await realm.run(realm.say(ADA, GENERAL, 'a', { content: 'hay' }));
  const search = (query: Partial<Query>) =>
    fetch(realm, {
      as: ADA,
      narrow: [
        ['channel', 'general'],
        ['search', 'needles'],
      ],
      ...query,
    });
  await copies(realm, { of: 2, count: TEXTS_MISSED_MAX - 1 });
  expect(ids(search({ before: 1 }))).toEqual([1]);
  await copies(realm, { of: 2, count: 1 });
  expect(() => search({ before: 1 })).toThrow(/too many messages to look through/);

  const cut = search({ anchor: 0, after: 2 });
  expect([ids(cut), cut.found_newest]).toEqual([[1], false]);
  const whole = search({ anchor: 3, after: 1, before: 1 });
  expect(ids(whole)).toEqual([1]);
  expect([whole.found_oldest, whole.found_newest]).toEqual([false, true]);
});

test.each([
  { operator: 'search', operand: 'hay', count: 2, missesMax: TEXTS_MISSED_MAX / 2 },
  { operator: 'has', operand: 'link', count: 99, missesMax: Math.floor(QUESTIONS_MISSED_MAX / 99) },
])('asked about $count times $operator, it looks through fewer messages', async (row) => {
  const { operator, operand, count, missesMax } = row;
  const realm = await modelledRealm();
  await realm.run(realm.say(ADA, GENERAL, 'a', { content: 'hay https://example.com' }));
  const term = { operator, operand, negated: true };
  const narrow = [{ operator: 'channel', operand: 'general' }, ...Array(count).fill(term)];
  const search = () => ids(fetch(realm, { as: ADA, narrow, before: 1 }));
  // The list of messages that have something has the first message, so `has` does not look at it.
  const allowed = operator === 'has' ? missesMax : missesMax - 1;
  await copies(realm, { of: 1, count: allowed });
  expect(search()).toEqual([]);
  await copies(realm, { of: 1, count: 1 });
  expect(search).toThrow(/too many messages to look through/);
});

const copies = (realm: ModelledRealm, { of, count }: { of: number; count: number }) =>
  realm.run((tx) => {
    for (let copy = 0; copy < count; copy++) copyMessage(tx, of);
  });

test('who wrote elsewhere for long is found where they wrote twice, by the topics they took part in', async () => {
  const realm = await modelledRealm();
  await realm.steps([realm.join(MEL, GENERAL), realm.join(MEL, RANDOM)]);
  await realm.run(realm.say(IVY, RANDOM, 'first'));
  for (let round = 0; round < 90; round++) {
    await realm.steps([
      ...Array.from({ length: 12 }, () => realm.say(IVY, GENERAL, 'long')),
      ...Array.from({ length: 12 }, () => realm.say(ADA, RANDOM, `other ${round % 3}`)),
    ]);
  }
  await realm.run(realm.say(IVY, RANDOM, 'last'));
  const narrow = [
    { operator: 'sender', operand: IVY },
    { operator: 'channel', operand: RANDOM },
  ];
  let looks = 0;
  const { topicParticipants } = realm.reader;
  const reader = {
    ...realm.reader,
    topicParticipants: {
      ...topicParticipants,
      get: (key: Parameters<typeof topicParticipants.get>[0]) => {
        looks += 1;
        return topicParticipants.get(key);
      },
    },
  };
  const found = fetch({ ...realm, reader }, { as: MEL, narrow, ...ALL_BEFORE });
  expect(ids(found)).toEqual([1, 2162]);
  expect(looks).toBe(5);
  expect(ids(fetch(realm, { as: MEL, narrow, anchor: 'oldest', after: 5000 }))).toEqual([1, 2162]);
});
