import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UNREAD_MESSAGES_MAX } from '../../../src/domain/limits/messages.ts';
import { FlagBit } from '../../../src/domain/wire/flags.ts';
import { flagsOf } from '../../../src/operations/indexes/message-access.ts';
import { isUnread, markRead } from '../../../src/operations/reading/unread.ts';
import { unreadMessages } from '../../../src/operations/registration/state/unread.ts';
import {
  ADA,
  BOARD,
  GENERAL,
  IVY,
  isSubscribedIn,
  MEL,
  type Model,
  PEOPLE,
  RANDOM,
  TEAM,
} from '../../support/model/model.ts';
import { userOf } from '../../support/model/modelled-acts.ts';
import {
  type ModelledRealm,
  modelledRealm,
  openModelledRealm,
  type Step,
} from '../../support/model/modelled-realm.ts';
import { runs } from '../../support/runs.ts';

const listedIds = ({ reader }: ModelledRealm, userId: number) => {
  const { pms, streams, huddles } = unreadMessages(reader, userOf(reader, userId));
  return [...pms, ...streams, ...huddles].flatMap((entry) => entry.unread_message_ids);
};

const flagRows = ({ reader }: ModelledRealm, userId: number) =>
  Array.from(reader.messageFlags.under([userId]), ([[, id], { bits }]) => ({ id, bits }));

const ascending = (ids: Iterable<number>) => [...ids].sort((one, other) => one - other);

test('invariant 6: what is said to a channel is unread for its subscribers, without a row for any of them', async () => {
  const realm = await modelledRealm();
  await realm.steps([realm.join(ADA, GENERAL), realm.join(MEL, GENERAL)]);
  const id = await realm.run(realm.say(ADA, GENERAL, 'Logo', { isRead: true }));

  expect(unreadMessages(realm.reader, userOf(realm.reader, MEL))).toEqual({
    count: 1,
    pms: [],
    streams: [{ stream_id: GENERAL, topic: 'Logo', unread_message_ids: [id] }],
    huddles: [],
    mentions: [],
    old_unreads_missing: false,
  });
  expect(listedIds(realm, ADA)).toEqual([]);
  expect(listedIds(realm, IVY)).toEqual([]);
  expect(flagRows(realm, MEL)).toEqual([]);
});

test('the unread list groups by topic without case, in the spelling of the newest message, and by conversation', async () => {
  const realm = await modelledRealm();
  await realm.steps([realm.join(MEL, GENERAL)]);
  await realm.steps([
    realm.say(ADA, GENERAL, 'logo'),
    realm.tell(ADA, [MEL]),
    realm.say(ADA, GENERAL, ''),
    realm.tell(ADA, [MEL, IVY]),
    realm.say(ADA, GENERAL, 'LOGO', { content: 'hi @**Mel Doe**' }),
    realm.tell(MEL, [MEL]),
    realm.say(ADA, GENERAL, '', { content: 'hi @**all**' }),
  ]);

  expect(unreadMessages(realm.reader, userOf(realm.reader, MEL))).toEqual({
    count: 7,
    pms: [
      { other_user_id: ADA, sender_id: ADA, unread_message_ids: [2] },
      { other_user_id: MEL, sender_id: MEL, unread_message_ids: [6] },
    ],
    streams: [
      { stream_id: GENERAL, topic: 'LOGO', unread_message_ids: [1, 5] },
      { stream_id: GENERAL, topic: '', unread_message_ids: [3, 7] },
    ],
    huddles: [{ user_ids_string: '1,2,3', unread_message_ids: [4] }],
    mentions: [5, 7],
    old_unreads_missing: false,
  });
});

test('a muted channel is listed and not counted; only direct mentions in it are', async () => {
  const realm = await modelledRealm();
  await realm.steps([realm.join(MEL, GENERAL)]);
  await realm.steps([
    realm.say(ADA, GENERAL, 'a', { content: '@**Mel Doe**' }),
    realm.say(ADA, GENERAL, 'a', { content: '@**all**' }),
  ]);
  await realm.run((tx) => {
    const row = tx.subscriptions.get([GENERAL, MEL]);
    if (row !== undefined) tx.subscriptions.put([GENERAL, MEL], { ...row, isMuted: true });
  });
  const unread = unreadMessages(realm.reader, userOf(realm.reader, MEL));
  expect(unread).toMatchObject({ count: 0, mentions: [1] });
  expect(unread.streams).toHaveLength(1);
});

