import { expect, test } from 'vitest';
import { BOT_NOTICE_PAUSE_MS } from '../../../../src/domain/limits/bots.ts';
import { startServer } from '../../../support/start-server.ts';

const LUNCH = { type: 'channel', topic: 'lunch', content: 'beep' };

test('the owner of a bot is told when it sends to a channel that is missing, once in five minutes', async () => {
  const server = await startServer();
  const { ona, bot } = server.people;
  const queue = await server.register(ona, { event_types: ['message'] });
  const send = () => server.post(bot, '/messages', { ...LUNCH, to: '```nowhere' });
  const missing = { status: 400, body: { code: 'STREAM_DOES_NOT_EXIST', stream: '```nowhere' } };
  expect(await send()).toMatchObject(missing);
  expect(await queue.next()).toMatchObject([
    {
      message: {
        type: 'private',
        sender_full_name: 'Notification Bot',
        content: `Your bot @_**Test Bot|${bot.id}** sent a message to a channel that does not exist:\n\`\`\`\`text\n\`\`\`nowhere\n\`\`\`\``,
      },
    },
  ]);
  server.clock.advance(BOT_NOTICE_PAUSE_MS - 1_000);
  expect(await send()).toMatchObject(missing);
  expect(await queue.now()).toEqual([]);
  server.clock.advance(1_000);
  expect(await send()).toMatchObject(missing);
  expect(await queue.next()).toHaveLength(1);
  expect(server.bugs).toEqual([]);
});

test('so they are when nobody is subscribed to it, and the message is sent', async () => {
  const server = await startServer();
  const { ona, bot } = server.people;
  await server.post(ona, '/users/me/subscriptions', { subscriptions: [{ name: 'empty' }] });
  await server.delete(ona, '/users/me/subscriptions', { subscriptions: ['empty'] });
  const queue = await server.register(ona, { event_types: ['message'] });
  expect((await server.post(bot, '/messages', { ...LUNCH, to: 'empty' })).status).toBe(200);
  const [event] = await queue.next();
  expect(event?.['message'].content).toContain(
    'a channel that has no subscribers:\n```text\nempty',
  );
});

test('a person sees for themselves, and a bot without an active owner tells nobody', async () => {
  const server = await startServer();
  const { ona, mel, bot } = server.people;
  const queue = await server.register(ona, { event_types: ['message'] });
  expect((await server.post(mel, '/messages', { ...LUNCH, to: 'nowhere' })).status).toBe(400);
  await server.perform((tx) => {
    const row = tx.users.get([bot.id]) ?? expect.fail();
    tx.users.put([bot.id], { ...row, botOwnerId: null });
  });
  expect((await server.post(bot, '/messages', { ...LUNCH, to: 'nowhere' })).status).toBe(400);
  await server.post(mel, '/messages', { type: 'direct', to: [ona.id], content: 'after' });
  expect(await queue.next()).toMatchObject([{ message: { content: 'after' } }]);
});
