import { expect, test } from 'vitest';
import { MUTED_USERS_PER_USER_MAX } from '../../../src/domain/limits/accounts.ts';
import { NOTIFICATION_BOT } from '../../../src/domain/rules/people/system-bots.ts';
import { expectExactAfter, MODERN } from '../../support/applying/follow.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const mute = (server: TestServer, as: Person, id: number | string) =>
  server.post(as, `/users/me/muted_users/${id}`);
const unmute = (server: TestServer, as: Person, id: number | string) =>
  server.delete(as, `/users/me/muted_users/${id}`);

const TEA = { type: 'channel', to: 'general', topic: 'tea', content: 'hello' };
const say = async (server: TestServer, as: Person, params: object = {}): Promise<number> =>
  (await server.post(as, '/messages', { ...TEA, ...params })).body.id;

const mutedBy = async (server: TestServer, person: Person) =>
  (await server.register(person, { fetch_event_types: ['muted_users'] })).state.muted_users;

const unreadOf = async (server: TestServer, person: Person) =>
  (await server.register(person, MODERN)).state.unread_msgs;

test('who mutes a user hears of all they mute, at once and in a snapshot, and nobody else does', async () => {
  const server = await startServer();
  const { mel, max, gus } = server.people;
  const own = await server.register(mel);
  const other = await server.register(max);
  const timestamp = Math.floor(server.clock.now() / 1000);
  expect((await mute(server, mel, max.id)).body).toEqual({ result: 'success', msg: '' });
  await server.advance(5_000);
  await mute(server, mel, gus.id);
  const both = [
    { id: max.id, timestamp },
    { id: gus.id, timestamp: timestamp + 5 },
  ];
  expect(await mutedBy(server, mel)).toEqual(both);
  expect(await mutedBy(server, max)).toEqual([]);
  expect((await unmute(server, mel, max.id)).body).toEqual({ result: 'success', msg: '' });
  expect(await mutedBy(server, mel)).toEqual(both.slice(1));
  const event = { id: expect.any(Number), type: 'muted_users' };
  expect(await own.now()).toEqual([
    { ...event, muted_users: both.slice(0, 1) },
    { ...event, muted_users: both },
    { ...event, muted_users: both.slice(1) },
  ]);
  expect(await other.now()).toEqual([]);
});

test('what was said before is read, and told so before the muting', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, mia } = server.people;
  const first = await say(server, max);
  const direct = await say(server, max, { type: 'direct', to: [mel.id, mia.id] });
  const others = await say(server, mia);
  await say(server, max, { type: 'direct', to: [mia.id] });
  const last = await say(server, max, { topic: 'coffee', content: '@**Mel Member**' });
  await server.post(mel, '/messages/flags', { messages: [first], op: 'add', flag: 'read' });
  await server.post(mel, '/messages/flags', { messages: [first], op: 'remove', flag: 'read' });
  const queue = await server.register(mel);
  await mute(server, mel, max.id);
  expect(await queue.now()).toMatchObject([
    { type: 'update_message_flags', op: 'add', flag: 'read', messages: [first, direct, last] },
    { type: 'muted_users' },
  ]);
  expect(await unreadOf(server, mel)).toMatchObject({
    count: 1,
    mentions: [],
    huddles: [],
    streams: [{ topic: 'tea', unread_message_ids: [others] }],
  });
});

test('what is said from then on begins as read for who muted alone, mentions as well, until it is unmuted', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, mia, gus } = server.people;
  await mute(server, mel, max.id);
  await mute(server, gus, max.id);
  await unmute(server, gus, max.id);
  const queues = await Promise.all(
    [mel, mia, gus].map((one) => server.register(one, { event_types: ['message'] })),
  );
  await say(server, max);
  await say(server, max, { content: '@**Mel Member**' });
  await say(server, max, { type: 'direct', to: [mel.id, mia.id] });
  await server.restart();
  await unmute(server, mel, max.id);
  const heard = await say(server, max);
  const flags = await Promise.all(
    queues.map(async (queue) => (await queue.now()).map((event) => event['flags'])),
  );
  expect(flags).toEqual([
    [['read'], ['read', 'mentioned'], ['read'], []],
    [[], [], [], []],
    [[], [], []],
  ]);
  expect(await unreadOf(server, mel)).toMatchObject({
    count: 1,
    streams: [{ unread_message_ids: [heard] }],
  });
  expect(await unreadOf(server, mia)).toMatchObject({ count: 4 });
});

