import { expect, test } from 'vitest';
import { COMMAND_NAME_LENGTH_MAX } from '../../../src/domain/limits/operator.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { startServer } from '../../support/start-server.ts';

test('a ping is answered, and that is all', async () => {
  const server = await startServer();
  const queue = await server.register(server.people.mel);
  const { status, body } = await server.post(server.people.mel, '/zcommand', { command: '/ping' });
  expect([status, body]).toEqual([200, { result: 'success', msg: '' }]);
  expect(await queue.now()).toEqual([]);
});

test.each([
  { command: '/dark', property: 'color_scheme', value: 2, msg: 'The theme is dark now.' },
  { command: '/night', property: 'color_scheme', value: 2, msg: 'The theme is dark now.' },
  { command: '/light', property: 'color_scheme', value: 3, msg: 'The theme is light now.' },
  { command: ' /day ', property: 'color_scheme', value: 3, msg: 'The theme is light now.' },
  {
    command: '/fluid-width',
    property: 'fluid_layout_width',
    value: true,
    msg: 'The layout takes the whole width now.',
  },
])('$command sets a setting, and says so', async ({ command, property, value, msg }) => {
  const server = await startServer();
  const { mel } = server.people;
  const queue = await server.register(mel, { event_types: ['user_settings'] });
  const run = () => server.post(mel, '/zcommand', { command });
  expect((await run()).body).toEqual({ result: 'success', msg });
  expect(await queue.now()).toEqual([
    { id: expect.any(Number), type: 'user_settings', op: 'update', property, value },
  ]);
  expect((await run()).body.msg).toBe(msg);
  expect(await queue.now()).toEqual([]);
});

test('4: a snapshot and the events of a command give what a fresh register gives', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await expectExactAfter(server, async () => {
    for (const command of ['/dark', '/fluid-width', '/fixed-width']) {
      await server.post(mel, '/zcommand', { command });
    }
  });
});

const LONG = 'x'.repeat(COMMAND_NAME_LENGTH_MAX);

test.each([
  { command: 'ping', msg: 'There should be a leading slash in the zcommand.' },
  { command: '', msg: 'There should be a leading slash in the zcommand.' },
  { command: '/', msg: 'No such command: ' },
  { command: '/dance', msg: 'No such command: dance' },
  { command: `/${LONG}`, msg: `No such command: ${LONG}` },
  { command: `/${LONG}y`, msg: `No such command: ${LONG}` },
  {
    command: `/${'🐙'.repeat(COMMAND_NAME_LENGTH_MAX + 1)}`,
    msg: `No such command: ${'🐙'.repeat(COMMAND_NAME_LENGTH_MAX)}`,
  },
])('an unknown command is refused: $command', async ({ command, msg }) => {
  const server = await startServer();
  const { status, body } = await server.post(server.people.mel, '/zcommand', { command });
  expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
});

test('a command is needed, and bots have none', async () => {
  const server = await startServer();
  const { mel, bot } = server.people;
  expect((await server.post(mel, '/zcommand')).body).toEqual({
    result: 'error',
    code: 'REQUEST_VARIABLE_MISSING',
    msg: "Missing 'command' argument",
    var_name: 'command',
  });
  const { status, body } = await server.post(bot, '/zcommand', { command: '/ping' });
  const msg = 'This endpoint does not accept bot requests.';
  expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
});
