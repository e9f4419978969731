import { expect, test } from 'vitest';
import { NEW_SUBSCRIPTION_MESSAGES_MAX } from '../../../src/domain/limits/channels.ts';
import type { Params, TestQueue } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

const subscribe = (server: TestServer, as: PersonName, names: readonly string[], params: Params) =>
  server.post(server.people[as], '/users/me/subscriptions', {
    subscriptions: names.map((name) => ({ name })),
    ...params,
  });

const notices = async (queue: TestQueue | undefined) =>
  (await queue?.now())
    ?.filter(({ type }) => type === 'message')
    .map(({ message }) => [
      message.display_recipient.length > 2 ? message.display_recipient : 'direct',
      message.subject,
      message.content,
    ]);

test.each([
  { params: {}, policy: 'Public' },
  { params: { is_web_public: true }, policy: 'Web-public' },
  { params: { invite_only: true }, policy: 'Private, protected history' },
  { params: { invite_only: true, history_public_to_subscribers: true }, policy: 'Private, shared history' },
  { params: { topics_policy: 'empty_topic_only' }, policy: 'Public', topic: '' },
])('the first message of a channel made with $params says so', async ({ params, policy, topic = 'channel events' }) => {
  const server = await startServer();
  await server.set('enable_spectator_access', true);
  await server.post(server.people.ona, '/users/me/subscriptions', {
    subscriptions: [{ name: 'made', description: 'Of ```\nall' }],
    ...params,
  });
  const range = { anchor: 'newest', num_before: 10, num_after: 0, allow_empty_topic_name: true };
  const { body } = await server.get(server.people.ona, '/messages', { ...range, apply_markdown: false });
  expect(body.messages).toMatchObject([
    {
      id: 1,
      sender_full_name: 'Notification Bot',
      display_recipient: 'made',
      subject: topic,
      content: `**${policy}** channel created by @_**Ona Owner|1**. **Description:**\n\`\`\`\`quote\nOf \`\`\` all\n\`\`\`\``,
    },
  ]);
}); // biome-ignore format: a table

test('people whom somebody else subscribes are written to once, of channels that were there before', async () => {
  const server = await startServer({ channels: ['general', 'random'] });
  const { mel, max, gus, bot } = server.people;
  const everyone = [mel.id, max.id, gus.id, bot.id];
  for (const person of [mel, max, gus, bot]) {
    const subscriptions = person === gus ? ['general'] : ['general', 'random'];
    await server.delete(person, '/users/me/subscriptions', { subscriptions });
  }
  const types = { event_types: ['message'] };
  const queues = await Promise.all(
    [mel, max, gus, bot].map((person) => server.register(person, types)),
  );
  const names = ['general', 'random', 'new'];
  const { body } = await subscribe(server, 'mel', names, { principals: everyone });
  expect(body.new_subscription_messages_sent).toBe(true);
  const [mels, maxs, guss, bots] = await Promise.all(queues.map(notices));
  const by = `@_**Mel Member|${mel.id}** subscribed you to`;
  const created = [
    'new',
    'channel events',
    expect.stringContaining('**Public** channel created by'),
  ];
  expect(mels).toEqual([created]);
  expect(bots).toEqual([created]);
  expect(maxs?.[0]?.[2]).toBe(`${by} the following channels:\n\n* #**general**\n* #**random**`);
  expect(guss?.[0]?.[2]).toBe(`${by} the channel #**general**.`);
  expect(maxs?.slice(1)).toEqual([created]);
});

test('beyond a hundred people nobody is written to', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const ids = await server.perform((tx) => {
    const row = tx.users.get([mel.id]) ?? expect.fail('mel is there');
    return Array.from({ length: NEW_SUBSCRIPTION_MESSAGES_MAX }, () => {
      const id = tx.nextId('user');
      tx.users.put([id], { ...row, id, email: `user${id}@example.com` });
      return id;
    });
  });
  await server.delete(max, '/users/me/subscriptions', { subscriptions: ['general'] });
  const queue = await server.register(max, { event_types: ['message'] });
  const all = await subscribe(server, 'mel', ['general'], { principals: [max.id, ...ids] });
  expect(all.body.new_subscription_messages_sent).toBe(false);
  expect(await notices(queue)).toEqual([]);
  await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['general'] });
  const fewer = await subscribe(server, 'mel', ['other'], { principals: ids });
  expect(fewer.body.new_subscription_messages_sent).toBe(true);
});

test('new channels are announced in the channel for it, when that is asked for and there is one', async () => {
  const server = await startServer({ channels: ['general'] });
  const queue = await server.register(server.people.max, { event_types: ['message'] });
  await subscribe(server, 'mel', ['a'], { announce: true });
  await server.set('new_stream_announcements_stream_id', 1);
  await subscribe(server, 'mel', ['b'], {});
  await subscribe(server, 'mel', ['general'], { announce: true });
  await subscribe(server, 'mel', ['c'], { announce: true });
  await subscribe(server, 'mel', ['d', 'e'], { announce: true });
  expect(await notices(queue)).toEqual([
    ['general', 'new channels', '@_**Mel Member|4** created a new channel #**c**.'],
    [
      'general',
      'new channels',
      '@_**Mel Member|4** created the following channels: #**d**, #**e**.',
    ],
  ]);
});
