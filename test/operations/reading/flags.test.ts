import { expect, test } from 'vitest';
import { MESSAGES_PER_FETCH_MAX } from '../../../src/domain/limits/messages.ts';
import { parseNarrow } from '../../../src/domain/rules/messages/narrow.ts';
import { flagNames } from '../../../src/domain/wire/flags.ts';
import { topicsOf } from '../../../src/operations/channels/topics.ts';
import { flagsOf } from '../../../src/operations/indexes/message-access.ts';
import {
  type FlagRange,
  updateFlags,
  updateFlagsInNarrow,
} from '../../../src/operations/reading/flags.ts';
import { fetchMessages } from '../../../src/operations/reading/message-list.ts';
import { ADA, BOARD, GENERAL, IVY, MEL, TEAM } from '../../support/model/model.ts';
import { userOf } from '../../support/model/modelled-acts.ts';
import { type ModelledRealm, modelledRealm } from '../../support/model/modelled-realm.ts';
import { SITE } from '../../support/site.ts';

/** The reply, and the events that came of it. */
async function change(
  realm: ModelledRealm,
  userId: number,
  update: Parameters<typeof updateFlags>[2],
) {
  const head = realm.reader.head();
  const reply = await realm.run((tx) => updateFlags(tx, realm.caller(userId), update));
  return { reply, events: eventsAfter(realm, head) };
}

const eventsAfter = ({ reader }: ModelledRealm, head: number) =>
  Array.from(reader.events.range({ start: [head + 1] }), ([, { event, audience }]) => ({
    event,
    audience,
  }));

const flags = ({ reader }: ModelledRealm, userId: number, id: number) => {
  const row = reader.messages.get([id]);
  return row === undefined ? undefined : flagNames(flagsOf(reader, userId, row));
};

const READ = { op: 'add', flag: 'read' };
const UNREAD = { op: 'remove', flag: 'read' };
const STAR = { op: 'add', flag: 'starred' };
const UNSTAR = { op: 'remove', flag: 'starred' };

/** Mel is in the general channel with messages 1 to 3, and has a message 4 from Ada. */
async function melsRealm() {
  const realm = await modelledRealm();
  await realm.steps([realm.join(MEL, GENERAL)]);
  await realm.steps([
    realm.say(ADA, GENERAL, 'a', { content: '@**Mel Doe**' }),
    realm.say(ADA, GENERAL, 'a'),
    realm.say(ADA, GENERAL, 'a'),
    realm.tell(ADA, [MEL]),
  ]);
  return realm;
}

test('marking read tells the user alone what changed', async () => {
  const realm = await melsRealm();
  const { reply, events } = await change(realm, MEL, { ...READ, messageIds: [3, 1, 4, 3] });
  expect(reply).toEqual({ messages: [3, 1, 4, 3] });
  expect(events).toEqual([
    {
      event: {
        type: 'update_message_flags',
        op: 'add',
        operation: 'add',
        flag: 'read',
        messages: [1, 3, 4],
        all: false,
      },
      audience: { users: [MEL] },
    },
  ]);
  expect([1, 2, 3, 4].map((id) => flags(realm, MEL, id))).toEqual([
    ['read', 'mentioned'],
    [],
    ['read'],
    ['read'],
  ]);
  const again = await change(realm, MEL, { ...READ, messageIds: [3, 1] });
  expect(again).toEqual({ reply: { messages: [3, 1] }, events: [] });
});

test('marking unread gives what a client needs to count the messages', async () => {
  const realm = await melsRealm();
  await change(realm, MEL, { ...READ, messageIds: [1, 2, 3, 4] });
  const { reply, events } = await change(realm, MEL, { ...UNREAD, messageIds: [4, 2, 1] });
  expect(reply).toEqual({
    messages: [4, 2, 1],
    ignored_because_not_subscribed_channels: [],
  });
  const stream = { type: 'stream', stream_id: GENERAL, topic: 'a', unmuted_stream_msg: true };
  expect(events[0]?.event).toEqual({
    type: 'update_message_flags',
    op: 'remove',
    operation: 'remove',
    flag: 'read',
    messages: [1, 2, 4],
    all: false,
    message_details: {
      1: { ...stream, mentioned: true },
      2: stream,
      4: { type: 'private', user_ids: [ADA] },
    },
  });
});

test('messages of channels that were left are not marked unread, and the channels are named', async () => {
  const realm = await melsRealm();
  await change(realm, MEL, { ...READ, messageIds: [1, 2, 3, 4] });
  await realm.steps([realm.leave(MEL, GENERAL)]);
  const { reply, events } = await change(realm, MEL, { ...UNREAD, messageIds: [1, 2, 4] });
  expect(reply).toMatchObject({ ignored_because_not_subscribed_channels: [GENERAL] });
  expect(events[0]?.event).toMatchObject({ messages: [4] });
});

test('starring a message that never came keeps a read, historical copy, until it is unstarred', async () => {
  const realm = await melsRealm();
  const { events } = await change(realm, IVY, { ...STAR, messageIds: [1] });
  expect(events[0]?.event).toMatchObject({ flag: 'starred', messages: [1] });
  expect(flags(realm, IVY, 1)).toEqual(['read', 'starred', 'historical']);
  const starred = fetchMessages(realm.reader, {
    user: userOf(realm.reader, IVY),
    site: SITE,
    narrow: parseNarrow([['is', 'starred']]),
    anchor: 'newest',
    includeAnchor: true,
    numBefore: 10,
    numAfter: 0,
    applyMarkdown: true,
    clientGravatar: true,
    allowEmptyTopicName: true,
  });
  expect(starred.messages).toMatchObject([{ id: 1 }]);

  await change(realm, IVY, { ...UNSTAR, messageIds: [1] });
  expect(flags(realm, IVY, 1)).toEqual(['read', 'historical']);
  expect([...realm.reader.messageFlags.under([IVY])]).toEqual([]);
  expect([...realm.reader.flaggedMessages.under([IVY])]).toEqual([]);
});

