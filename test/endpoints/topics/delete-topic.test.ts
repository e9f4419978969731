import { expect, test } from 'vitest';
import { MESSAGES_PER_DELETION } from '../../../src/domain/limits/messages.ts';
import { expectExactAfter, MODERN } from '../../support/applying/follow.ts';
import { sendMany } from '../../support/messages/many-messages.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const GENERAL = 1;

const topicsOf = async ({ get, people }: TestServer) => {
  const { body } = await get(people.mel, `/users/me/${GENERAL}/topics`, {
    allow_empty_topic_name: true,
  });
  return body.topics.map(({ name }: { name: string }) => name);
};

const path = `/streams/${GENERAL}/delete_topic`;

test('a topic is deleted whatever its case, newest first and in steps', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada, mel } = server.people;
  await sendMany(server, { as: mel, topic: 'Lunch', count: MESSAGES_PER_DELETION + 2 });
  await sendMany(server, { as: mel, topic: 'tea', count: 1 });
  const queue = await server.register(mel, MODERN);

  const reply = await server.post(ada, path, { topic_name: 'lunch' });
  expect(reply).toMatchObject({ status: 200, body: { result: 'success', complete: true } });
  const deleted = (await queue.now()).filter(({ type }) => type === 'delete_message');
  const ids = Array.from({ length: MESSAGES_PER_DELETION + 2 }, (_, index) => index + 1);
  expect(deleted.map(({ message_ids }) => message_ids)).toEqual([ids.slice(2), ids.slice(0, 2)]);
  expect(deleted[0]).toMatchObject({ message_type: 'stream', stream_id: GENERAL, topic: 'Lunch' });
  expect(await topicsOf(server)).toEqual(['tea']);
});

test('what was begun is finished when the administrator is deactivated meanwhile, and said so', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada, mel } = server.people;
  const count = MESSAGES_PER_DELETION * 5;
  await sendMany(server, { as: mel, topic: 'Lunch', count });
  const reply = server.post(ada, path, { topic_name: 'lunch' });
  const isBegun = () =>
    server.perform((tx) => {
      const { length: left } = [...tx.messages.keys({})];
      const user = tx.users.get([ada.id]);
      if (left === count || left === 0 || user === undefined) return left === 0;
      tx.users.put([ada.id], { ...user, isActive: false });
      return true;
    });
  while (!(await isBegun()));
  expect(await server.perform((tx) => tx.users.get([ada.id])?.isActive)).toBe(false);
  expect((await reply).body).toMatchObject({ result: 'success', complete: true });
  expect(await topicsOf(server)).toEqual([]);
  expect(server.bugs).toEqual([]);
});

test('an administrator who is deactivated before it begins deletes nothing', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada, ona, mel } = server.people;
  await sendMany(server, { as: mel, topic: 'Lunch', count: 1 });
  expect((await server.delete(ona, `/users/${ada.id}`)).status).toBe(200);
  expect((await server.post(ada, path, { topic_name: 'lunch' })).status).toBe(401);
  expect(await topicsOf(server)).toEqual(['Lunch']);
});

test('a queue of an older client hears of each message', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada, mel } = server.people;
  await sendMany(server, { as: mel, topic: 'lunch', count: 3 });
  const queue = await server.register(mel);
  await server.post(ada, path, { topic_name: 'lunch' });
  const events = await queue.now();
  expect(events.map(({ type, message_id, value }) => [type, message_id ?? value])).toEqual([
    ['stream', null],
    ['delete_message', 1],
    ['delete_message', 2],
    ['delete_message', 3],
  ]);
});

test('when the time is up some are left, and asking again goes on', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada, mel } = server.people;
  await sendMany(server, { as: mel, topic: 'lunch', count: 4 * MESSAGES_PER_DELETION });
  server.clock.passAtEachLook(20_000);
  const first = await server.post(ada, path, { topic_name: 'lunch' });
  expect(first.body).toMatchObject({ result: 'success', complete: false });
  expect(await topicsOf(server)).toEqual(['lunch']);
  // The oldest are those that are left.
  expect((await server.get(mel, '/messages/1')).status).toBe(200);
  expect((await server.get(mel, `/messages/${4 * MESSAGES_PER_DELETION}`)).status).toBe(400);
  let replies = 1;
  for (let complete = false; !complete; replies += 1) {
    complete = (await server.post(ada, path, { topic_name: 'lunch' })).body.complete;
  }
  expect(replies).toBeLessThan(5);
  expect(await topicsOf(server)).toEqual([]);
});

test('the empty topic goes by its shown name too; a topic of no messages is gone already', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada, mel } = server.people;
  await sendMany(server, { as: mel, topic: '', count: 2 });
  expect((await server.post(ada, path, { topic_name: 'nowhere' })).body).toMatchObject({
    complete: true,
  });
  await server.post(ada, path, { topic_name: 'General chat' });
  expect(await topicsOf(server)).toEqual([]);
});

test('of a protected history the administrator deletes what they may read', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, ada, mel } = server.people;
  await server.post(ona, '/users/me/subscriptions', {
    subscriptions: [{ name: 'board' }],
    invite_only: true,
    history_public_to_subscribers: false,
    principals: [ona.id, mel.id],
    can_add_subscribers_group: { direct_members: [ona.id], direct_subgroups: [] },
  });
  const message = { type: 'channel', to: 'board', topic: 'plan', content: 'x' };
  const { body: before } = await server.post(mel, '/messages', message);
  const channelId = (await server.get(ona, `/messages/${before.id}`)).body.message.stream_id;
  const board = `/streams/${channelId}/delete_topic`;
  expect(await server.post(ada, board, { topic_name: 'plan' })).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'Invalid channel ID' },
  });
  await server.post(ona, '/users/me/subscriptions', {
    subscriptions: [{ name: 'board' }],
    principals: [ada.id],
  });
  const { body: after } = await server.post(mel, '/messages', message);
  await expectExactAfter(server, async () => {
    const reply = await server.post(ada, board, { topic_name: 'plan' });
    expect(reply.body).toMatchObject({ complete: true });
  });
  expect((await server.get(mel, `/messages/${before.id}`)).status).toBe(200);
  expect((await server.get(mel, `/messages/${after.id}`)).status).toBe(400);
});

test('only administrators delete topics, which is said before anything else', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mia, ada } = server.people;
  for (const each of [path, '/streams/99/delete_topic']) {
    expect(await server.post(mia, each, {})).toMatchObject({
      status: 400,
      body: { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' },
    });
  }
  expect(await server.post(ada, '/streams/99/delete_topic', { topic_name: 'x' })).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'Invalid channel ID' },
  });
  expect(await server.post(ada, path, {})).toMatchObject({
    status: 400,
    body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'topic_name' },
  });
  expect(await server.post(ada, '/streams/x/delete_topic', { topic_name: 'x' })).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: expect.stringMatching(/stream_id/) },
  });
});

test('4: everybody arrives at what is left', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada, mel, max } = server.people;
  await sendMany(server, { as: mel, topic: 'lunch', count: 3 });
  await sendMany(server, { as: max, topic: 'Lunch', count: 2 });
  await server.post(max, '/messages/flags', { messages: [1, 4], op: 'add', flag: 'starred' });
  await server.post(max, '/messages/flags', { messages: [2], op: 'add', flag: 'read' });
  await expectExactAfter(server, () => server.post(ada, path, { topic_name: 'LUNCH' }));
});
