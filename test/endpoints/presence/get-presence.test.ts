import { expect, test } from 'vitest';
import { startServer } from '../../support/start-server.ts';

const START = Date.UTC(2026, 0, 5, 9, 0, 0) / 1000;

test('one presence is read by id or address, and is offline after 200 s', async () => {
  const server = await startServer();
  const { mel, gus } = server.people;
  await server.post(mel, '/users/me/presence', { status: 'active' });
  const read = async (named: string | number) =>
    (await server.get(gus, `/users/${named}/presence`)).body;
  const active = { status: 'active', timestamp: START };
  const both = { aggregated: active, website: active };
  expect(await read(4)).toEqual({ result: 'success', msg: '', presence: both });
  expect(await read(mel.email)).toEqual({ result: 'success', msg: '', presence: both });
  server.clock.advance(200_000);
  expect((await read(4)).presence).toEqual(both);
  server.clock.advance(1_000);
  expect((await read(4)).presence).toEqual({
    aggregated: { status: 'offline', timestamp: START },
    website: active,
  });
});

test.each([
  { why: 'a bot', named: '7', msg: 'Presence is not supported for bot users.' },
  { why: 'an unknown id', named: '99', msg: 'No such user' },
  { why: 'an unknown address', named: 'no@example.com', msg: 'No such user' },
  { why: 'nothing was ever heard', named: '4', msg: 'No presence data for 4' },
])('is refused: $why', async ({ named, msg }) => {
  const server = await startServer();
  const reply = await server.get(server.people.gus, `/users/${named}/presence`);
  expect([reply.status, reply.body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
});
