import { expect, test } from 'vitest';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person, PersonName } from '../../support/users.ts';

test('topics are listed newest first, each with its newest message and that one’s spelling', async () => {
  const server = await startServer({ channels: ['general'] });
  for (const topic of ['tea', 'Lunch', 'TEA', '']) await say(server, 'mel', topic);
  for (const person of [server.people.max, server.people.gus]) {
    expect(await topics(server, person)).toEqual([
      { name: 'general chat', max_id: 4 },
      { name: 'TEA', max_id: 3 },
      { name: 'Lunch', max_id: 2 },
    ]);
  }
  const { body } = await server.get(server.people.max, '/users/me/1/topics', {
    allow_empty_topic_name: true,
  });
  expect(body.topics[0]).toEqual({ name: '', max_id: 4 });
});

test('a channel without messages has no topics', async () => {
  const server = await startServer({ channels: ['general'] });
  expect(await topics(server, server.people.mel)).toEqual([]);
});

test('a member may list the topics of a public channel without being in it, a guest may not', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel, gus } = server.people;
  await say(server, 'mel', 'tea');
  await server.delete(ona, '/users/me/subscriptions', {
    subscriptions: ['general'],
    principals: [mel.id, gus.id],
  });
  expect(await topics(server, mel)).toEqual([{ name: 'tea', max_id: 1 }]);
  await expectNoChannel(server, gus, '1');
});

test('of a private channel with protected history only what came after joining is listed', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  const made = { subscriptions: [{ name: 'general' }], invite_only: true };
  await server.post(mel, '/users/me/subscriptions', made);
  await say(server, 'mel', 'before');
  await say(server, 'mel', 'both');
  await server.post(mel, '/users/me/subscriptions', { ...made, principals: [max.id] });
  await say(server, 'mel', 'Both');
  await say(server, 'mel', 'after');
  const later = [
    { name: 'after', max_id: 6 },
    { name: 'Both', max_id: 5 },
  ];
  expect(await topics(server, max)).toEqual(later);
  expect(await topics(server, mel)).toEqual([
    ...later,
    { name: 'before', max_id: 2 },
    { name: 'channel events', max_id: 1 },
  ]);
});

test.each(['2', '0', '999', '-1'])(
  'a channel that is not there and one that is hidden look alike: %s',
  async (id) => {
    const server = await startServer({ channels: ['general'] });
    await server.post(server.people.mia, '/users/me/subscriptions', {
      subscriptions: [{ name: 'secret' }],
      invite_only: true,
    });
    await expectNoChannel(server, server.people.ada, id);
  },
);

test('an id that is no number is refused by its name', async () => {
  const server = await startServer();
  expect(await server.get(server.people.mel, '/users/me/general/topics')).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'stream_id is not an integer' },
  });
});

test('the list follows what is moved and deleted, whatever the case', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel } = server.people;
  for (const topic of ['Tea', 'tea', 'TEA', '', 'lunch']) await say(server, 'mel', topic);
  const quiet = { send_notification_to_new_thread: false };
  await server.patch(ona, '/messages/3', { topic: 'LUNCH', ...quiet });
  expect(await topics(server, mel)).toEqual([
    { name: 'lunch', max_id: 5 },
    { name: 'general chat', max_id: 4 },
    { name: 'tea', max_id: 2 },
  ]);
  for (const id of [2, 4, 5]) await server.delete(ona, `/messages/${id}`);
  expect(await topics(server, mel)).toEqual([
    { name: 'LUNCH', max_id: 3 },
    { name: 'Tea', max_id: 1 },
  ]);
  for (const id of [1, 3]) await server.delete(ona, `/messages/${id}`);
  expect(await topics(server, mel)).toEqual([]);
});

test('of a protected history a bot is listed what came after its own subscription', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel, bot } = server.people;
  await server.post(ona, '/users/me/subscriptions', {
    subscriptions: [{ name: 'board' }],
    invite_only: true,
    history_public_to_subscribers: false,
    principals: [ona.id, mel.id],
  });
  const write = (topic: string) =>
    server.post(mel, '/messages', { type: 'channel', to: 'board', topic, content: 'hello' });
  await write('before');
  await server.post(ona, '/users/me/subscriptions', {
    subscriptions: [{ name: 'board' }],
    principals: [bot.id],
  });
  const { body } = await write('after');
  const { message } = (await server.get(mel, `/messages/${body.id}`)).body;
  const listed = await server.get(bot, `/users/me/${message.stream_id}/topics`);
  expect(listed.body.topics).toEqual([{ name: 'after', max_id: body.id }]);
});

async function topics(server: TestServer, as: Person): Promise<object[]> {
  const { status, body } = await server.get(as, '/users/me/1/topics');
  expect(status).toBe(200);
  return body.topics;
}

const say = (server: TestServer, as: PersonName, topic: string) =>
  server.post(server.people[as], '/messages', {
    type: 'channel',
    to: 'general',
    topic,
    content: 'hello',
  });

async function expectNoChannel(server: TestServer, as: Person, id: string) {
  expect(await server.get(as, `/users/me/${id}/topics`)).toMatchObject({
    status: 400,
    body: { result: 'error', code: 'BAD_REQUEST', msg: 'Invalid channel ID' },
  });
}
