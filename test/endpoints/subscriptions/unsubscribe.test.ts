import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import type { Params, Reply } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

test('one leaves channels by name, in any case, and what one was not in is told apart', async () => {
  const server = await startServer({ channels: ['general', 'random', 'other'] });
  await unsubscribe(server, 'mel', ['random']);
  const { status, body } = await unsubscribe(server, 'mel', ['GENERAL', ' random', 'general']);
  expect([status, body]).toEqual([
    200,
    { result: 'success', msg: '', removed: ['general'], not_removed: ['random'] },
  ]);
  const { body: own } = await server.get(server.people.mel, '/users/me/subscriptions');
  expect(own.subscriptions.map(({ name }: { name: string }) => name)).toEqual(['other']);
});

test('a guest may leave', async () => {
  const server = await startServer({ channels: ['general'] });
  expect((await unsubscribe(server, 'gus', ['general'])).body.removed).toEqual(['general']);
});

test('nobody is removed from nothing', async () => {
  const server = await startServer({ channels: ['general'] });
  const { body } = await unsubscribe(server, 'mel', []);
  expect(body).toMatchObject({ removed: [], not_removed: [] });
});

test.each<{ who: PersonName; may: boolean }>([
  { who: 'ona', may: true },
  { who: 'ada', may: true },
  { who: 'mia', may: false },
  { who: 'max', may: false },
  { who: 'gus', may: false },
])('$who may remove others: $may', async ({ who, may }) => {
  const server = await startServer({ channels: ['general'] });
  const reply = await unsubscribe(server, who, ['general'], { principals: [server.people.mel.id] });
  expect(reply).toMatchObject(
    may
      ? { status: 200, body: { removed: ['general'] } }
      : { status: 400, body: { code: 'BAD_REQUEST', msg: 'Insufficient permission' } },
  );
});

test('others are removed by the channel’s administrators, and by those the channel lets', async () => {
  const server = await startServer();
  const { mel, max, gus, bot, ona } = server.people;
  await server.post(mel, '/users/me/subscriptions', {
    subscriptions: [{ name: 'open' }],
    principals: [mel.id, gus.id, bot.id, ona.id],
    can_remove_subscribers_group: { direct_members: [max.id], direct_subgroups: [] },
  });
  const remove = async (as: PersonName, userId: number) =>
    (await unsubscribe(server, as, ['open'], { principals: [userId] })).status;
  expect(await remove('bot', gus.id)).toBe(400);
  expect(await remove('max', gus.id)).toBe(200);
  expect(await remove('mel', ona.id)).toBe(200);
});

test('a bot is removed by its owner, and by no other member', async () => {
  const server = await startServer({ channels: ['general'] });
  const bot = { realm: 'test', email: 'b@example.com', name: 'Bee', owner: 'mel@example.com' };
  const [made] = (await runCommand(server.app.realms, 'bot create', bot)) as [{ user_id: number }];
  const principals = [made.user_id];
  const subscriptions = [{ name: 'general' }];
  await server.post(server.people.ona, '/users/me/subscriptions', { subscriptions, principals });
  expect((await unsubscribe(server, 'max', ['general'], { principals })).status).toBe(400);
  const { body } = await unsubscribe(server, 'mel', ['general'], { principals });
  expect(body.removed).toEqual(['general']);
});

test('one may remove oneself beside others only with the right to remove those', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const both = { principals: [mel.id, max.id] };
  expect((await unsubscribe(server, 'mel', ['general'], both)).status).toBe(400);
  const { body } = await server.get(mel, '/users/me/subscriptions');
  expect(body.subscriptions).toHaveLength(1);
});

test.each<{ why: string; params: Params; msg: RegExp; code?: string }>([
  { why: 'a channel is not there', params: { subscriptions: ['general', 'nowhere'] }, msg: /\(nowhere\) do not exist/ },
  { why: 'a private channel is not one’s own', params: { subscriptions: ['secret'] }, msg: /\(secret\) do not exist/ },
  { why: 'there is no list', params: {}, msg: /Missing 'subscriptions'/, code: 'REQUEST_VARIABLE_MISSING' },
  { why: 'the list is a name', params: { subscriptions: 'general' }, msg: /^subscriptions is not valid JSON/ },
  { why: 'the list is of objects', params: { subscriptions: [{ name: 'general' }] }, msg: /^subscriptions\[0\] is not a string/ },
  { why: 'a principal is nobody', params: { subscriptions: ['general'], principals: [999] }, msg: /Invalid user ID: 999/ },
])('nobody leaves anything where $why', async ({ params, msg, code = 'BAD_REQUEST' }) => {
  const server = await startServer({ channels: ['general'] });
  await server.post(server.people.mia, '/users/me/subscriptions', { subscriptions: [{ name: 'secret' }], invite_only: true });
  const reply = await server.delete(server.people.mel, '/users/me/subscriptions', params);
  expect(reply).toMatchObject({ status: 400, body: { result: 'error', code, msg: expect.stringMatching(msg) } });
  const { body } = await server.get(server.people.mel, '/users/me/subscriptions');
  expect(body.subscriptions).toHaveLength(1);
}); // biome-ignore format: a table

