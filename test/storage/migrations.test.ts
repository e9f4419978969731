import { open } from 'lmdb';
import { expect, onTestFinished, test } from 'vitest';
import { NOTIFICATION_BOT } from '../../src/domain/rules/people/system-bots.ts';
import { ContentBit } from '../../src/domain/rules/search/message-contents.ts';
import { MIGRATIONS } from '../../storage/migrations/migrations.ts';
import { SCHEMA_VERSION } from '../../storage/schema.ts';
import { openRealmStore } from '../../storage/store.ts';
import { EVERYWHERE } from '../../storage/tables/messages/contents.ts';
import { AS_THE_REALM } from '../../storage/tables/messages/messages.ts';
import { ALL_CHANNELS } from '../../storage/tables/notifications/push.ts';
import { temporaryFolder } from '../support/scratch.ts';

const JOINED = 1_700_000_000;

const plain = (name: string) => ({ name, encoding: 'msgpack' as const, useRecords: false });

/** A store as schema 1 left it: rows without the columns that were added since. */
async function storeOfSchema1(): Promise<string> {
  const path = temporaryFolder();
  const env = open<unknown, string>({ path, maxDbs: 64 });
  const table = (name: string) => env.openDB<unknown[], (string | number)[]>(plain(name));
  env.openDB<number, string>({ name: 'schema' }).putSync('version', 1);
  table('realm').putSync(['realm'], [1, 'old', 'Old', '', JOINED, true, {}]);
  table('counters').putSync(['counters'], [7, 2, 1, 1, 2]);
  const ona = [1, 'ona@example.com', 'Ona', 100, true, null, null, JOINED, '', 1, null, {}];
  table('users').putSync([1], ona);
  const message = [2, 1, 2, 1, 'tea', 'hi', '<p>hi</p>', JOINED, 'test', false];
  table('messages').putSync([2], message);
  table('channel_messages').putSync([1, 2], ['tea', 1]);
  table('reactions').putSync([2, 'unicode_emoji', '1f44b', 1], ['wave', 1]);
  table('message_flags').putSync([1, 2], [1]);
  const properties = ['#76ce90', false, false, null, null, null, null, null];
  table('subscriptions').putSync([1, 2], [true, ...properties, [1, null], 0]);
  table('subscriptions').putSync([1, 3], [false, ...properties, [1, 4, 6, 7], 0]);
  const mel = [2, 'mel@example.com', 'Mel', 400, true, null, null, JOINED, '', 1, null];
  table('users').putSync([2], [...mel, { enable_stream_push_notifications: true }]);
  const pushed = ['#76ce90', false, false, null, null, true, null, null];
  table('subscriptions').putSync([1, 4], [true, ...pushed, [1, null], 0]);
  const device = ['fcm', 'key', 'bouncer key', 'registration'];
  table('push_devices').putSync([1, '7'], [...device, 'active', null, 'd-7']);
  table('push_devices').putSync([2, '8'], [...device, 'failed', 'BAD_REQUEST', null]);
  await env.close();
  return path;
}

test('a store of schema 1 gets the notification bot and keeps what it holds', async () => {
  const path = await storeOfSchema1();
  const store = openRealmStore(path);
  onTestFinished(() => store.close());
  const { reader } = store;
  expect(reader.users.get([NOTIFICATION_BOT.id])).toEqual({
    ...NOTIFICATION_BOT,
    dateJoined: JOINED,
  });
  expect(reader.users.get([1])).toMatchObject({ fullName: 'Ona', isSystem: false });
  expect(reader.head()).toBe(7);
});

test('columns that were added later have their defaults in older rows', async () => {
  const store = openRealmStore(await storeOfSchema1());
  onTestFinished(() => store.close());
  expect(store.reader.messages.get([2])).toMatchObject({
    content: 'hi',
    lastEditedAt: null,
    lastMovedAt: null,
    hasReactions: false,
    hasEdits: false,
  });
  expect(store.reader.realm.get(['realm'])).toMatchObject({ name: 'Old', userDefaults: {} });
});

test('for whom a message has flags is known after', async () => {
  const store = openRealmStore(await storeOfSchema1());
  onTestFinished(() => store.close());
  expect([...store.reader.flagHolders.keys({})]).toEqual([[2, 1]]);
});

test('who took part in a topic before is known after', async () => {
  const store = openRealmStore(await storeOfSchema1());
  onTestFinished(() => store.close());
  expect([...store.reader.topicParticipants.range({})]).toEqual([
    [[1, 'tea', 1], { sent: 1, reacted: 1 }],
  ]);
});

test('who left a channel before, and after which message, is known after', async () => {
  const store = openRealmStore(await storeOfSchema1());
  onTestFinished(() => store.close());
  expect([...store.reader.formerSubscribers.keys({})]).toEqual([[1, 7, 3]]);
});

