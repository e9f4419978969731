import { expect, test } from 'vitest';
import {
  PASSWORD_LENGTH_MAX,
  PASSWORD_LENGTH_MIN,
} from '../../../src/domain/limits/credentials.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const NEW = { email: 'new@example.com', password: 'correct horse', full_name: 'Nia New' };
const make = (server: TestServer, as: Person, params: object = {}) =>
  server.post(as, '/users', { ...NEW, ...params });

test('an administrator makes an account, which can log in and is in the default channels', async () => {
  const server = await startServer({ channels: ['general', 'random'] });
  const { ona, ada } = server.people;
  await server.post(ona, '/default_streams', { stream_id: 1 });
  await server.set('welcome_message_custom_text', 'Welcome!');
  const { body } = await make(server, ada, { email: ' New@Example.com ', full_name: ' Nia New ' });
  expect(body).toEqual({ result: 'success', msg: '', user_id: 8 });
  const login = await server.post(null, '/fetch_api_key', {
    username: NEW.email,
    password: NEW.password,
  });
  const nia = { id: 8, email: NEW.email, fullName: NEW.full_name, apiKey: login.body.api_key };
  expect((await server.get(nia, '/users/me')).body).toMatchObject({
    user_id: 8,
    full_name: 'Nia New',
    delivery_email: 'New@Example.com',
    role: 400,
    is_bot: false,
  });
  const { subscriptions } = (await server.get(nia, '/users/me/subscriptions')).body;
  expect(subscriptions).toMatchObject([{ name: 'general' }]);
  const { messages } = (
    await server.get(nia, '/messages', { anchor: 'newest', num_before: 9, num_after: 0 })
  ).body;
  expect(messages).toMatchObject([{ content: expect.stringContaining('Welcome!') }]);
});

test('4: a snapshot and the events give what a fresh register gives, for everyone', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona } = server.people;
  await server.post(ona, '/default_streams', { stream_id: 1 });
  await server.set('waiting_period_threshold', 1);
  await expectExactAfter(server, () => make(server, ona));
});

test.each([
  { why: 'a member asks', as: 'mia', params: {}, msg: 'Insufficient permission' },
  {
    why: 'a taken address',
    params: { email: 'MEL@example.com' },
    msg: /^Email is already in use\.$/,
  },
  { why: 'no address', params: { email: 'new' }, msg: 'Invalid email address' },
  {
    why: 'an address that hides something',
    params: { email: 'm\u200bel@example.com' },
    msg: 'Invalid email address',
  },
  { why: 'a disposable address', params: { email: 'x@mailinator.com' }, msg: /^Disposable/ },
  { why: 'a name too short', params: { full_name: 'N' }, msg: 'Name too short!' },
  {
    why: 'a name turned around',
    params: { full_name: '\u202eMel' },
    msg: 'Invalid characters in name!',
  },
  {
    why: 'a password too short',
    params: { password: 'x'.repeat(PASSWORD_LENGTH_MIN - 1) },
    msg: 'A password has between 6 and 100 characters',
  },
  {
    why: 'a password too long',
    params: { password: 'x'.repeat(PASSWORD_LENGTH_MAX + 1) },
    msg: 'A password has between 6 and 100 characters',
  },
] as const)('is refused: $why', async ({ params, msg, ...rest }) => {
  const server = await startServer();
  const { as } = { as: 'ada' as const, ...rest };
  expect(await make(server, server.people[as], params)).toMatchObject({
    status: 400,
    body: {
      result: 'error',
      code: 'BAD_REQUEST',
      msg: typeof msg === 'string' ? msg : expect.stringMatching(msg),
    },
  });
  expect((await server.get(server.people.ada, '/users')).body.members).toHaveLength(7);
});

test.each(['email', 'password', 'full_name'])('%s has to be there', async (name) => {
  const server = await startServer();
  expect(await make(server, server.people.ada, { [name]: undefined })).toMatchObject({
    status: 400,
    body: { code: 'REQUEST_VARIABLE_MISSING', var_name: name },
  });
});

test('a domain that is not of the organization is refused, and a name that has to be unique', async () => {
  const server = await startServer();
  const { ada } = server.people;
  await server.set('require_unique_names', true);
  expect(await make(server, ada, { full_name: 'mel member' })).toMatchObject({
    status: 400,
    body: { msg: 'Unique names required in this organization.' },
  });
  await server.set('emails_restricted_to_domains', true);
  expect(await make(server, ada)).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: expect.stringContaining('is not in one of the domains') },
  });
});

test('of two accounts with one address that are asked for at once one is made', async () => {
  const server = await startServer();
  const { ona, ada } = server.people;
  const replies = await Promise.all([make(server, ona), make(server, ada)]);
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
});

test('who is no administrator any more when the account is made makes none', async () => {
  const server = await startServer();
  const { ona, ada } = server.people;
  const [made, demoted] = await Promise.all([
    make(server, ada),
    server.patch(ona, `/users/${ada.id}`, { role: 400 }),
  ]);
  expect(demoted.status).toBe(200);
  expect(made).toMatchObject({ status: 400, body: { msg: 'Insufficient permission' } });
});