test('reading in order moves readThrough and writes no row of flags', async () => {
  const realm = await modelledRealm();
  await realm.steps([realm.join(MEL, GENERAL)]);
  for (let index = 0; index < 20; index++) await realm.run(realm.say(ADA, GENERAL, 'a'));

  expect(await realm.run(realm.read(MEL, [1, 2, 3]))).toEqual([1, 2, 3]);
  expect(flagRows(realm, MEL)).toEqual([]);
  await realm.run(realm.read(MEL, [5, 6]));
  expect(flagRows(realm, MEL)).toHaveLength(2);
  await realm.run(realm.read(MEL, [4]));
  expect(flagRows(realm, MEL)).toEqual([]);
  expect(realm.reader.subscriptions.get([GENERAL, MEL])?.readThrough).toBe(6);
  expect(listedIds(realm, MEL)).toEqual(ascending(Array.from({ length: 14 }, (_, i) => i + 7)));
});

test('what was marked unread is listed before what came later, and forgotten when read again', async () => {
  const realm = await modelledRealm();
  await realm.steps([realm.join(MEL, GENERAL)]);
  for (let index = 0; index < 6; index++) await realm.run(realm.say(ADA, GENERAL, 'a'));
  await realm.run(realm.read(MEL, [1, 2, 3, 4]));

  expect(await realm.run(realm.unread(MEL, [4, 2, 6]))).toEqual([2, 4]);
  expect(listedIds(realm, MEL)).toEqual([2, 4, 5, 6]);
  expect(await realm.run(realm.read(MEL, [1, 2, 4, 5, 6]))).toEqual([2, 4, 5, 6]);
  expect(flagRows(realm, MEL)).toEqual([]);
  expect([...realm.reader.flaggedMessages.under([MEL])]).toEqual([]);
});

test('what was marked unread and then moved to where one is not leaves no mark behind', async () => {
  const realm = await modelledRealm();
  await realm.steps([realm.join(MEL, RANDOM)]);
  const id = await realm.run(realm.say(ADA, RANDOM, 'a'));
  await realm.run(realm.read(MEL, [id]));
  await realm.run(realm.unread(MEL, [id]));
  expect(flagRows(realm, MEL)).toEqual([{ id, bits: FlagBit.unread }]);

  await realm.run(realm.move(id, GENERAL, 'a'));
  expect(listedIds(realm, MEL)).toEqual([]);
  expect(flagRows(realm, MEL)).toEqual([]);
  expect([...realm.reader.flaggedMessages.under([MEL])]).toEqual([]);
});

test('a channel that was left has nothing unread, and on return only what comes then', async () => {
  const realm = await modelledRealm();
  await realm.steps([realm.join(MEL, GENERAL)]);
  await realm.steps([
    realm.say(ADA, GENERAL, 'a'),
    realm.leave(MEL, GENERAL),
    realm.say(ADA, GENERAL, 'a'),
  ]);
  expect(listedIds(realm, MEL)).toEqual([]);
  await realm.steps([realm.join(MEL, GENERAL), realm.say(ADA, GENERAL, 'a')]);
  expect(listedIds(realm, MEL)).toEqual([3]);
});

type Command = (realm: ModelledRealm) => Step;

