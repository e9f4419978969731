import { expect, test } from 'vitest';
import { expectExactAfter } from '../../../support/applying/follow.ts';
import { startServer, type TestServer } from '../../../support/start-server.ts';

const MESSAGES = { event_types: ['message'] };
const CALL = { type: 'channel', to: 'general', topic: 'tea', content: 'hey @**Test Bot**' };

/** A channel that everyone is in but the bot. */
async function serverWithBotOutside(): Promise<TestServer> {
  const server = await startServer({ channels: ['general'] });
  await server.delete(server.people.bot, '/users/me/subscriptions', { subscriptions: ['general'] });
  return server;
}

test.each(['live', 'caught up', 'after a restart'] as const)(
  'a mentioned bot that is not subscribed gets the message: %s',
  async (how) => {
    const server = await serverWithBotOutside();
    const { mel, bot } = server.people;
    const queue = await server.register(bot, MESSAGES);
    const waiting = how === 'live' ? queue.next() : null;
    await server.post(mel, '/messages', { ...CALL, content: 'hello' });
    await server.post(mel, '/messages', { ...CALL, content: 'hey @_**Test Bot**' });
    const { body: sent } = await server.post(mel, '/messages', CALL);
    if (how === 'after a restart') await server.restart();
    const events = await (waiting ?? queue.now());
    expect(events).toMatchObject([{ message: { id: sent.id }, flags: ['read', 'mentioned'] }]);
    expect(events).toHaveLength(1);
    const { body } = await server.get(bot, `/messages/${sent.id}`);
    expect(body.message.flags).toEqual(['read', 'mentioned']);
    expect((await server.get(bot, '/users/me')).body.max_message_id).toBe(sent.id);
  },
);

test('a queue that hears of all public channels gets it once, with its flags', async () => {
  const server = await serverWithBotOutside();
  const { mel, bot } = server.people;
  const queue = await server.register(bot, { ...MESSAGES, all_public_streams: true });
  await server.post(mel, '/messages', { ...CALL, content: 'hello' });
  await server.post(mel, '/messages', CALL);
  expect((await queue.now()).map((event) => event['flags'])).toEqual([[], ['read', 'mentioned']]);
});

test('what the mention was edited, starred and deleted as comes to the bot as well', async () => {
  const server = await serverWithBotOutside();
  const { mel, ona, bot } = server.people;
  const { body: sent } = await server.post(mel, '/messages', CALL);
  const path = `/messages/${sent.id}`;
  const flags = async () => (await server.get(bot, path)).body.message.flags;
  const queue = await server.register(bot, {
    event_types: ['update_message', 'delete_message', 'reaction'],
  });
  await server.patch(mel, path, { content: 'hey nobody' });
  expect(await flags()).toEqual(['read']);
  await server.patch(mel, path, { content: 'hey @**Test Bot** again' });
  await server.post(bot, '/messages/flags', { messages: [sent.id], op: 'add', flag: 'starred' });
  expect(await flags()).toEqual(['read', 'starred', 'mentioned']);
  await server.post(bot, '/messages/flags', { messages: [sent.id], op: 'remove', flag: 'starred' });
  await server.post(bot, `${path}/reactions`, { emoji_name: 'smile' });
  expect(await flags()).toEqual(['read', 'mentioned']);
  await server.delete(ona, path);
  expect((await queue.now()).map(({ type }) => type)).toEqual([
    'update_message',
    'update_message',
    'reaction',
    'delete_message',
  ]);
  expect((await server.get(bot, '/users/me')).body.max_message_id).toBe(-1);
});

test('4: a snapshot and the messages that mention bots give what a fresh register gives', async () => {
  const server = await serverWithBotOutside();
  const { mel, bot } = server.people;
  await expectExactAfter(server, async () => {
    await server.post(mel, '/messages', CALL);
    const { body } = await server.post(mel, '/messages', {
      ...CALL,
      content: '@**all** @**Test Bot**',
    });
    await server.post(bot, '/users/me/subscriptions', { subscriptions: [{ name: 'general' }] });
    await server.post(bot, '/messages/flags', { messages: [body.id], op: 'remove', flag: 'read' });
    await server.post(mel, '/messages', CALL);
    await server.post(bot, '/mark_all_as_read');
  });
});

test('neither people, nor other bots, nor a bot that may not read the channel get it', async () => {
  const server = await serverWithBotOutside();
  const { mel, max, bot } = server.people;
  const hook = {
    full_name: 'Hook',
    short_name: 'hook',
    bot_type: 3,
    payload_url: '"http://a.test"',
  };
  const { body: made } = await server.post(mel, '/bots', hook);
  const other = {
    ...bot,
    id: made.user_id,
    email: 'hook-bot@test.localhost',
    apiKey: made.api_key,
  };
  await server.delete(max, '/users/me/subscriptions', { subscriptions: ['general'] });
  await server.post(mel, '/users/me/subscriptions', {
    subscriptions: [{ name: 'secret' }],
    invite_only: true,
  });
  const queues = await Promise.all([max, other, bot].map((one) => server.register(one, MESSAGES)));
  await server.post(mel, '/messages', { ...CALL, content: '@**Max Member** @**Hook**' });
  await server.post(mel, '/messages', { ...CALL, to: 'secret' });
  expect(await Promise.all(queues.map((queue) => queue.now()))).toEqual([[], [], []]);
});