test('who is waiting to become a full member is known after', async () => {
  const young = Math.floor(Date.now() / 1000) - 86_400;
  for (const [days, waiting] of [
    [undefined, []],
    [0, []],
    [2, [[young, 2]]],
  ] as const) {
    const path = await storeOfSchema1();
    const env = open<unknown, string>({ path, maxDbs: 64 });
    const table = (name: string) => env.openDB<unknown[], (string | number)[]>(plain(name));
    const settings = days === undefined ? {} : { waiting_period_threshold: days };
    table('realm').putSync(['realm'], [1, 'old', 'Old', '', JOINED, true, settings]);
    const mel = [2, 'mel@example.com', 'Mel', 400, true, null, null, young, '', 1, null, {}];
    table('users').putSync([2], mel);
    await env.close();
    const store = openRealmStore(path);
    expect([...store.reader.waitingMembers.keys({})]).toEqual(waiting);
    await store.close();
  }
});

test('who has devices, and who wants every message of a channel pushed, is known after', async () => {
  const store = openRealmStore(await storeOfSchema1());
  onTestFinished(() => store.close());
  expect([...store.reader.pushHolders.keys({})]).toEqual([[1]]);
  expect([...store.reader.pushListeners.keys({})]).toEqual([
    [ALL_CHANNELS, 2],
    [1, 4],
  ]);
});

test('whose an API key is, of a key given out before, is known after', async () => {
  const path = await storeOfSchema1();
  const env = open<unknown, string>({ path, maxDbs: 64 });
  const keys = env.openDB<unknown[], (string | number)[]>(plain('api_keys'));
  keys.putSync([1, 'abc'], [JOINED, 'login']);
  await env.close();
  const store = openRealmStore(path);
  onTestFinished(() => store.close());
  expect(store.reader.keyOwners.get(['abc'])).toEqual({ userId: 1 });
});

test('where the messages are that link a file is known after', async () => {
  const path = await storeOfSchema1();
  const env = open<unknown, string>({ path, maxDbs: 64 });
  const uses = env.openDB<unknown[], (string | number)[]>(plain('attachment_uses'));
  for (const [id, holder] of [
    [2, 'message'],
    [2, 'scheduled'],
    [3, 'message'],
  ] as const) {
    uses.putSync([7, holder, id], [JOINED]);
  }
  await env.close();
  const store = openRealmStore(path);
  onTestFinished(() => store.close());
  const recipientId = store.reader.messages.get([2])?.recipientId ?? 0;
  expect([...store.reader.attachmentPlaces.keys({})]).toEqual([[7, recipientId, 2, 2]]);
});

test('the oldest message of each channel that may expire is known after', async () => {
  const path = await storeOfSchema1();
  const env = open<unknown, string>({ path, maxDbs: 64 });
  const channels = env.openDB<unknown[], (string | number)[]>(plain('channels'));
  const put = (id: number, days: number | null, firstMessageId: number | null) =>
    channels.putSync(
      [id],
      [id, id, `c${id}`, '', '', JOINED, 1, false, false, true, false].concat([
        days,
        'inherit',
        null,
        firstMessageId,
        1,
        false,
        {},
      ] as never), // columns, in order
    );
  put(1, null, 2);
  put(2, 30, 4);
  put(3, -1, 5);
  put(4, 30, null);
  await env.close();
  const store = openRealmStore(path);
  onTestFinished(() => store.close());
  expect([...store.reader.oldestMessages.keys({})]).toEqual([
    [AS_THE_REALM, 2, 1],
    [30, 4, 2],
  ]);
});

test('who wants every message of a channel mailed is known after', async () => {
  const path = await storeOfSchema1();
  const env = open<unknown, string>({ path, maxDbs: 64 });
  const table = (name: string) => env.openDB<unknown[], (string | number)[]>(plain(name));
  const mel = [2, 'mel@example.com', 'Mel', 400, true, null, null, JOINED, '', 1, null];
  table('users').putSync([2], [...mel, { enable_stream_email_notifications: true }]);
  const mailed = ['#76ce90', false, false, null, null, null, true, null];
  table('subscriptions').putSync([1, 4], [true, ...mailed, [1, null], 0]);
  await env.close();
  const store = openRealmStore(path);
  onTestFinished(() => store.close());
  expect([...store.reader.mailListeners.keys({})]).toEqual([
    [ALL_CHANNELS, 2],
    [1, 4],
  ]);
});