const person = fc.constantFrom(...PEOPLE);
const channel = fc.constantFrom(GENERAL, RANDOM, TEAM, BOARD);
const topic = fc.constantFrom('a', 'A', 'b', '');
const content = fc.constantFrom(
  'hello',
  '@**Mel Doe** hello',
  '@**all**',
  '@**Gus Doe** @**all**',
  '@*crew* @**Mel Doe**',
  '@*crew*',
);
/** Places in the list of messages, from the newest back. */
const picks = fc.array(fc.nat(30), { minLength: 1, maxLength: 12 });
const picked = ({ model }: ModelledRealm, places: readonly number[]) =>
  places.map((place) => model.messages.at(-1 - place)?.id).filter((id) => id !== undefined);

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(person, channel, topic, content, fc.boolean())
      .map(([user, id, name, text, isRead]): Command => {
        return (realm) => realm.say(user, id, name, { content: text, isRead });
      }),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(person, fc.uniqueArray(person, { minLength: 1, maxLength: 3 }), fc.boolean())
      .map(
        ([user, to, isRead]): Command =>
          (realm) =>
            realm.tell(user, to, { isRead }),
      ),
  },
  fc.tuple(person, channel).map(
    ([user, id]): Command =>
      (realm) =>
        realm.join(user, id),
  ),
  fc.tuple(person, channel).map(
    ([user, id]): Command =>
      (realm) =>
        realm.leave(user, id),
  ),
  {
    weight: 2,
    arbitrary: fc.tuple(fc.nat(12), channel, topic).map(([place, id, name]): Command => {
      return (realm) => (tx) => {
        for (const message of picked(realm, [place])) realm.move(message, id, name)(tx);
      };
    }),
  },
  fc.tuple(person, picks).map(([user, places]): Command => {
    return (realm) => (tx) => realm.read(user, picked(realm, places))(tx);
  }),
  fc.tuple(person, picks).map(([user, places]): Command => {
    return (realm) => (tx) => realm.unread(user, picked(realm, places))(tx);
  }),
);

function expectUnreadAsIn(model: Model, realm: ModelledRealm) {
  const { reader } = realm;
  for (const userId of PEOPLE) {
    const expected = model.unread.get(userId) ?? new Set<number>();
    const rows = model.messages.map(({ id }) => reader.messages.get([id]));
    const found = rows.filter((row) => row !== undefined && isUnread(reader, userId, row));
    expect(new Set(found.map((row) => row?.id))).toEqual(expected);
    for (const row of rows) {
      if (row === undefined || !model.received.get(userId)?.has(row.id)) continue;
      const isRead = (flagsOf(reader, userId, row) & FlagBit.read) !== 0;
      expect(isRead).toBe(!expected.has(row.id));
    }
    const listed = model.messages.filter(
      ({ id, channelId }) =>
        expected.has(id) && (channelId === 0 || isSubscribedIn(model, channelId, userId)),
    );
    expect(ascending(listedIds(realm, userId))).toEqual(listed.map(({ id }) => id));
    const { streams, mentions, count } = unreadMessages(reader, userOf(reader, userId));
    expect(count).toBe(listed.length);
    for (const { unread_message_ids: ids } of streams) expect(ids).toEqual(ascending(new Set(ids)));
    expect(ascending(mentions)).toEqual(
      listed
        .filter(({ id, hasWildcard }) => hasWildcard || model.mentioned.get(userId)?.has(id))
        .map(({ id }) => id),
    );
  }
}

test('read state is what a set of unread ids per user would be, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 20, maxLength: 120 }), async (commands) => {
      const realm = await openModelledRealm();
      try {
        const half = Math.floor(commands.length / 2);
        await realm.steps(commands.slice(0, half).map((act) => act(realm)));
        expectUnreadAsIn(realm.model, realm);
        await realm.steps(commands.slice(half).map((act) => act(realm)));
        expectUnreadAsIn(realm.model, realm);
        const all = realm.model.messages.map(({ id }) => id);
        await realm.steps(PEOPLE.map((userId) => realm.read(userId, all)));
        expectUnreadAsIn(realm.model, realm);
        // Once all is read, only mentions are kept, and one more flag: that a moved message is
        // read, for users who had passed the place where it was sent in another way.
        for (const userId of PEOPLE) {
          const kept = flagRows(realm, userId).filter(({ id, bits }) => {
            const others = bits & ~FlagBit.mentioned;
            const isMoved = realm.reader.messages.get([id])?.homeChannelId !== null;
            return others !== 0 && !(others === FlagBit.read && isMoved);
          });
          expect(kept).toEqual([]);
        }
      } finally {
        await realm.close();
      }
    }),
    { numRuns: runs({ few: 8, all: 25 }) },
  );
});

