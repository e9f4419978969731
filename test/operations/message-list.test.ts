import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MESSAGES_PER_FETCH_MAX } from '../../src/domain/limits.ts';
import { renderMarkdown } from '../../src/domain/markdown.ts';
import { type NarrowTerm, parseNarrow } from '../../src/domain/narrow.ts';
import { isResolvedTopic } from '../../src/domain/topic.ts';
import type { Caller } from '../../src/operations/caller.ts';
import { messageDirectory } from '../../src/operations/mention-directory.ts';
import {
  type Anchor,
  fetchMessage,
  fetchMessages,
  fetchMessagesById,
} from '../../src/operations/message-list.ts';
import { QUESTIONS_MISSED_MAX, TEXTS_MISSED_MAX } from '../../src/operations/message-search.ts';
import * as messages from '../../src/operations/messages.ts';
import type { Policy as TopicPolicy } from '../../src/operations/user-topics.ts';
import type { RealmTransaction } from '../../storage/realm-store.ts';
import {
  ADA,
  BOARD,
  GENERAL,
  GUS,
  IVY,
  isMutedFor,
  isSubscribedIn,
  MEL,
  type ModelledRealm,
  type ModelMessage,
  mayRead,
  modelledRealm,
  openModelledRealm,
  PEOPLE,
  PLACE,
  policyOf,
  RANDOM,
  type Step,
  sameTopic,
  TEAM,
  userOf,
} from '../support/modelled-realm.ts';

const LAST = 10_000_000_000_000_000;
const FORM = { applyMarkdown: false, clientGravatar: false, allowEmptyTopicName: true };

interface Query {
  readonly as: number;
  readonly narrow?: unknown;
  readonly anchor?: Anchor;
  readonly before?: number;
  readonly after?: number;
  readonly includeAnchor?: boolean;
  readonly form?: Partial<typeof FORM>;
}

function fetch({ reader }: ModelledRealm, query: Query) {
  const { as, narrow, anchor = 'newest', before = 0, after = 0, includeAnchor = true } = query;
  const list = fetchMessages(reader, {
    ...FORM,
    ...query.form,
    user: userOf(reader, as),
    place: PLACE,
    narrow: parseNarrow(narrow),
    anchor,
    includeAnchor,
    numBefore: before,
    numAfter: after,
  });
  return { ...list, messages: list.messages as Wire[] };
}

interface Wire {
  readonly id: number;
  readonly flags: readonly string[];
  readonly [field: string]: unknown;
}

const ids = (list: { messages: readonly Wire[] }) => list.messages.map(({ id }) => id);
const ALL_BEFORE = { before: 5000 };

test('a message as the list gives it: the fields of the reference, with flags', async () => {
  const realm = await modelledRealm();
  await realm.steps([realm.join(MEL, GENERAL)]);
  await realm.steps([
    realm.say(ADA, GENERAL, '', { content: '**hi** @**Mel Doe**' }),
    realm.tell(MEL, [IVY]),
  ]);
  const { messages, ...rest } = fetch(realm, {
    as: MEL,
    before: 10,
    form: { applyMarkdown: true },
  });
  expect(rest).toEqual({
    found_anchor: false,
    found_oldest: true,
    found_newest: true,
    history_limited: false,
    anchor: LAST,
  });
  expect(messages[0]).toEqual({
    id: 1,
    sender_id: ADA,
    sender_full_name: 'Ada Doe',
    sender_email: 'Ada@example.com',
    sender_realm_str: 'demo',
    client: 'test',
    content: expect.stringContaining('<strong>hi</strong>'),
    content_type: 'text/html',
    timestamp: expect.any(Number),
    type: 'stream',
    stream_id: GENERAL,
    recipient_id: expect.any(Number),
    display_recipient: 'general',
    subject: '',
    topic_links: [],
    is_me_message: false,
    reactions: [],
    submessages: [],
    avatar_url: expect.stringMatching(/^\/avatar\/\d+\?v=1$/),
    flags: ['mentioned'],
  });
  expect(messages[1]).toMatchObject({
    type: 'private',
    display_recipient: [{ email: 'Ivy@example.com' }, { email: 'Mel@example.com' }],
    flags: [],
  });

  const form = { allowEmptyTopicName: false, clientGravatar: true };
  const [plain] = fetch(realm, { as: MEL, before: 10, form }).messages;
  expect(plain).toMatchObject({ subject: 'general chat', avatar_url: null });
  expect(plain).toMatchObject({ content: '**hi** @**Mel Doe**', content_type: 'text/x-markdown' });
});