test('until when each channel is recently active, and when its traffic is counted, is known after', async () => {
  const path = await storeOfSchema1();
  const env = open<unknown, string>({ path, maxDbs: 64 });
  const table = (name: string) => env.openDB<unknown[], (string | number)[]>(plain(name));
  const put = (id: number, dateCreated: number) => {
    const row = [id, id, `c${id}`, '', '', dateCreated, 1, false, false, true, false];
    table('channels').putSync([id], [...row, null, 'inherit', null, null, 1, false, {}]);
  };
  put(1, JOINED - 1_000); // it has a message, sent when the first account joined
  put(2, JOINED - 1_000);
  put(3, JOINED + 1_000);
  await env.close();
  const store = openRealmStore(path);
  onTestFinished(() => store.close());
  const ends = [1, 2, 3].map((id) => store.reader.channels.get([id])?.activeUntil);
  const endAfter = (at: number) => at + 180 * 86_400;
  expect(ends).toEqual([endAfter(JOINED), endAfter(JOINED - 1_000), endAfter(JOINED + 1_000)]);
  expect([...store.reader.activeChannels.keys({})]).toEqual([
    [endAfter(JOINED - 1_000), 2],
    [endAfter(JOINED), 1],
    [endAfter(JOINED + 1_000), 3],
  ]);
  const countAt = (dateCreated: number) => dateCreated + 7 * 86_400;
  expect([...store.reader.trafficCounts.range({})]).toEqual([
    [[countAt(JOINED - 1_000), 1], { from: null, count: 0 }],
    [[countAt(JOINED - 1_000), 2], { from: null, count: 0 }],
    [[countAt(JOINED + 1_000), 3], { from: null, count: 0 }],
  ]);
});

test('what messages hold, and which are direct, is listed after', async () => {
  const path = await storeOfSchema1();
  const env = open<unknown, string>({ path, maxDbs: 64 });
  const table = (name: string) => env.openDB<unknown[], (string | number)[]>(plain(name));
  const html = '<p><a href="https://example.com/a.png">a</a></p>';
  const later = [null, null, true, false];
  table('messages').putSync([3], [3, 1, 9, null, '', 'a', html, JOINED, 'test', false, ...later]);
  table('direct_messages').putSync([9, 3], [1]);
  table('conversations').putSync([9], [[1, 2]]);
  await env.close();
  const store = openRealmStore(path);
  onTestFinished(() => store.close());
  const { image, link, reaction } = ContentBit;
  expect([...store.reader.contentIndex.keys({})]).toEqual(
    [image, link, reaction].flatMap((bit) => [
      [bit, EVERYWHERE, 3],
      [bit, 9, 3],
    ]),
  );
  expect([...store.reader.userDirectMessages.keys({})]).toEqual([
    [1, 3],
    [2, 3],
  ]);
});

test('a realm of before has a secret to sign with, of its own and for good', async () => {
  const [one, other] = [await storeOfSchema1(), await storeOfSchema1()];
  const secretOf = async (path: string) => {
    const store = openRealmStore(path);
    const value = store.reader.secrets.get(['external content'])?.value;
    await store.close();
    return value;
  };
  const secret = await secretOf(one);
  expect(secret).toMatch(/^[0-9a-f]{64}$/);
  expect(await secretOf(other)).not.toBe(secret);
  expect(await secretOf(one)).toBe(secret);
});

test('the index of words is made anew, and what there was of it goes in steps', async () => {
  const path = await storeOfSchema1();
  const env = open<unknown, string>({ path, maxDbs: 64 });
  const table = (name: string) => env.openDB<unknown[], (string | number)[]>(plain(name));
  for (const id of [1, 2, 4]) table('search_segments').putSync([id], [0, 1, 2, ['a']]);
  const merge = { segmentId: 5, level: 1, sources: [1, 2], afterTerm: 'a', firstTerms: ['a'] };
  table('search_progress').putSync(['search'], [2, [[1, 2]], merge, [4], 7]);
  await env.close();
  const store = openRealmStore(path);
  onTestFinished(() => store.close());
  expect(store.reader.searchProgress.get(['search'])).toEqual({
    throughMessageId: 0,
    segments: [],
    merge: null,
    removed: [1, 2, 4, 5],
    restsUntil: 0,
  });
});

test('a migrated store is not migrated again', async () => {
  const path = await storeOfSchema1();
  await openRealmStore(path).close();
  const store = openRealmStore(path);
  onTestFinished(() => store.close());
  await store.commit(
    () => [
      (tx) => {
        const bot = tx.users.get([NOTIFICATION_BOT.id]);
        if (bot !== undefined) tx.users.put([bot.id], { ...bot, avatarVersion: 9 });
      },
    ],
    () => 0,
  );
  await store.close();
  const again = openRealmStore(path);
  onTestFinished(() => again.close());
  expect(again.reader.users.get([NOTIFICATION_BOT.id])?.avatarVersion).toBe(9);
});

test('there is a migration to every version after the first', () => {
  expect([...MIGRATIONS.keys()]).toEqual(
    Array.from({ length: SCHEMA_VERSION - 1 }, (_, index) => index + 2),
  );
});
