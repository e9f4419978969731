import { expect, test } from 'vitest';
import { parseNarrow } from '../../../src/domain/rules/messages/narrow.ts';
import { flagNames } from '../../../src/domain/wire/flags.ts';
import * as userGroups from '../../../src/operations/groups/user-groups.ts';
import * as alertWords from '../../../src/operations/indexes/alert-words.ts';
import { flagsOf } from '../../../src/operations/indexes/message-access.ts';
import * as messageEdits from '../../../src/operations/messages/edits.ts';
import { updateFlags } from '../../../src/operations/reading/flags.ts';
import { fetchMessages } from '../../../src/operations/reading/message-list.ts';
import { readersOf } from '../../../src/operations/reading/read-receipts.ts';
import { unreadMessages } from '../../../src/operations/registration/state/unread.ts';
import { ADA, GENERAL, GUS, IVY, MEL, PEOPLE, RANDOM, TEAM } from '../../support/model/model.ts';
import { userOf } from '../../support/model/modelled-acts.ts';
import { type ModelledRealm, modelledRealm } from '../../support/model/modelled-realm.ts';
import { SITE } from '../../support/site.ts';

const TO_CREW = { content: '@*crew* hello' };
const MENTIONED = { bits: 8 };

/** Opens a realm in which everybody is in the general channel, and in the crew. */
async function crewsRealm() {
  const realm = await modelledRealm();
  await realm.steps(PEOPLE.map((userId) => realm.join(userId, GENERAL)));
  return realm;
}

const flags = ({ reader }: ModelledRealm, userId: number, id: number) => {
  const row = reader.messages.get([id]);
  return row === undefined ? undefined : flagNames(flagsOf(reader, userId, row));
};

const rowsOf = ({ reader }: ModelledRealm) => ({
  mentionSets: Array.from(reader.mentionSets.range({}), ([[id], { userIds }]) => [id, userIds]),
  current: Array.from(reader.groupMentionSets.range({}), ([, { crowdId }]) => crowdId),
  members: Array.from(reader.userMentionSets.keys({}), ([userId, id]) => [userId, id]),
  messages: [...reader.mentionSetMessages.keys({})],
  mentions: Array.from(reader.messageMentionSets.range({}), ([[id], { crowdIds }]) => [
    id,
    crowdIds,
  ]),
});

const NO_MENTION_SETS = { mentionSets: [], current: [], members: [], messages: [], mentions: [] };

const mentionsOf = ({ reader }: ModelledRealm, userId: number) =>
  fetchMessages(reader, {
    user: userOf(reader, userId),
    site: SITE,
    narrow: parseNarrow([{ operator: 'is', operand: 'mentioned' }]),
    anchor: 'oldest',
    includeAnchor: true,
    numBefore: 0,
    numAfter: 100,
    applyMarkdown: false,
    clientGravatar: false,
    allowEmptyTopicName: true,
  }).messages.map((message) => (message as { id: number }).id);

const ownBits = ({ reader }: ModelledRealm, id: number) =>
  Object.fromEntries(
    PEOPLE.flatMap((userId) => {
      const row = reader.messageFlags.get([userId, id]);
      return row === undefined ? [] : [[userId, row.bits]];
    }),
  );

const reword = (realm: ModelledRealm, id: number, text: string) =>
  realm.run((tx) => {
    const row = tx.messages.get([id]);
    if (row === undefined) throw new Error(`no message ${id}`);
    const caller = realm.caller(row.senderId);
    messageEdits.writeContent(tx, caller, {
      row,
      ...messageEdits.acceptable(tx, caller, { row, text }),
    });
  });

const leaveCrew = (realm: ModelledRealm, userId: number) =>
  realm.run((tx) => {
    const { groupId = 0 } = tx.groupNames.get(['crew']) ?? {};
    tx.groupMembers.remove([groupId, userId]);
  });

test('messages that mention a group add two rows each, whoever is in it', async () => {
  const realm = await crewsRealm();
  await realm.steps([1, 2, 3].map(() => realm.say(ADA, GENERAL, 'a', TO_CREW)));
  expect(rowsOf(realm)).toEqual({
    mentionSets: [[1, [ADA, MEL, IVY, GUS]]],
    current: [1],
    members: PEOPLE.map((userId) => [userId, 1]),
    messages: [1, 2, 3].map((id) => [1, id]),
    mentions: [1, 2, 3].map((id) => [id, [1]]),
  });
  expect([1, 2, 3].map((id) => ownBits(realm, id))).toEqual([{}, {}, {}]);
  for (const userId of PEOPLE) {
    expect(flags(realm, userId, 2)).toEqual(['mentioned']);
    expect(mentionsOf(realm, userId)).toEqual([1, 2, 3]);
    const unread = unreadMessages(realm.reader, userOf(realm.reader, userId));
    expect(unread.mentions).toEqual([1, 2, 3]);
  }
});