test('anchors and what was found are those of reference 2.1', async () => {
  const realm = await modelledRealm();
  await realm.steps([realm.join(MEL, GENERAL)]);
  for (let index = 0; index < 6; index++) await realm.run(realm.say(ADA, GENERAL, 'a'));
  await realm.run(realm.read(MEL, [1, 2]));
  const found = (query: Partial<Query>) => {
    const list = fetch(realm, { as: MEL, ...query });
    const { found_anchor, found_oldest, found_newest, anchor } = list;
    return [ids(list), anchor, found_anchor, found_oldest, found_newest];
  };

  expect(found({ anchor: 3 })).toEqual([[3], 3, true, false, false]);
  expect(found({ anchor: 7 })).toEqual([[], 7, false, false, false]);
  expect(found({ anchor: 3, before: 2 })).toEqual([[1, 2, 3], 3, true, false, false]);
  expect(found({ anchor: 3, before: 3 })).toEqual([[1, 2, 3], 3, true, true, false]);
  expect(found({ anchor: 3, after: 3 })).toEqual([[3, 4, 5, 6], 3, true, false, false]);
  expect(found({ anchor: 3, after: 4 })).toEqual([[3, 4, 5, 6], 3, true, false, true]);
  expect(found({ anchor: 3, before: 1, after: 1 })).toEqual([[2, 3, 4], 3, true, false, false]);
  expect(found({ anchor: 3, before: 1, includeAnchor: false })).toEqual([
    [2],
    3,
    false,
    false,
    false,
  ]);
  expect(found({ anchor: 'newest', before: 2 })).toEqual([[5, 6], LAST, false, false, true]);
  expect(found({ anchor: LAST * 5, before: 2 })).toEqual([[5, 6], LAST, false, false, true]);
  expect(found({ anchor: 'oldest', after: 2 })).toEqual([[1, 2], 0, false, true, false]);
  expect(found({ anchor: -3, after: 2 })).toEqual([[1, 2], 0, false, true, false]);
  expect(found({ anchor: 'first_unread', before: 1, after: 1 })).toEqual([
    [2, 3, 4],
    3,
    true,
    false,
    false,
  ]);
  await realm.run(realm.read(MEL, [3, 4, 5, 6]));
  expect(found({ anchor: 'first_unread', before: 1 })).toEqual([[6], LAST, false, false, true]);
  expect(() => found({ anchor: 3, before: 1, after: 1, includeAnchor: false })).toThrow(/anchor/);
});

test('a fetch takes 5000 messages and no more', async () => {
  const realm = await modelledRealm();
  const half = MESSAGES_PER_FETCH_MAX / 2;
  expect(ids(fetch(realm, { as: MEL, before: half, after: half }))).toEqual([]);
  expect(() => fetch(realm, { as: MEL, before: half, after: half + 1 })).toThrow(/5000/);
});

test('without a channel only what was received is searched, with one all that may be read', async () => {
  const realm = await modelledRealm();
  const said = [GENERAL, TEAM, BOARD].map((channel) => realm.say(ADA, channel, 'a'));
  await realm.steps([TEAM, BOARD].map((channel) => realm.join(ADA, channel)));
  await realm.steps(said);
  await realm.steps([GENERAL, TEAM, BOARD].map((channel) => realm.join(IVY, channel)));
  await realm.steps(said);
  const inChannel = (as: number, channel: number) =>
    ids(fetch(realm, { as, narrow: [{ operator: 'channel', operand: channel }], ...ALL_BEFORE }));

  expect(ids(fetch(realm, { as: IVY, ...ALL_BEFORE }))).toEqual([4, 5, 6]);
  expect([GENERAL, TEAM, BOARD].map((channel) => inChannel(IVY, channel))).toEqual([
    [1, 4],
    [2, 5],
    [6],
  ]);
  expect(ids(fetch(realm, { as: MEL, ...ALL_BEFORE }))).toEqual([]);
  expect(inChannel(MEL, GENERAL)).toEqual([1, 4]);
  expect(() => inChannel(MEL, TEAM)).toThrow(/unknown channel/);
  expect(() => inChannel(MEL, 99)).toThrow(/unknown channel/);
  expect(() => inChannel(GUS, GENERAL)).toThrow(/unknown channel/);

  await realm.steps([realm.join(GUS, GENERAL), realm.say(ADA, GENERAL, 'a')]);
  const inPublic = (as: number) =>
    ids(fetch(realm, { as, narrow: [['channels', 'public']], ...ALL_BEFORE }));
  expect(inPublic(MEL)).toEqual([1, 4, 7]);
  expect(inPublic(GUS)).toEqual([7]);
});

