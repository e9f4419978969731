import { expect, test } from 'vitest';
import { WELCOME_TEXT_LENGTH_MAX } from '../../../src/domain/limits/organizations.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const PATH = '/realm/test_welcome_bot_custom_message';

const newest = async (server: TestServer, person: TestServer['people']['ada']) =>
  (
    await server.get(person, '/messages', {
      anchor: 'newest',
      num_before: 1,
      num_after: 0,
      apply_markdown: false,
    })
  ).body.messages;

test('an administrator gets the welcome message as newcomers would, and nobody else does', async () => {
  const server = await startServer();
  const { ada, mel } = server.people;
  const queue = await server.register(ada, { event_types: ['message'] });
  const { status, body } = await server.post(ada, PATH, {
    welcome_message_custom_text: '  Hi. **Coffee** is on floor 2.\n',
  });
  expect([status, body]).toEqual([
    200,
    { result: 'success', msg: '', message_id: expect.any(Number) },
  ]);
  expect(await newest(server, ada)).toMatchObject([
    {
      id: body.message_id,
      type: 'private',
      content: 'Hi. **Coffee** is on floor 2.',
      sender_email: expect.stringMatching(/^notification-bot@/),
    },
  ]);
  expect(await queue.next()).toMatchObject([{ type: 'message', message: { id: body.message_id } }]);
  expect(await newest(server, mel)).toEqual([]);
  expect((await server.post(ada, '/register')).body.realm_welcome_message_custom_text).toBe('');
});

test('it takes a text of exactly the bound', async () => {
  const server = await startServer();
  const text = 'x'.repeat(WELCOME_TEXT_LENGTH_MAX);
  const params = { welcome_message_custom_text: text };
  expect((await server.post(server.people.ona, PATH, params)).status).toBe(200);
  expect(await newest(server, server.people.ona)).toMatchObject([{ content: text }]);
});

test.each([
  {
    params: {},
    is: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'welcome_message_custom_text' },
  },
  {
    params: { welcome_message_custom_text: '' },
    is: { code: 'BAD_REQUEST', msg: 'Message must not be empty' },
  },
  {
    params: { welcome_message_custom_text: ' \n' },
    is: { code: 'BAD_REQUEST', msg: 'Message must not be empty' },
  },
  {
    params: { welcome_message_custom_text: 'x'.repeat(WELCOME_TEXT_LENGTH_MAX + 1) },
    is: {
      code: 'BAD_REQUEST',
      msg: 'welcome_message_custom_text is too long (limit: 8000 characters)',
    },
  },
])('what is no welcome message is refused: $is', async ({ params, is }) => {
  const server = await startServer();
  const reply = await server.post(server.people.ada, PATH, params);
  expect(reply).toMatchObject({ status: 400, body: { result: 'error', ...is } });
  expect(await newest(server, server.people.ada)).toEqual([]);
});

test('administrators alone may', async () => {
  const server = await startServer();
  const { mia, mel, gus, bot } = server.people;
  for (const person of [mia, mel, gus, bot]) {
    const reply = await server.post(person, PATH, { welcome_message_custom_text: 'Hi' });
    expect([reply.status, reply.body.code, reply.body.msg]).toEqual([
      400,
      'UNAUTHORIZED_PRINCIPAL',
      'Must be an organization administrator',
    ]);
  }
});