test('few people have rows of their own, and so has everybody in a conversation', async () => {
  const realm = await modelledRealm();
  await realm.steps([ADA, MEL].map((userId) => realm.join(userId, GENERAL)));
  await realm.steps([
    realm.say(ADA, GENERAL, 'a', TO_CREW),
    realm.tell(ADA, [MEL, IVY, GUS], TO_CREW),
  ]);
  expect(rowsOf(realm)).toEqual(NO_MENTION_SETS);
  expect(ownBits(realm, 1)).toEqual({ [ADA]: 8, [MEL]: 8 });
  expect(ownBits(realm, 2)).toEqual({ [ADA]: 8, [MEL]: 8, [IVY]: 8, [GUS]: 8 });
});

test.each([
  {
    how: 'leaves the channel',
    act: (realm: ModelledRealm) => realm.steps([realm.leave(MEL, GENERAL)]),
  },
  { how: 'leaves the group', act: (realm: ModelledRealm) => leaveCrew(realm, MEL) },
])('who $how was mentioned before and is not after', async ({ act }) => {
  const realm = await crewsRealm();
  await realm.steps([realm.say(ADA, GENERAL, 'a', TO_CREW)]);
  await act(realm);
  await realm.steps([realm.say(ADA, GENERAL, 'a', TO_CREW)]);
  expect(mentionsOf(realm, MEL)).toEqual([1]);
  expect(mentionsOf(realm, IVY)).toEqual([1, 2]);
  expect(rowsOf(realm)).toMatchObject({
    mentionSets: [
      [1, [ADA, MEL, IVY, GUS]],
      [2, [ADA, IVY, GUS]],
    ],
    current: [2],
  });
});

test('whoever comes is mentioned from then on', async () => {
  const realm = await modelledRealm();
  await realm.steps([ADA, MEL, IVY].map((userId) => realm.join(userId, GENERAL)));
  await realm.steps([realm.say(ADA, GENERAL, 'a', TO_CREW)]);
  await realm.steps([realm.join(GUS, GENERAL), realm.say(ADA, GENERAL, 'a', TO_CREW)]);
  expect(mentionsOf(realm, GUS)).toEqual([2]);
});

test('a send that mentions a group and is then refused founds nothing', async () => {
  const realm = await crewsRealm();
  const refused = realm.run((tx) => {
    realm.say(ADA, GENERAL, 'a', TO_CREW)(tx);
    throw new Error('refused');
  });
  await expect(refused).rejects.toThrow('refused');
  expect(rowsOf(realm)).toEqual(NO_MENTION_SETS);
  await realm.steps([realm.say(ADA, GENERAL, 'b', TO_CREW)]);
  expect(rowsOf(realm)).toMatchObject({ mentionSets: [[1, PEOPLE]], messages: [[1, 1]] });
});

test('what is said of one of them and a message stands beside it, and goes without it', async () => {
  const realm = await crewsRealm();
  await realm.run((tx) => alertWords.add(tx, IVY, ['hello']));
  await realm.steps([realm.say(ADA, GENERAL, 'a', { ...TO_CREW, isRead: true })]);
  expect(ownBits(realm, 1)).toEqual({ [ADA]: 1, [IVY]: 64 });
  expect(flags(realm, ADA, 1)).toEqual(['read', 'mentioned']);
  expect(flags(realm, IVY, 1)).toEqual(['mentioned', 'has_alert_word']);
  const told = [...realm.reader.events.range({})].find(([, { event }]) => event.type === 'message');
  expect(told?.[1].flags).toEqual({
    shared: [],
    own: [
      { flags: ['mentioned', 'has_alert_word'], userIds: [IVY] },
      { flags: ['read', 'mentioned'], userIds: [ADA] },
      { flags: ['mentioned'], userIds: [MEL, GUS] },
    ],
  });
  for (const [op, expected] of [
    ['add', ['starred', 'mentioned']],
    ['remove', ['mentioned']],
  ] as const) {
    const star = { messageIds: [1], op, flag: 'starred' };
    await realm.run((tx) => updateFlags(tx, realm.caller(MEL), star));
    expect(flags(realm, MEL, 1)).toEqual(expected);
  }
  expect(ownBits(realm, 1)).toEqual({ [ADA]: 1, [IVY]: 64 });
});