test('a star on a message that came leaves it as unread as it was', async () => {
  const realm = await melsRealm();
  await change(realm, MEL, { ...STAR, messageIds: [1, 2] });
  expect(flags(realm, MEL, 1)).toEqual(['starred', 'mentioned']);
  await change(realm, MEL, { ...READ, messageIds: [1, 2] });
  await change(realm, MEL, { ...UNSTAR, messageIds: [1, 2] });
  expect(flags(realm, MEL, 1)).toEqual(['read', 'mentioned']);
  expect(flags(realm, MEL, 2)).toEqual(['read']);
});

test('marking read what never came changes nothing', async () => {
  const realm = await melsRealm();
  const { events } = await change(realm, IVY, { ...READ, messageIds: [1, 2] });
  expect(events).toEqual([]);
  expect([...realm.reader.messageFlags.under([IVY])]).toEqual([]);
});

test.each([
  { why: 'an unknown flag', update: { op: 'add', flag: 'shiny' }, msg: /Invalid flag: 'shiny'/ },
  { why: 'a flag of the server', update: { op: 'add', flag: 'mentioned' }, msg: /not editable/ },
  { why: 'the internal bit', update: { op: 'add', flag: 'unread' }, msg: /Invalid flag/ },
  { why: 'an unknown op', update: { op: 'toggle', flag: 'read' }, msg: /operation: 'toggle'/ },
  { why: 'a message of others', update: { ...STAR, messageIds: [1, 4] }, msg: /Invalid message/ },
  { why: 'no such message', update: { ...STAR, messageIds: [99] }, msg: /Invalid message/ },
  { why: 'a negative id', update: { ...STAR, messageIds: [-1] }, msg: /Invalid message/ },
  {
    why: 'one message too many',
    update: {
      ...READ,
      messageIds: Array.from({ length: MESSAGES_PER_FETCH_MAX + 1 }, (_, i) => i),
    },
    msg: /maximum 5000/,
  },
])('is refused: $why', async ({ update, msg }) => {
  const realm = await melsRealm();
  const request = { messageIds: [1], ...update };
  await expect(change(realm, IVY, request)).rejects.toThrow(msg);
  expect([...realm.reader.messageFlags.under([IVY])]).toEqual([]);
});

test('a range of a narrow is changed and reported (specification, "POST /messages/flags/narrow")', async () => {
  const realm = await melsRealm();
  const inRange = (range: Partial<FlagRange>) =>
    realm.run((tx) =>
      updateFlagsInNarrow(tx, realm.caller(MEL), {
        ...READ,
        anchor: 'first_unread',
        includeAnchor: true,
        numBefore: 0,
        numAfter: 1,
        narrow: [],
        ...range,
      }),
    );
  expect(await inRange({})).toEqual({
    processed_count: 2,
    updated_count: 2,
    first_processed_id: 1,
    last_processed_id: 2,
    found_oldest: false,
    found_newest: false,
  });
  const narrow = parseNarrow([['channel', 'general']]);
  expect(await inRange({ narrow, anchor: 'oldest', numAfter: 9000 })).toEqual({
    processed_count: 3,
    updated_count: 1,
    first_processed_id: 1,
    last_processed_id: 3,
    found_oldest: true,
    found_newest: true,
  });
  expect(await inRange({ narrow: parseNarrow([['topic', 'none']]), ...UNREAD })).toEqual({
    processed_count: 0,
    updated_count: 0,
    first_processed_id: null,
    last_processed_id: null,
    found_oldest: false,
    found_newest: true,
    ignored_because_not_subscribed_channels: [],
  });
});

test('topics are newest first, in the spelling of the newest message; protected history shows what came', async () => {
  const realm = await modelledRealm();
  await realm.steps([TEAM, BOARD].map((channel) => realm.join(ADA, channel)));
  const said = (channel: number) => [
    realm.say(ADA, channel, 'Old'),
    realm.say(ADA, channel, 'logo'),
    realm.say(ADA, channel, ''),
  ];
  await realm.steps([...said(TEAM), ...said(BOARD)]);
  await realm.steps([TEAM, BOARD].map((channel) => realm.join(IVY, channel)));
  await realm.steps([realm.say(ADA, TEAM, 'LOGO'), realm.say(ADA, BOARD, 'LOGO')]);
  await realm.steps([
    realm.leave(IVY, BOARD),
    realm.say(ADA, BOARD, 'Logo'),
    realm.join(IVY, BOARD),
  ]);
  const topics = (userId: number, channelId: number, allowEmptyTopicName = true) =>
    topicsOf(realm.reader, userOf(realm.reader, userId), { channelId, allowEmptyTopicName });

  expect(topics(IVY, TEAM)).toEqual([
    { name: 'LOGO', max_id: 7 },
    { name: '', max_id: 3 },
    { name: 'Old', max_id: 1 },
  ]);
  expect(topics(IVY, TEAM, false)[1]?.name).toBe('general chat');
  expect(topics(IVY, BOARD)).toEqual([{ name: 'LOGO', max_id: 8 }]);
  expect(topics(ADA, BOARD)[0]).toEqual({ name: 'Logo', max_id: 9 });
  expect(topics(MEL, GENERAL)).toEqual([]);
  expect(() => topics(MEL, TEAM)).toThrow('Invalid channel ID');
  expect(() => topics(MEL, 99)).toThrow('Invalid channel ID');
});