test('first_unread passes over muted channels, unless one of them was asked for', async () => {
  const realm = await modelledRealm();
  await realm.steps([realm.join(MEL, GENERAL), realm.join(MEL, RANDOM)]);
  await realm.steps([realm.say(ADA, GENERAL, 'a'), realm.say(ADA, RANDOM, 'a')]);
  await realm.run((tx) => {
    const row = tx.subscriptions.get([GENERAL, MEL]);
    if (row !== undefined) tx.subscriptions.put([GENERAL, MEL], { ...row, isMuted: true });
  });
  const anchor = (narrow: unknown) =>
    fetch(realm, { as: MEL, narrow, anchor: 'first_unread' }).anchor;
  expect(anchor([])).toBe(2);
  expect(anchor([['channel', 'general']])).toBe(1);
  expect(ids(fetch(realm, { as: MEL, narrow: [['in', 'home']], ...ALL_BEFORE }))).toEqual([2]);
});

test('is:unread and its negation find what was read and marked out of order', async () => {
  const realm = await modelledRealm();
  await realm.steps([realm.join(MEL, GENERAL)]);
  for (let index = 0; index < 6; index++) await realm.run(realm.say(ADA, GENERAL, 'a'));
  await realm.steps([realm.read(MEL, [1, 2, 3, 5]), realm.unread(MEL, [2])]);
  const narrowed = (negated: boolean) => {
    const narrow = [{ operator: 'is', operand: 'unread', negated }];
    return ids(fetch(realm, { as: MEL, narrow, ...ALL_BEFORE }));
  };
  expect(narrowed(false)).toEqual([2, 4, 6]);
  expect(narrowed(true)).toEqual([1, 3, 5]);
});

test('what of many conversations and channels is read, and what is not, is found from every place', async () => {
  const realm = await modelledRealm({ extraChannels: EXTRA_CHANNELS });
  const groups = [[ADA], [MEL], [IVY], [GUS], [MEL, IVY], [MEL, GUS], [IVY, GUS]] as const;
  await realm.steps([realm.join(ADA, GENERAL), realm.join(ADA, RANDOM)]);
  for (let round = 0; round < 30; round++) {
    const channel = round % 2 === 0 ? GENERAL : BOARD + 1 + round;
    await realm.steps([
      ...groups.map((people) => realm.tell(ADA, people)),
      realm.say(MEL, channel, 'a'),
    ]);
  }
  const { messages: said, unread } = realm.model;
  const all = said.map(({ id }) => id);
  // Some conversations to the end, some not at all, some in between; and one message again.
  const readIds = said
    .filter(({ id, people }) => people.includes(GUS) || (people.includes(IVY) && id < 120))
    .map(({ id }) => id);
  await realm.run(realm.read(ADA, readIds));
  await realm.run(realm.unread(ADA, [readIds[3] ?? 0]));

  const left = unread.get(ADA) ?? new Set();
  expect([left.size > 50, left.size < all.length - 50]).toEqual([true, true]);
  for (const negated of [false, true]) {
    const narrow = [{ operator: 'is', operand: 'unread', negated }];
    const wanted = all.filter((id) => left.has(id) !== negated);
    const some = { as: ADA, narrow };
    expect(ids(fetch(realm, { ...some, ...ALL_BEFORE }))).toEqual(wanted);
    expect(ids(fetch(realm, { ...some, anchor: 'oldest', after: 5000 }))).toEqual(wanted);
    const middle = fetch(realm, { ...some, anchor: 130, before: 20, after: 20 });
    expect(ids(middle)).toEqual([
      ...wanted.filter((id) => id < 130).slice(-20),
      ...wanted.filter((id) => id >= 130).slice(0, wanted.includes(130) ? 21 : 20),
    ]);
  }
  expect(fetch(realm, { as: ADA, anchor: 'first_unread' }).anchor).toBe(Math.min(...left));

  const quiet = await realm.run((tx) => quietly(tx, realm.caller(MEL), GENERAL));
  const read = { as: ADA, narrow: [{ operator: 'is', operand: 'unread', negated: true }] };
  expect(ids(fetch(realm, { ...read, before: 1 }))).toEqual([quiet]);
});