/** Messages of the general channel as deriving unread state sees them. */
const fill = (realm: ModelledRealm, count: number, readBits = 0) =>
  realm.run((tx) => {
    tx.topics.put([GENERAL, 'a'], { name: 'a', newestMessageId: count, messageCount: count });
    for (let index = 0; index < count; index++) {
      const id = tx.nextId('message');
      tx.channelMessages.put([GENERAL, id], { topicKey: 'a', senderId: ADA });
      if (readBits && index > 0) tx.messageFlags.put([MEL, id], { bits: readBits });
    }
  });

test('the unread list holds the newest 50,000 and says when older ones are missing', async () => {
  const realm = await modelledRealm();
  await realm.steps([realm.join(MEL, GENERAL)]);
  await fill(realm, UNREAD_MESSAGES_MAX - 1);
  const user = userOf(realm.reader, MEL);
  expect(unreadMessages(realm.reader, user).old_unreads_missing).toBe(false);

  await fill(realm, 1);
  const full = unreadMessages(realm.reader, user);
  expect(full).toMatchObject({ count: UNREAD_MESSAGES_MAX, old_unreads_missing: true });
  expect(full.streams[0]?.unread_message_ids[0]).toBe(1);

  await fill(realm, 2);
  const past = unreadMessages(realm.reader, user);
  expect(past).toMatchObject({ count: UNREAD_MESSAGES_MAX, old_unreads_missing: true });
  expect(past.streams[0]?.unread_message_ids[0]).toBe(3);
});

test('what is older than the newest 50,000 is in no list', async () => {
  const realm = await modelledRealm();
  await realm.steps([realm.join(MEL, GENERAL)]);
  await realm.steps([
    realm.tell(ADA, [MEL]),
    realm.say(ADA, GENERAL, 'b', { content: '@**Mel Doe**' }),
  ]);
  const topics = () => {
    const { pms, streams, mentions, count } = unreadMessages(
      realm.reader,
      userOf(realm.reader, MEL),
    );
    return { pms: pms.length, topics: streams.map(({ topic }) => topic), mentions, count };
  };
  await fill(realm, UNREAD_MESSAGES_MAX - 1);
  const count = UNREAD_MESSAGES_MAX;
  expect(topics()).toEqual({
    pms: 0,
    topics: expect.arrayContaining(['a', 'b']),
    mentions: [2],
    count,
  });
  await fill(realm, 1);
  expect(topics()).toEqual({ pms: 0, topics: ['a'], mentions: [], count });
});

test('of far more than 50,000 the newest are listed as well', async () => {
  const realm = await modelledRealm();
  await realm.steps([realm.join(MEL, GENERAL)]);
  await fill(realm, 2 * UNREAD_MESSAGES_MAX + 1);
  const { count, streams } = unreadMessages(realm.reader, userOf(realm.reader, MEL));
  const [list] = streams.map(({ unread_message_ids: ids }) => ids);
  expect([count, list?.length]).toEqual([UNREAD_MESSAGES_MAX, UNREAD_MESSAGES_MAX]);
  expect([list?.[0], list?.at(-1)]).toEqual([UNREAD_MESSAGES_MAX + 2, 2 * UNREAD_MESSAGES_MAX + 1]);
});

test('one operation passes 10,000 read messages at most; the next one goes on', async () => {
  const realm = await modelledRealm();
  await realm.steps([realm.join(MEL, GENERAL)]);
  await fill(realm, 10_001, FlagBit.read);
  const first = {
    id: 1,
    channelId: GENERAL,
    recipientId: 1,
    homeChannelId: null,
    arrivedAt: null,
  };
  await realm.run((tx) => markRead(tx, MEL, [first]));
  expect(realm.reader.subscriptions.get([GENERAL, MEL])?.readThrough).toBe(10_000);
  expect(flagRows(realm, MEL)).toEqual([{ id: 10_001, bits: FlagBit.read }]);

  await realm.run((tx) => markRead(tx, MEL, [first]));
  expect(realm.reader.subscriptions.get([GENERAL, MEL])?.readThrough).toBe(10_001);
  expect(flagRows(realm, MEL)).toEqual([]);
});