test('4.2: who leaves a public channel is told so, and the others that a peer left', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, gus } = server.people;
  const queues = await Promise.all([mel, max, gus].map((person) => server.register(person)));
  await unsubscribe(server, 'mel', ['general']);
  const [mels, maxs, guss] = await Promise.all(queues.map((queue) => queue.now()));
  expect(mels).toEqual([
    {
      id: expect.any(Number),
      type: 'subscription',
      op: 'remove',
      subscriptions: [{ stream_id: 1, name: 'general' }],
    },
  ]);
  expect(maxs).toEqual([
    {
      id: expect.any(Number),
      type: 'subscription',
      op: 'peer_remove',
      stream_ids: [1],
      user_ids: [mel.id],
    },
  ]);
  expect(guss).toEqual(maxs);
});

test('4.2: what was left unread is read after the removal and before the channel is gone', async () => {
  const server = await startServer({ channels: ['general', 'random'] });
  const { gus, mel } = server.people;
  const ids: number[] = [];
  for (const to of ['general', 'random', 'general']) {
    const message = { type: 'channel', to, topic: 'tea', content: 'hello' };
    ids.push((await server.post(mel, '/messages', message)).body.id);
  }
  const direct = { type: 'direct', to: [gus.id], content: 'hello' };
  const { body: kept } = await server.post(mel, '/messages', direct);
  await server.post(gus, '/messages/flags', { messages: [ids[2]], op: 'add', flag: 'starred' });
  const queue = await server.register(gus);
  await unsubscribe(server, 'gus', ['general', 'random']);
  expect(await queue.now()).toMatchObject([
    { type: 'subscription', op: 'remove', subscriptions: [{ stream_id: 1 }, { stream_id: 2 }] },
    { type: 'update_message_flags', op: 'add', flag: 'read', messages: ids, all: false },
    {
      type: 'stream',
      op: 'delete',
      stream_ids: [1, 2],
      streams: [{ stream_id: 1 }, { stream_id: 2 }],
    },
  ]);
  const { state } = await server.register(gus);
  expect(state.unread_msgs).toMatchObject({
    count: 1,
    streams: [],
    pms: [{ unread_message_ids: [kept.id] }],
  });
  expect(state.starred_messages).toEqual([ids[2]]);
  // None of it is unread for a user who comes back.
  await server.post(mel, '/users/me/subscriptions', {
    subscriptions: [{ name: 'general' }],
    principals: [gus.id],
    send_new_subscription_messages: false,
  });
  expect((await server.register(gus)).state.unread_msgs.count).toBe(1);
});

test('4.2: a private channel is gone for who leaves it, unless it is for its administrators', async () => {
  const server = await startServer();
  const { mel, max, ada } = server.people;
  await server.post(mel, '/users/me/subscriptions', {
    subscriptions: [{ name: 'team' }],
    invite_only: true,
    principals: [mel.id, max.id, ada.id],
  });
  const people = [mel, max, ada];
  const queues = await Promise.all(people.map((person) => server.register(person)));
  await unsubscribe(server, 'ada', ['team'], { principals: [max.id, ada.id] });
  await unsubscribe(server, 'mel', ['team']);
  const heard = await Promise.all(queues.map((queue) => queue.now()));
  const kinds = heard.map((events) => events.map(({ type, ...event }) => `${type} ${event['op']}`));
  expect(kinds).toEqual([
    ['subscription peer_remove', 'subscription peer_remove', 'subscription remove', READ],
    ['subscription remove', READ, 'stream delete'],
    ['subscription peer_remove', 'subscription remove', READ, 'subscription peer_remove'],
  ]);
  for (const [person, names] of [[mel, ['team']], [max, []], [ada, ['team']]] as const) {
    const { state } = await server.register(person);
    expect(state.subscriptions).toEqual([]);
    expect(state.never_subscribed).toEqual([]);
    expect(state.unsubscribed.map(({ name }: { name: string }) => name)).toEqual(names);
  } // biome-ignore format: a table
});

/** The type of the event about the first message of a channel, which says who made it. */
const READ = 'update_message_flags add';

function unsubscribe(
  server: TestServer,
  as: PersonName,
  subscriptions: readonly string[],
  params: Params = {},
): Promise<Reply> {
  return server.delete(server.people[as], '/users/me/subscriptions', { subscriptions, ...params });
}