/** Says something that begins as read for everybody, though it is newer than what they read. */
function quietly(tx: RealmTransaction, caller: Caller, channelId: number): number {
  const channel = tx.channels.get([channelId]) ?? expect.fail('the channel is there');
  const rendered = renderMarkdown('quiet', messageDirectory(tx, caller.user, PLACE));
  const message = { destination: { channel, topic: 'a' }, content: 'quiet', rendered };
  return messages.post(tx, caller, { ...message, isReadBySender: true, unreadBy: [] }).id;
}

test('`with` leads to where its message is, and does nothing when it cannot be read', async () => {
  const realm = await modelledRealm();
  await realm.steps([realm.join(MEL, GENERAL)]);
  await realm.steps([
    realm.say(ADA, GENERAL, 'a'),
    realm.say(ADA, GENERAL, 'b'),
    realm.tell(MEL, [IVY]),
    realm.tell(ADA, [IVY]),
  ]);
  const narrowed = (narrow: unknown) => ids(fetch(realm, { as: MEL, narrow, ...ALL_BEFORE }));
  const moved = [{ operator: 'topic', operand: 'x' }];
  expect(narrowed([...moved, { operator: 'with', operand: 2 }])).toEqual([2]);
  expect(narrowed([...moved, { operator: 'with', operand: 3 }])).toEqual([3]);
  expect(
    narrowed([
      ['topic', 'a'],
      ['with', '4'],
    ]),
  ).toEqual([1]);
  expect(
    narrowed([
      ['topic', 'a'],
      ['with', '99'],
    ]),
  ).toEqual([1]);
});