test('a notice that is unread for some is read for who muted its sender', async () => {
  const server = await startServer({ channels: ['general', 'random'] });
  const { ona, mel, max } = server.people;
  await mute(server, mel, NOTIFICATION_BOT.id);
  const queues = await Promise.all([mel, max].map((one) => server.register(one, MODERN)));
  const id = await say(server, max);
  await server.patch(ona, `/messages/${id}`, {
    topic: 'milk',
    propagate_mode: 'change_all',
    send_notification_to_new_thread: true,
  });
  const notices = await Promise.all(
    queues.map(async (queue) =>
      (await queue.now()).filter(
        ({ type, message }) => type === 'message' && message.sender_id === NOTIFICATION_BOT.id,
      ),
    ),
  );
  expect(notices).toMatchObject([[{ flags: ['read'] }], [{ flags: [] }]]);
});

test('4: a snapshot and the events give what a fresh register gives, for everyone', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, gus, mia } = server.people;
  await say(server, max);
  await say(server, max, { type: 'direct', to: [mel.id] });
  await expectExactAfter(server, async () => {
    await mute(server, mel, max.id);
    await mute(server, gus, max.id);
    await say(server, max, { content: 'dear @**all**' });
    await say(server, max, { type: 'direct', to: [mel.id, mia.id] });
    await unmute(server, gus, max.id);
    const id = await say(server, max);
    await server.post(mel, '/messages/flags', { messages: [id], op: 'remove', flag: 'read' });
    await unmute(server, mel, max.id);
  });
});

test('reading on takes the rows of what began as read away', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, mia } = server.people;
  await mute(server, mel, max.id);
  await say(server, max);
  await say(server, mia);
  const rows = () => server.perform((tx) => [...tx.messageFlags.keysUnder([mel.id])].length);
  expect(await rows()).toBe(1);
  await server.post(mel, '/mark_stream_as_read', { stream_id: 1 });
  expect(await rows()).toBe(0);
});

test('bots, the deactivated and the notification bot can be muted, and whoever can be seen', async () => {
  const server = await startServer({ channels: [] });
  const { mel, max, gus, bot } = server.people;
  await server.perform((tx) => {
    const row = tx.users.get([max.id]);
    if (row !== undefined) tx.users.put([max.id], { ...row, isActive: false });
  });
  for (const id of [bot.id, max.id, NOTIFICATION_BOT.id]) {
    expect(await mute(server, mel, id)).toMatchObject({ status: 200 });
  }
  expect(await mute(server, gus, mel.id)).toMatchObject({ status: 200 });
  await server.set('can_access_all_users_group', 3);
  expect(await mute(server, gus, bot.id)).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'No such user' },
  });
  // The muted user is hidden since then, and can be unmuted all the same.
  expect(await unmute(server, gus, mel.id)).toMatchObject({ status: 200 });
  expect(await unmute(server, gus, mel.id)).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'No such user' },
  });
});

test.each([
  { why: 'oneself', id: 4, muting: 'Cannot mute self', unmuting: 'User is not muted' },
  { why: 'nobody', id: 99, muting: 'No such user', unmuting: 'No such user' },
  { why: 'again', id: 5, muting: 'User already muted', unmuting: 'User is not muted' },
  {
    why: 'no id',
    id: 'max',
    muting: 'muted_user_id is not an integer',
    unmuting: 'muted_user_id is not an integer',
  },
])('is refused: $why', async ({ id, muting, unmuting }) => {
  const server = await startServer();
  const { mel, max, gus } = server.people;
  const refused = (msg: string) => ({
    status: 400,
    body: { result: 'error', code: 'BAD_REQUEST', msg },
  });
  await mute(server, mel, max.id);
  const before = await mutedBy(server, mel);
  expect(await mute(server, mel, id)).toMatchObject(refused(muting));
  expect(await mutedBy(server, mel)).toEqual(before);
  const as = id === 4 ? mel : gus;
  expect(await unmute(server, as, id)).toMatchObject(refused(unmuting));
});

test('so many users can be muted and no more', async () => {
  const server = await startServer();
  const { mel, max, gus } = server.people;
  await server.perform((tx) => {
    for (let count = 1; count < MUTED_USERS_PER_USER_MAX; count++) {
      tx.mutedUsers.put([mel.id, 1_000 + count], { mutedAt: 1 });
    }
  });
  expect((await mute(server, mel, max.id)).status).toBe(200);
  expect(await mute(server, mel, gus.id)).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'You can mute at most 1000 users.' },
  });
});
