import { expect, test } from 'vitest';
import { MESSAGES_PER_FETCH_MAX } from '../../../src/domain/limits/messages.ts';
import { type NarrowTerm, parseNarrow } from '../../../src/domain/rules/messages/narrow.ts';
import { renderMarkdown } from '../../../src/markdown/markdown.ts';
import type { Caller } from '../../../src/operations/access/caller.ts';
import * as messages from '../../../src/operations/posting/messages.ts';
import { fetchMessage, fetchMessagesById } from '../../../src/operations/reading/message-list.ts';
import { messageDirectory } from '../../../src/operations/rendering/mention-directory.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  ALL_BEFORE,
  FORM,
  fetch,
  ids,
  LAST,
  type Query,
  type Wire,
} from '../../support/model/message-lists.ts';
import { ADA, BOARD, GENERAL, GUS, IVY, MEL, RANDOM, TEAM } from '../../support/model/model.ts';
import { userOf } from '../../support/model/modelled-acts.ts';
import { modelledRealm } from '../../support/model/modelled-realm.ts';
import { EXTRA_CHANNELS } from '../../support/model/random-acts.ts';
import { SITE } from '../../support/site.ts';

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
  // Some conversations are read to the end, some not at all, some in part; one message is unread
  // again.
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
  const rendered = renderMarkdown('quiet', messageDirectory(tx, caller.user, SITE));
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

test('messages by id: those that may be read, once each, in order', async () => {
  const realm = await modelledRealm();
  await realm.steps([realm.say(ADA, GENERAL, 'a'), realm.tell(ADA, [IVY]), realm.tell(MEL, [IVY])]);
  const user = userOf(realm.reader, MEL);
  const byId = (messageIds: number[], narrow: readonly NarrowTerm[] = []) =>
    fetchMessagesById(realm.reader, { ...FORM, user, site: SITE, narrow, messageIds });
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
      site: SITE,
      messageId,
    });
  expect(one(IVY, 1)).toMatchObject({ message: { id: 1, flags: [] }, raw_content: '*a*' });
  expect(() => one(MEL, 1)).toThrow('Invalid message(s)');
  expect(() => one(MEL, 2)).toThrow('Invalid message(s)');
});