test('a search looks through 50,000 messages in vain, and then gives what it has or asks for less', async () => {
  const realm = await modelledRealm();
  await realm.run(realm.say(ADA, GENERAL, 'a', { content: 'needle' }));
  await realm.run(realm.say(ADA, GENERAL, 'a', { content: 'hay' }));
  // Copies of the last one, straight into what a search of a channel walks.
  const copies = (count: number) =>
    realm.run((tx) => {
      const row = tx.messages.get([2]) ?? expect.fail('it is there');
      for (let copy = 0; copy < count; copy++) {
        const id = tx.nextId('message');
        tx.messages.put([id], { ...row, id });
        tx.channelMessages.put([GENERAL, id], { topicKey: 'a', senderId: ADA });
      }
    });
  const search = (query: Partial<Query>) =>
    fetch(realm, {
      as: ADA,
      narrow: [
        ['channel', 'general'],
        ['search', 'needles'],
      ],
      ...query,
    });
  await copies(TEXTS_MISSED_MAX - 1);
  expect(ids(search({ before: 1 }))).toEqual([1]);
  await copies(1);
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
])('asked about $count times $operator, it looks through fewer messages', async (asked) => {
  const { operator, operand, count, missesMax } = asked;
  const realm = await modelledRealm();
  await realm.run(realm.say(ADA, GENERAL, 'a', { content: 'hay https://example.com' }));
  const copies = (count: number) =>
    realm.run((tx) => {
      const row = tx.messages.get([1]) ?? expect.fail('it is there');
      for (let copy = 0; copy < count; copy++) {
        const id = tx.nextId('message');
        tx.messages.put([id], { ...row, id });
        tx.channelMessages.put([GENERAL, id], { topicKey: 'a', senderId: ADA });
      }
    });
  const term = { operator, operand, negated: true };
  const narrow = [{ operator: 'channel', operand: 'general' }, ...Array(count).fill(term)];
  const search = () => ids(fetch(realm, { as: ADA, narrow, before: 1 }));
  // The first message is in the list of those that hold it, so `has` does not look at it.
  await copies(operator === 'has' ? missesMax : missesMax - 1);
  expect(search()).toEqual([]);
  await copies(1);
  expect(search).toThrow(/too many messages to look through/);
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

test('messages by id: those that may be read, once each, in order', async () => {
  const realm = await modelledRealm();
  await realm.steps([realm.say(ADA, GENERAL, 'a'), realm.tell(ADA, [IVY]), realm.tell(MEL, [IVY])]);
  const user = userOf(realm.reader, MEL);
  const byId = (messageIds: number[], narrow: readonly NarrowTerm[] = []) =>
    fetchMessagesById(realm.reader, { ...FORM, user, place: PLACE, narrow, messageIds });
  const list = byId([3, 1, 2, 99, -1, 3]);
  expect((list.messages as Wire[]).map(({ id }) => id)).toEqual([1, 3]);
  expect(list.messages[0]).toMatchObject({ flags: ['read', 'historical'] });
  expect(list).not.toHaveProperty('anchor');
  expect(byId([1, 3], parseNarrow([['is', 'dm']])).messages).toHaveLength(1);
  expect(() => byId(Array.from({ length: 5001 }, (_, id) => id))).toThrow(/5000/);
});

test('one message that may be read comes with its text; any other one is refused alike', async () => {
  const realm = await modelledRealm();
  await realm.steps([realm.tell(ADA, [IVY], { content: '*a*' })]);
  const one = (as: number, messageId: number) =>
    fetchMessage(realm.reader, {
      ...FORM,
      applyMarkdown: true,
      user: userOf(realm.reader, as),
      place: PLACE,
      messageId,
    });
  expect(one(IVY, 1)).toMatchObject({ message: { id: 1, flags: [] }, raw_content: '*a*' });
  expect(() => one(MEL, 1)).toThrow('Invalid message(s)');
  expect(() => one(MEL, 2)).toThrow('Invalid message(s)');
});

/** A few hundred random acts of everyone; and many channels for Ada, so that hers are not merged one by one. */
const EXTRA_CHANNELS = 140;
let world: ModelledRealm;
beforeAll(async () => {
  world = await openModelledRealm({ extraChannels: EXTRA_CHANNELS });
  const act: fc.Arbitrary<(realm: ModelledRealm) => Step> = randomAct();
  const acts = fc.sample(act, { numRuns: 2500, seed: 4711 });
  await world.steps(acts.map((make) => make(world)));
  // So that a guest is in a channel with a history that never came to them.
  await world.steps([world.leave(GUS, GENERAL), world.say(MEL, GENERAL, 'a')]);
  await world.steps([world.join(GUS, GENERAL), world.say(MEL, GENERAL, 'a')]);
});
afterAll(() => world.close());

const LINKS_PICTURE = 'The plans: https://example.com/plan.png';
const LINKS_CHANNEL = '#**general** planned';
const LINKS_FILE = '[a](https://x.org/user_uploads/1/a.txt)';

function randomAct() {
  const person = fc.constantFrom(...PEOPLE);
  const channel = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(GENERAL, RANDOM, TEAM, BOARD) },
    { weight: 1, arbitrary: fc.integer({ min: BOARD + 1, max: BOARD + EXTRA_CHANNELS }) },
  );
  const home = fc.constantFrom(GENERAL, RANDOM, TEAM, BOARD);
  const topic = fc.constantFrom('a', 'A', 'b', 'rare', '', '✔ a', '✔ c');
  const content = fc.constantFrom(
    ...['hi', 'hi', 'hi', '@**Mel Doe**', '@**Ivy Doe**', '@**all**'],
    ...[LINKS_PICTURE, LINKS_CHANNEL, LINKS_FILE],
  );
  const places = fc.array(fc.nat(200), { minLength: 1, maxLength: 20 });
  const picked = ({ model }: ModelledRealm, back: readonly number[]) =>
    back.map((place) => model.messages.at(-1 - place)?.id).filter((id) => id !== undefined);
  type Act = (realm: ModelledRealm) => Step;
  return fc.oneof(
    {
      weight: 30,
      arbitrary: fc
        .tuple(person, channel, topic, content, fc.boolean())
        .map(([user, id, name, text, isRead]): Act => {
          return (realm) => realm.say(user, id, name, { content: text, isRead });
        }),
    },
    {
      weight: 6,
      arbitrary: fc.tuple(person, fc.uniqueArray(person, { minLength: 1, maxLength: 3 })).map(
        ([user, to]): Act =>
          (realm) =>
            realm.tell(user, to),
      ),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(person, home).map(
        ([u, c]): Act =>
          (it) =>
            it.join(u, c),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(person, home).map(
        ([u, c]): Act =>
          (it) =>
            it.leave(u, c),
      ),
    },
    {
      weight: 4,
      arbitrary: fc.tuple(fc.nat(60), channel, topic).map(([back, id, name]): Act => {
        return (realm) => (tx) => {
          for (const message of picked(realm, [back])) realm.move(message, id, name)(tx);
        };
      }),
    },
    ...(['read', 'unread'] as const).map((verb) => ({
      weight: 3,
      arbitrary: fc.tuple(person, places).map(([user, back]): Act => {
        return (realm) => (tx) => realm[verb](user, picked(realm, back))(tx);
      }),
    })),
    {
      weight: 2,
      arbitrary: fc.tuple(person, home, fc.boolean()).map(([user, id, isMuted]): Act => {
        return (realm) => realm.mute(user, id, isMuted);
      }),
    },
    {
      weight: 4,
      arbitrary: fc
        .record({
          user: person,
          channelId: home,
          topic,
          policy: fc.constantFrom<TopicPolicy>(0, 1, 2, 3),
        })
        .map(({ user, ...decision }): Act => {
          return (realm) => realm.decide(user, decision);
        }),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(fc.nat(200), fc.boolean()).map(([back, isThere]): Act => {
        return (realm) => (tx) => {
          for (const id of picked(realm, [back])) realm.react(id, isThere)(tx);
        };
      }),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.nat(200), fc.constantFrom('hi', LINKS_PICTURE, LINKS_CHANNEL, LINKS_FILE))
        .map(([back, text]): Act => {
          return (realm) => (tx) => {
            for (const id of picked(realm, [back])) realm.reword(id, text)(tx);
          };
        }),
    },
    {
      weight: 1,
      arbitrary: fc.nat(200).map((back): Act => {
        return (realm) => (tx) => {
          for (const id of picked(realm, [back])) realm.remove(id)(tx);
        };
      }),
    },
    {
      weight: 4,
      arbitrary: fc.tuple(person, fc.nat(200), fc.boolean()).map(([user, back, isAdded]): Act => {
        return (realm) => (tx) => {
          for (const id of picked(realm, [back])) {
            realm.star(user, id, isAdded ? 'add' : 'remove')(tx);
          }
        };
      }),
    },
  );
}

