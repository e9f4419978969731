import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import {
  BOT_SHORT_NAME_LENGTH_MAX,
  WEBHOOK_URL_LENGTH_MAX,
} from '../../../src/domain/limits/bots.ts';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { startServer } from '../../support/start-server.ts';

const BEE = { full_name: 'Bee', short_name: 'bee' };
const HOOK = {
  full_name: 'Hook',
  short_name: 'hook',
  bot_type: 3,
  payload_url: '"https://hooks.example/a"',
};

test('a bot that a member makes logs in with its key, and those who manage it hear of it', async () => {
  const server = await startServer();
  const { mel, max, ada } = server.people;
  const types = { event_types: ['realm_bot'] };
  const queues = await Promise.all([mel, ada, max].map((one) => server.register(one, types)));
  const { body } = await server.post(mel, '/bots', { ...BEE, short_name: ' Bee ' });
  expect(body).toEqual({
    result: 'success',
    msg: '',
    user_id: 8,
    api_key: expect.stringMatching(/^[0-9a-f]{32}$/),
    avatar_url: '/avatar/8?v=1',
    default_sending_stream: null,
    default_events_register_stream: null,
    default_all_public_streams: false,
  });
  const bee = { id: 8, email: 'bee-bot@test.localhost', fullName: 'Bee', apiKey: body.api_key };
  expect((await server.get(bee, '/users/me')).body).toMatchObject({
    is_bot: true,
    bot_type: 1,
    bot_owner_id: mel.id,
    role: 400,
    email: bee.email,
  });
  const [own, administrators, others] = await Promise.all(queues.map((queue) => queue.now()));
  const event = { id: expect.any(Number), type: 'realm_bot', op: 'add' };
  const { avatar_url } = body;
  const bot = {
    user_id: 8,
    email: bee.email,
    full_name: 'Bee',
    bot_type: 1,
    api_key: '',
    avatar_url,
    is_active: true,
    owner_id: mel.id,
    default_sending_stream: null,
    default_events_register_stream: null,
    default_all_public_streams: false,
    services: [],
  };
  expect(own).toEqual([{ ...event, bot }]);
  expect(administrators).toEqual(own);
  expect(others).toEqual([]);
  expect((await server.get(mel, '/bots')).body.bots).toEqual([
    {
      username: bee.email,
      full_name: 'Bee',
      api_key: '',
      avatar_url,
      default_sending_stream: null,
      default_events_register_stream: null,
      default_all_public_streams: false,
    },
  ]);
  expect((await server.get(max, '/bots')).body.bots).toEqual([]);
});

test('an outgoing-webhook bot is told with what it calls, and its token', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const queue = await server.register(mel, { event_types: ['realm_bot'] });
  await server.post(mel, '/bots', { ...HOOK, interface_type: 2 });
  const [event] = await queue.now();
  expect(event?.['bot']).toMatchObject({
    bot_type: 3,
    services: [
      {
        base_url: 'https://hooks.example/a',
        interface: 2,
        token: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
      },
    ],
  });
});

test('4: a snapshot and the events of new bots give what a fresh register gives', async () => {
  const server = await startServer();
  const { mel, ada } = server.people;
  await expectExactAfter(server, async () => {
    await server.post(mel, '/bots', BEE);
    await server.post(ada, '/bots', HOOK);
  });
});

test.each([
  { given: { ...BEE, full_name: 'B' }, msg: 'Name too short!' },
  { given: { ...BEE, full_name: 'Test Bot' }, msg: 'Name is already in use.' },
  { given: { ...BEE, short_name: 'two words' }, msg: 'Invalid short_name' },
  { given: { ...BEE, short_name: '' }, msg: 'Invalid short_name' },
  {
    given: { ...BEE, short_name: 'x'.repeat(BOT_SHORT_NAME_LENGTH_MAX + 1) },
    msg: 'short_name is too long',
  },
  {
    given: { ...BEE, short_name: 'taken' },
    msg: 'Email is already in use.',
  },
  { given: { ...BEE, bot_type: 4 }, msg: 'Invalid bot_type' },
  { given: { ...BEE, bot_type: 'x' }, msg: 'bot_type is not an integer' },
  { given: { ...HOOK, interface_type: 3 }, msg: 'Invalid interface_type' },
  { given: { ...HOOK, payload_url: '"ftp://a.example"' }, msg: 'payload_url is not a URL' },
  { given: { ...HOOK, payload_url: '7' }, msg: 'payload_url is not a URL' },
  {
    given: { ...HOOK, payload_url: `"https://a.example/${'x'.repeat(WEBHOOK_URL_LENGTH_MAX)}"` },
    msg: 'payload_url is not a URL',
  },
])('a bot is refused: $msg', async ({ given, msg }) => {
  const server = await startServer();
  const { mel } = server.people;
  await server.post(mel, '/bots', { full_name: 'Taken', short_name: 'taken' });
  const { status, body } = await server.post(mel, '/bots', given);
  expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
  expect((await server.get(mel, '/bots')).body.bots).toHaveLength(1);
});

test.each([
  { given: { short_name: 'bee' }, missing: 'full_name' },
  { given: { full_name: 'Bee' }, missing: 'short_name' },
  { given: { ...BEE, bot_type: 3 }, missing: 'payload_url' },
])('a bot needs $missing', async ({ given, missing }) => {
  const server = await startServer();
  const { status, body } = await server.post(server.people.mel, '/bots', given);
  expect([status, body.code, body.var_name]).toEqual([400, 'REQUEST_VARIABLE_MISSING', missing]);
});

test('who may not make bots makes none, and guests and bots never do', async () => {
  const server = await startServer();
  await server.set('can_create_bots_group', systemGroupId('role:administrators'));
  for (const [name, msg] of [
    ['mel', 'Insufficient permission'],
    ['gus', 'Not allowed for guest users'],
    ['bot', 'This endpoint does not accept bot requests.'],
  ] as const) {
    const { status, body } = await server.post(server.people[name], '/bots', BEE);
    expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
  }
  expect((await server.get(server.people.bot, '/bots')).body.msg).toBe(
    'This endpoint does not accept bot requests.',
  );
  expect((await server.post(server.people.ada, '/bots', BEE)).status).toBe(200);
});

test.each([
  {
    given: { type: 'outgoing-webhook' },
    says: /payload-url goes with the type outgoing-webhook/,
  },
  { given: { 'payload-url': 'https://a.example' }, says: /payload-url goes with the type/ },
  { given: { type: 'outgoing-webhook', 'payload-url': 'a' }, says: /payload-url is not a URL/ },
  {
    given: { type: 'embedded' },
    says: /type is none of generic, incoming-webhook, outgoing-webhook/,
  },
  {
    given: { type: 'outgoing-webhook', 'payload-url': 'https://a.example', interface: '3' },
    says: /interface is neither 1 nor 2/,
  },
])('the command line refuses $given', async ({ given, says }) => {
  const server = await startServer();
  const bot = { realm: 'test', email: 'b@example.com', name: 'Bee', owner: 'mel@example.com' };
  await expect(runCommand(server.app.realms, 'bot create', { ...bot, ...given })).rejects.toThrow(
    says,
  );
});
