import { expect, test } from 'vitest';
import { startListener } from '../../support/notifications/listener.ts';
import { startProcess } from '../../support/processes/start-process.ts';

test('2: killed while a bot is being called, the server calls it again as soon as it is back, and says its answer once', async () => {
  const listener = await startListener((_, count) =>
    count === 1 ? { isSilent: true } : { body: JSON.stringify({ content: 'Here I am' }) },
  );
  const server = await startProcess({ CONFAB_WEBHOOK_PRIVATE_ADDRESSES: '1' });
  const mel = server.people['mel'] ?? expect.fail();
  const { body: bot } = await server.post(mel, '/bots', {
    full_name: 'Hook',
    short_name: 'hook',
    bot_type: 3,
    payload_url: JSON.stringify(listener.url),
    interface_type: 1,
  });
  await server.post(mel, '/messages', { type: 'direct', to: [bot.user_id], content: 'Are you?' });
  await listener.next();
  await server.kill();

  await listener.next();
  const narrow = [{ operator: 'sender', operand: bot.user_id }];
  const everything = { anchor: 'oldest', num_after: 100, apply_markdown: false, narrow };
  const said = async () => {
    const { messages } = (await server.get(mel, '/messages', everything)).body;
    return messages.map(({ content }: { content: string }) => content);
  };
  await expect.poll(said).toEqual(['Here I am']);
  expect(listener.heard).toHaveLength(2);
});