const anyPerson = fc.constantFrom(...PEOPLE);
const sole = (operator: string, operands: readonly unknown[]) =>
  operands.map((operand) => ({ operator, operand }));

/** Every operator that one can ask with by itself, with every kind of operand. */
const EACH_TERM = [
  ...sole('channel', [GENERAL, RANDOM, TEAM, BOARD, BOARD + 1]),
  ...sole('topic', ['a', 'B', 'rare', 'general chat', 'none', '✔ A']),
  ...sole('channels', ['public', 'web-public']),
  ...sole('dm', [[IVY], [MEL], [ADA, MEL], [IVY, GUS], [ADA, MEL, GUS]]),
  ...sole('dm-including', PEOPLE),
  ...sole('group-pm-with', PEOPLE),
  ...sole('sender', PEOPLE),
  ...sole('has', ['attachment', 'image', 'link', 'reaction']),
  ...sole('search', ['plan', 'hi', 'rare', '"S: HTTPS"', 'nowhere']),
  ...sole('is', ['dm', 'starred', 'unread', 'mentioned', 'alerted', 'resolved']),
  ...sole('is', ['followed', 'muted']),
  ...sole('in', ['home', 'all']),
  ...sole('id', [1, 700]),
  ...sole('near', [700]),
];

const term = fc
  .tuple(
    fc.oneof(
      fc
        .constantFrom(GENERAL, RANDOM, TEAM, BOARD, BOARD + 1)
        .map((operand) => ({ operator: 'channel', operand })),
      fc
        .constantFrom('a', 'B', 'rare', 'general chat', 'none', '✔ A')
        .map((operand) => ({ operator: 'topic', operand })),
      fc.constantFrom('public', 'web-public').map((operand) => ({ operator: 'channels', operand })),
      fc.uniqueArray(anyPerson).map((operand) => ({ operator: 'dm', operand })),
      anyPerson.map((operand) => ({ operator: 'dm-including', operand })),
      anyPerson.map((operand) => ({ operator: 'group-pm-with', operand })),
      anyPerson.map((operand) => ({ operator: 'sender', operand })),
      fc
        .constantFrom('attachment', 'image', 'link', 'reaction')
        .map((operand) => ({ operator: 'has', operand })),
      fc
        .constantFrom('plan', 'hi', 'rare', '"S: HTTPS"', 'nowhere')
        .map((operand) => ({ operator: 'search', operand })),
      fc
        .constantFrom(
          ...['dm', 'starred', 'unread', 'mentioned', 'alerted', 'resolved'],
          ...['followed', 'muted'],
        )
        .map((operand) => ({ operator: 'is', operand })),
      fc.constantFrom('home', 'all').map((operand) => ({ operator: 'in', operand })),
      fc.nat(1800).map((operand) => ({ operator: 'id', operand })),
      fc.nat(1800).map((operand) => ({ operator: 'near', operand })),
    ),
    fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.boolean()),
  )
  .map(([{ operator, operand }, negated]) => ({ operator, operand, negated }));