test('an edit that mentions others takes the mention from those it leaves out', async () => {
  const realm = await crewsRealm();
  await realm.steps([realm.say(ADA, GENERAL, 'a', TO_CREW), realm.say(ADA, GENERAL, 'a', TO_CREW)]);
  await reword(realm, 1, '@**Mel Doe** alone');
  expect(PEOPLE.map((userId) => flags(realm, userId, 1))).toEqual([[], ['mentioned'], [], []]);
  expect(mentionsOf(realm, IVY)).toEqual([2]);
  await reword(realm, 2, 'nobody');
  expect(rowsOf(realm)).toEqual(NO_MENTION_SETS);
  await reword(realm, 2, 'the @*crew* after all');
  expect(PEOPLE.map((userId) => mentionsOf(realm, userId))).toEqual([[2], [1, 2], [2], [2]]);
});

test('with the last message that has a mention set all of its rows are gone', async () => {
  const realm = await crewsRealm();
  await realm.steps([realm.say(ADA, GENERAL, 'a', TO_CREW), realm.say(ADA, GENERAL, 'a', TO_CREW)]);
  await realm.steps([realm.remove(2)]);
  expect(rowsOf(realm)).toMatchObject({ messages: [[1, 1]], mentions: [[1, [1]]] });
  await realm.steps([realm.remove(1)]);
  expect(rowsOf(realm)).toEqual(NO_MENTION_SETS);
  await realm.steps([realm.say(ADA, GENERAL, 'a', TO_CREW)]);
  expect(rowsOf(realm)).toMatchObject({ mentionSets: [[2, PEOPLE]], messages: [[2, 3]] });
});

test('who loses a message by a move loses the mention, and the others keep it', async () => {
  const realm = await crewsRealm();
  await realm.steps([realm.join(MEL, TEAM), realm.say(ADA, GENERAL, 'a', TO_CREW)]);
  await realm.steps([realm.move(1, TEAM, 'b')]);
  expect(mentionsOf(realm, MEL)).toEqual([1]);
  expect(ownBits(realm, 1)).toMatchObject({ [MEL]: MENTIONED.bits });
  expect(realm.reader.messageFlags.has([GUS, 1])).toBe(false);
  expect(rowsOf(realm)).toEqual(NO_MENTION_SETS);
});

test('two groups that share members mention each of them once', async () => {
  const realm = await crewsRealm();
  const trio = { name: 'trio', description: '', memberIds: [MEL, IVY, GUS], subgroupIds: [] };
  await realm.run((tx) => userGroups.create(tx, realm.caller(ADA), { ...trio, permissions: {} }));
  await leaveCrew(realm, GUS);
  const content = '@*trio*, @*crew* and @**Mel Doe**';
  await realm.steps([realm.say(ADA, GENERAL, 'a', { content })]);
  const told = [...realm.reader.events.range({})].find(([, { event }]) => event.type === 'message');
  expect(told?.[1].flags?.own).toEqual([
    { flags: ['mentioned'], userIds: [MEL] },
    { flags: ['mentioned'], userIds: [ADA, IVY] },
    { flags: ['mentioned'], userIds: [GUS] },
  ]);
  expect(PEOPLE.map((userId) => mentionsOf(realm, userId))).toEqual([[1], [1], [1], [1]]);
  await realm.steps([realm.remove(1)]);
  expect(rowsOf(realm)).toEqual(NO_MENTION_SETS);
});

test('being mentioned by a group is not having read', async () => {
  const realm = await crewsRealm();
  await realm.steps([realm.say(ADA, GENERAL, 'a', TO_CREW)]);
  await realm.steps([realm.read(IVY, [1])]);
  await realm.run((tx) => {
    const row = tx.realm.get(['realm']);
    if (row !== undefined)
      tx.realm.put(['realm'], { ...row, settings: { enable_read_receipts: true } });
  });
  expect(readersOf(realm.reader, userOf(realm.reader, MEL), 1)).toEqual([IVY]);
});

test('whoever was mentioned and may read where the message was moved to has read it, by a group or by name', async () => {
  const realm = await crewsRealm();
  await leaveCrew(realm, GUS);
  await realm.run((tx) => {
    const row = tx.realm.get(['realm']) ?? expect.fail();
    tx.realm.put(['realm'], { ...row, settings: { enable_read_receipts: true } });
  });
  await realm.steps([
    realm.join(ADA, RANDOM),
    realm.say(ADA, GENERAL, 'a', TO_CREW),
    realm.say(ADA, GENERAL, 'a', { content: '@**Mel Doe** and @**Ivy Doe**' }),
  ]);
  await realm.steps([realm.move(1, RANDOM, 'b'), realm.move(2, RANDOM, 'b')]);
  const readers = (id: number) => readersOf(realm.reader, userOf(realm.reader, ADA), id);
  expect([readers(1), readers(2)]).toEqual([
    [MEL, IVY],
    [MEL, IVY],
  ]);
});
