import { expect, test } from 'vitest';
import { startServer } from '../../support/start-server.ts';

test('a server without a language model says so', async () => {
  const server = await startServer();
  const { mel, bot } = server.people;
  const params = { narrow: '[["channel","mill"],["topic","wheel"]]' };
  expect(await server.get(mel, '/messages/summary', params)).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'AI features are not enabled on this server.' },
  });
  expect((await server.get(bot, '/messages/summary', params)).body.msg).toBe(
    'This endpoint does not accept bot requests.',
  );
});