/** What the reference says of each operator, over the model. */
function isSelected(realm: ModelledRealm, userId: number, message: ModelMessage, one: NarrowTerm) {
  const { model } = realm;
  const { id, channelId, people } = message;
  const has = (sets: ReadonlyMap<number, Set<number>>) => sets.get(userId)?.has(id) === true;
  const isChannel = channelId !== 0;
  switch (one.operator) {
    case 'channel':
      return channelId === one.operand;
    case 'channels':
      return isChannel && one.operand === 'public' && channelId !== TEAM && channelId !== BOARD;
    case 'topic':
      return (
        isChannel && sameTopic(message.topic, one.operand === 'general chat' ? '' : one.operand)
      );
    case 'dm': {
      const wanted = new Set([userId, ...(one.operand as number[])]); // the arbitrary gives ids
      return !isChannel && people.length === wanted.size && people.every((it) => wanted.has(it));
    }
    case 'dm-including':
      return !isChannel && people.includes(Number(one.operand));
    case 'group-pm-with':
      return !isChannel && people.length > 2 && people.includes(Number(one.operand));
    case 'sender':
      return message.senderId === one.operand;
    case 'id':
      return id === one.operand;
    case 'is':
      return {
        dm: !isChannel,
        starred: has(model.starred),
        unread: has(model.unread),
        mentioned: has(model.mentioned) || (message.hasWildcard && has(model.received)),
        alerted: false,
        resolved: isChannel && isResolvedTopic(message.topic),
        followed: policyOf(model, userId, message) === 3,
        muted: isMutedFor(model, userId, message),
      }[one.operand];
    case 'has':
      return {
        attachment: message.content.includes('/user_uploads/'),
        image: message.content.includes('.png'),
        link: message.content.includes('https:') || message.content.includes('[a]'),
        reaction: model.reacted.has(id),
      }[one.operand];
    case 'search':
      return (
        {
          plan: message.content.includes('plan'),
          hi: message.content === 'hi',
          rare: isChannel && message.topic === 'rare',
          '"S: HTTPS"': message.content.includes('s: https'),
        }[one.operand] ?? false
      );
    case 'in':
      return one.operand === 'all' || !isMutedFor(model, userId, message);
    case 'near':
      return true;
    default:
      throw new Error(`no model of ${one.operator}`);
  }
}

function expectedIds(realm: ModelledRealm, userId: number, narrow: readonly NarrowTerm[]) {
  const { model } = realm;
  const wanted = narrow.filter(({ negated }) => !negated);
  const isOwn = narrow.some(
    (one) => one.operator === 'is' && one.operand !== 'resolved' && one.operand !== 'followed',
  );
  const isFull =
    !isOwn &&
    wanted.some(
      (one) =>
        one.operator === 'channel' ||
        (one.operator === 'channels' && one.operand === 'public' && userId !== GUS),
    );
  const areStarred = wanted.some((one) => one.operator === 'is' && one.operand === 'starred');
  return model.messages
    .filter((message) => mayRead(model, userId, message))
    .filter(({ id, channelId }) => {
      if (isFull || areStarred) return true;
      return model.received.get(userId)?.has(id) && wasEverIn(realm, channelId, userId);
    })
    .filter((message) =>
      narrow.every(
        (one) => one.operator === 'near' || isSelected(realm, userId, message, one) !== one.negated,
      ),
    )
    .map(({ id }) => id);
}

