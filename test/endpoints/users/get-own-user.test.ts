import { expect, test } from 'vitest';
import { startServer } from '../../support/start-server.ts';

test('one gets one’s own account at the top of the answer, avatar included, without profile data', async () => {
  const server = await startServer();
  const { body } = await server.get(server.people.mel, '/users/me');
  expect(body).toEqual({
    result: 'success',
    msg: '',
    user_id: 4,
    email: 'mel@example.com',
    delivery_email: 'mel@example.com',
    full_name: 'Mel Member',
    date_joined: '2026-01-05T09:00+00:00',
    is_active: true,
    is_owner: false,
    is_admin: false,
    is_guest: false,
    is_bot: false,
    bot_type: null,
    bot_owner_id: null,
    role: 400,
    timezone: '',
    avatar_url: '/avatar/4?v=1',
    avatar_version: 1,
    max_message_id: -1,
  });
});

test('max_message_id is the newest message that one received', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, ada } = server.people;
  await server.post(ada, '/users/me/subscriptions', { subscriptions: [{ name: 'elsewhere' }] });
  const newest = async () => (await server.get(mel, '/users/me')).body.max_message_id;
  const say = (to: string) =>
    server.post(ada, '/messages', { type: 'channel', to, topic: 'tea', content: 'hello' });

  // The first message is the one that says who made the other channel.
  expect((await say('general')).body.id).toBe(2);
  expect(await newest()).toBe(2);
  await say('elsewhere');
  expect(await newest()).toBe(2);
  await server.post(max, '/messages', { type: 'direct', to: [mel.id], content: 'hello' });
  expect(await newest()).toBe(4);
  await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['general'] });
  await say('general');
  expect(await newest()).toBe(4);
  await server.post(mel, '/users/me/subscriptions', { subscriptions: [{ name: 'general' }] });
  expect(await newest()).toBe(4);
  await say('general');
  expect(await newest()).toBe(6);
});
