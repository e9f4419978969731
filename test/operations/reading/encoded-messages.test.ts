import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseNarrow } from '../../../src/domain/rules/messages/narrow.ts';
import { EncodedList, jsonOf } from '../../../src/domain/wire/encoded-list.ts';
import type { Site } from '../../../src/operations/access/caller.ts';
import * as reactions from '../../../src/operations/messages/reactions.ts';
import {
  fetchEncoded,
  fetchEncodedById,
  fetchMessages,
  fetchMessagesById,
} from '../../../src/operations/reading/message-list.ts';
import * as linkifiers from '../../../src/operations/rendering/linkifiers.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmReader } from '../../../storage/transaction.ts';
import { ADA, GENERAL, IVY, MEL, PEOPLE, RANDOM } from '../../support/model/model.ts';
import { callerOf, userOf } from '../../support/model/modelled-acts.ts';
import {
  type ModelledRealm,
  modelledRealm,
  openModelledRealm,
  type Step,
} from '../../support/model/modelled-realm.ts';
import { EXTRA_CHANNELS, randomAct } from '../../support/model/random-acts.ts';
import { SITE } from '../../support/site.ts';

/** A few hundred random acts of everyone, and texts that JSON writes in another way. */
let world: ModelledRealm;
beforeAll(async () => {
  world = await openModelledRealm({ extraChannels: EXTRA_CHANNELS });
  const act: fc.Arbitrary<(realm: ModelledRealm) => Step> = randomAct();
  const acts = fc.sample(act, { numRuns: 1500, seed: 815 });
  await world.steps(acts.map((make) => make(world)));
  await world.run((tx) =>
    linkifiers.add(tx, { pattern: '#(?P<id>\\d+)', urlTemplate: 'https://x.org/{id}' }),
  );
  await world.steps([
    world.say(ADA, GENERAL, 'about "#7" \\ \u2028', {
      content: 'a "quote", a \\ and \u0007 \ud800',
    }),
    world.say(MEL, GENERAL, '#12 and #13', { content: '/me waves' }),
    world.say(IVY, RANDOM, '日本', { content: '日本語 😀 </script>' }),
    world.say(MEL, RANDOM, 'votes', { content: '/poll Where?\nhere\nthere' }),
    world.tell(ADA, [MEL, IVY], { content: '```c\nint "x";\n```' }),
  ]);
  const messageId = world.model.messages.at(-1)?.id ?? 0;
  const reaction = { messageId, name: 'tada', code: undefined, type: undefined };
  await world.run((tx) => reactions.add(tx, callerOf(tx, MEL), reaction));
});
afterAll(() => world.close());

const FORMS = [true, false].flatMap((applyMarkdown) =>
  [true, false].flatMap((clientGravatar) =>
    [true, false].map((allowEmptyTopicName) => ({
      applyMarkdown,
      clientGravatar,
      allowEmptyTopicName,
    })),
  ),
);
const NARROWS = [
  [],
  [{ operator: 'search', operand: 'hi' }],
  [{ operator: 'search', operand: 'quote' }],
  [{ operator: 'channel', operand: GENERAL }],
  [{ operator: 'is', operand: 'dm' }],
];
const IN_GENERAL = [{ operator: 'channel', operand: GENERAL }];
const ALL = { anchor: 'newest', includeAnchor: true, numBefore: 5000, numAfter: 0 } as const;

interface Asked {
  readonly as?: UserRow;
  readonly site?: Site;
  readonly narrow?: unknown;
  readonly form?: (typeof FORMS)[number];
}

function requestOf(reader: RealmReader, { as, site = SITE, narrow = [], form = FORMS[0] }: Asked) {
  if (form === undefined) throw new Error('there is no form');
  return { ...form, ...ALL, user: as ?? userOf(reader, ADA), site, narrow: parseNarrow(narrow) };
}

/** Returns a page as the endpoint gives it, and as its messages would be written as objects. */
function bothOf(reader: RealmReader, asked: Asked) {
  const request = requestOf(reader, asked);
  const list = fetchEncoded(reader, request);
  const messages = new EncodedList(list.messages.map(({ json }) => json));
  return {
    given: jsonOf({ ...list, messages }),
    written: JSON.stringify(fetchMessages(reader, request)),
  };
}

test.each(PEOPLE)('user %i is given the bytes that JSON.stringify makes of the messages', (id) => {
  const { reader } = world;
  const as = userOf(reader, id);
  for (const narrow of NARROWS) {
    for (const form of FORMS) {
      const { given, written } = bothOf(reader, { as, narrow, form });
      expect(given).toBe(written);
    }
  }
});