const query = fc.record({
  as: anyPerson,
  narrow: fc.array(term, { maxLength: 3 }),
  anchor: fc.oneof(
    fc.integer({ min: -5, max: 1900 }),
    fc.constantFrom<Anchor>('newest', 'oldest', 'first_unread'),
  ),
  before: fc.oneof({ weight: 4, arbitrary: fc.nat(20) }, fc.constant(2000)),
  after: fc.oneof({ weight: 4, arbitrary: fc.nat(20) }, fc.constant(2000)),
});

interface Asked {
  readonly as: number;
  readonly narrow: readonly object[];
  readonly anchor: Anchor;
  readonly before: number;
  readonly after: number;
}

/** Whether it was answered: as it should be, if so. */
function expectAnswer({ as, narrow: asked, anchor, before, after }: Asked): boolean {
  const narrow = attempt(() => parseNarrow(asked));
  if (narrow === undefined) return false;
  const list = attempt(() => fetch(world, { as, narrow: asked, anchor, before, after }));
  const isHidden = narrow.some(
    (one) => one.operator === 'channel' && !mayKnow(as, Number(one.operand)),
  );
  expect(list === undefined).toBe(isHidden);
  if (list === undefined) return false;
  const all = expectedIds(world, as, narrow);
  const at = expectedAnchor(as, narrow, anchor);
  const older = all.filter((id) => id < at).slice(before === 0 ? Infinity : -before);
  const newer = all.filter((id) => id > at).slice(0, after);
  expect(list.anchor).toBe(at);
  expect(ids(list)).toEqual([...older, ...all.filter((id) => id === at), ...newer]);
  expect(list.found_anchor).toBe(all.includes(at));
  expect(list.found_oldest).toBe(at === 0 || older.length < before);
  expect(list.found_newest).toBe(at === LAST || newer.length < after);
  return true;
}

test('a fetch gives what looking at every message would give, whatever is asked', () => {
  expect(world.model.messages.length).toBeGreaterThan(1000);
  let answered = 0;
  fc.assert(
    fc.property(query, (asked) => {
      if (expectAnswer(asked)) answered += 1;
    }),
    { numRuns: 400 },
  );
  expect(answered).toBeGreaterThan(200);
});

test.each(EACH_TERM)('$operator:$operand and its negation, alone and in a channel', (one) => {
  const anchors = ['newest', 'oldest', 'first_unread', 700] as const;
  let answered = 0;
  for (const negated of [false, true]) {
    for (const [index, as] of PEOPLE.entries()) {
      const anchor = anchors[(index + Number(negated)) % anchors.length] ?? 'newest';
      const here = { operator: 'channel', operand: GENERAL };
      for (const narrow of [[{ ...one, negated }], [here, { ...one, negated }]]) {
        if (expectAnswer({ as, narrow, anchor, before: 1000, after: 1000 })) answered += 1;
      }
    }
  }
  expect(answered).toBeGreaterThan(0);
});

function expectedAnchor(as: number, narrow: readonly NarrowTerm[], anchor: Anchor): number {
  if (anchor === 'newest') return LAST;
  if (anchor === 'oldest') return 0;
  if (anchor !== 'first_unread') return Math.max(anchor, 0);
  const { model } = world;
  const unread = parseNarrow([{ operator: 'is', operand: 'unread' }]);
  const names = (name: string) => narrow.some((one) => one.operator === name && !one.negated);
  const first = expectedIds(world, as, [...narrow, ...unread]).find((id) => {
    const message = model.messages.find((one) => one.id === id) ?? expect.fail('it is listed');
    if (message.channelId === 0) return true;
    if (!isSubscribedIn(model, message.channelId, as)) return false;
    if (names('topic')) return true;
    if (names('channel')) return policyOf(model, as, message) !== 1;
    return !isMutedFor(model, as, message);
  });
  return first ?? LAST;
}

/** Ada is an administrator; the extra channels are public. */
const mayKnow = (userId: number, channelId: number) =>
  userId === ADA ||
  isSubscribedIn(world.model, channelId, userId) ||
  (userId !== GUS && channelId !== TEAM && channelId !== BOARD);

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined; // a refusal
    throw error;
  }
}

/** What was moved to where one never was is not among one's own messages any more (docs/decisions/0035). */
const wasEverIn = ({ reader }: ModelledRealm, channelId: number, userId: number) =>
  channelId === 0 || reader.subscriptions.has([channelId, userId]);
