import { expect, test } from 'vitest';
import { expectExactAfter, MODERN } from '../../../support/applying/follow.ts';
import { GENERAL, say } from '../../../support/messages/moving.ts';
import { startServer } from '../../../support/start-server.ts';

test('who left a channel hears of changes of what came to them there, and of nothing else there', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, gus, ada } = server.people;
  const before = await say(server, mel, { content: 'before' });
  for (const person of [max, gus]) {
    await server.delete(person, '/users/me/subscriptions', { subscriptions: ['general'] });
  }
  const after = await say(server, mel, { content: 'after' });
  const queue = await server.register(max, MODERN);
  const guest = await server.register(gus, MODERN);
  for (const id of [before, after]) {
    await server.patch(mel, `/messages/${id}`, { content: 'changed' });
    await server.post(mel, `/messages/${id}/reactions`, { emoji_name: 'tada' });
  }
  await server.post(max, `/messages/${before}/reactions`, { emoji_name: 'octopus' });
  const moved = { topic: 'dinner', send_notification_to_new_thread: false };
  await server.patch(mel, `/messages/${before}`, moved);
  await server.delete(ada, `/messages/${before}`);
  await server.delete(ada, `/messages/${after}`);
  const told = (await queue.now()).map(({ type, message_id, message_ids }) => [
    type,
    message_id ?? message_ids?.[0],
  ]);
  expect(told.filter(([type]) => type !== 'stream')).toEqual([
    ['update_message', before],
    ['reaction', before],
    ['reaction', before],
    ['update_message', before],
    ['delete_message', before],
  ]);
  expect(await guest.now()).toEqual([]);
});

test('who came back to a channel hears of a change once, and of the time in between as well', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const subscriptions = { subscriptions: ['general'] };
  await say(server, mel, { content: 'before' });
  await server.delete(max, '/users/me/subscriptions', subscriptions);
  const between = await say(server, mel, { content: 'between' });
  const again = { subscriptions: [{ name: 'general' }] };
  await server.post(max, '/users/me/subscriptions', again);
  const queue = await server.register(max, MODERN);
  await server.patch(mel, `/messages/${between}`, { content: 'changed' });
  expect((await queue.now()).map(({ type }) => type)).toEqual(['update_message']);
  await server.delete(max, '/users/me/subscriptions', subscriptions);
  const rows = await server.perform((tx) => [...tx.formerSubscribers.keys({})]);
  expect(rows).toEqual([[GENERAL, between, max.id]]);
});

test('who left a channel loses what is moved to where they may not read, and their state stays exact', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const subscription = { subscriptions: [{ name: 'den' }], invite_only: true };
  await server.post(mel, '/users/me/subscriptions', subscription);
  const id = await say(server, mel);
  await server.delete(max, '/users/me/subscriptions', { subscriptions: ['general'] });
  const queue = await server.register(max, MODERN);
  const { body } = await server.get(mel, '/get_stream_id', { stream: 'den' });
  await expectExactAfter(server, async () => {
    const moved = { stream_id: body.stream_id, send_notification_to_new_thread: false };
    expect((await server.patch(mel, `/messages/${id}`, moved)).status).toBe(200);
  });
  const told = (await queue.now()).filter(({ type }) => type !== 'stream');
  expect(told).toEqual([
    {
      id: expect.any(Number),
      type: 'delete_message',
      message_ids: [id],
      message_type: 'stream',
      stream_id: GENERAL,
      topic: 'lunch',
    },
  ]);
});