test('the messages that are compared have every kind of field', () => {
  const given = PEOPLE.flatMap((id) =>
    NARROWS.map((narrow) => bothOf(world.reader, { as: userOf(world.reader, id), narrow }).given),
  ).join('');
  const missing = [
    ...['"edit_history":[{', '"last_moved_timestamp":', '"reactions":[{', '"submessages":[{'],
    ...['"is_me_message":true', '"topic_links":[{', '"display_recipient":[{', 'class=\\"highlight'],
    ...['"flags":["mentioned', '\\u0007', '日本語'],
  ].filter((part) => !given.includes(part));
  expect(missing).toEqual([]);
});

test('the same for messages that are named by their ids', () => {
  const { reader } = world;
  const messageIds = world.model.messages.slice(-200).map(({ id }) => id);
  const request = { ...requestOf(reader, {}), messageIds };
  const { messages } = fetchEncodedById(reader, request);
  const objects = fetchMessagesById(reader, request).messages;
  expect(messages.map(({ json }) => json)).toEqual(
    objects.map((message) => JSON.stringify(message)),
  );
  expect(messages.length).toBeGreaterThan(20);
});

test('a sender is as the account is now, under the host by which one asks', async () => {
  const realm = await modelledRealm();
  await realm.steps([realm.join(MEL, GENERAL), realm.say(MEL, GENERAL, 'a')]);
  const changed = (change: Partial<UserRow>) =>
    realm.run((tx) => tx.users.put([MEL], { ...userOf(tx, MEL), ...change }));
  const senders = (asked: Asked = {}) => {
    const { given, written } = bothOf(realm.reader, { narrow: IN_GENERAL, ...asked });
    expect(given).toBe(written);
    const { messages } = JSON.parse(given) as { messages: { [field: string]: unknown }[] };
    return messages.map((it) => [it['sender_full_name'], it['sender_email'], it['avatar_url']]);
  };
  const plain = { applyMarkdown: true, clientGravatar: false, allowEmptyTopicName: true };
  expect(senders()).toEqual([['Mel Doe', 'Mel@example.com', null]]);
  expect(senders({ form: plain })).toEqual([['Mel Doe', 'Mel@example.com', '/avatar/2?v=1']]);
  await changed({ fullName: 'Mel "the" Doe', avatarVersion: 2 });
  expect(senders({ form: plain })).toEqual([['Mel "the" Doe', 'Mel@example.com', '/avatar/2?v=2']]);
  await changed({ settings: { email_address_visibility: 4 } });
  const hidden = (host: string) => [['Mel "the" Doe', `user2@${host}`, '/avatar/2?v=2']];
  expect(senders()).toEqual(hidden(SITE.host));
  expect(senders({ site: { ...SITE, host: 'b.example.com' } })).toEqual(hidden('b.example.com'));
  expect(senders()).toEqual(hidden(SITE.host));
});

test('a change that is undone is in no later page', async () => {
  const realm = await modelledRealm();
  await realm.steps([realm.join(MEL, GENERAL), realm.say(MEL, GENERAL, 'a')]);
  const before = bothOf(realm.reader, { narrow: IN_GENERAL });
  expect(before.given).toContain('Mel Doe');
  const undone = realm.run((tx) => {
    tx.users.put([MEL], { ...userOf(tx, MEL), fullName: 'Somebody else' });
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(bothOf(realm.reader, { narrow: IN_GENERAL })).toEqual(before);
});

test('a spectator sees no address', async () => {
  const realm = await modelledRealm();
  await realm.run((tx) => {
    const channel = tx.channels.get([GENERAL]);
    if (channel !== undefined) tx.channels.put([GENERAL], { ...channel, isWebPublic: true });
  });
  await realm.steps([realm.join(MEL, GENERAL), realm.say(MEL, GENERAL, 'a')]);
  const { reader } = realm;
  // Members ask first, so that their form of the sender is known.
  expect(bothOf(reader, { narrow: IN_GENERAL }).given).toContain('Mel@example.com');
  const as = { ...userOf(reader, IVY), id: 0 };
  const { given, written } = bothOf(reader, {
    as,
    narrow: [{ operator: 'channels', operand: 'web-public' }],
  });
  expect(given).toBe(written);
  expect(given).toContain(`"sender_email":"user2@${SITE.host}"`);
  expect(given).not.toContain('Mel@example.com');
});
