import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import { basic } from '../../support/client.ts';
import { startServer } from '../../support/start-server.ts';
import {
  IN_GENERAL,
  makeSender,
  newest,
  post,
  withSender,
} from '../../support/webhooks/deliveries.ts';

test('a generic bot has such a URL; a person and a bot that calls others have none', async () => {
  const { server, bot, ona, mel } = await withSender();
  const generic = server.people.bot;
  expect((await post(server, 'json', generic, { query: IN_GENERAL, payload: 1 })).status).toBe(200);
  const [line] = await runCommand(server.app.realms, 'bot create', {
    realm: 'test',
    email: 'caller@example.com',
    name: 'Caller',
    owner: 'ona@example.com',
    type: 'outgoing-webhook',
    'payload-url': 'https://a.example',
  });
  const { user_id: id, api_key: apiKey } = line as { user_id: number; api_key: string };
  for (const one of [mel, ona, { ...bot, id, apiKey }]) {
    const { status, body } = await post(server, 'json', one, { query: IN_GENERAL, payload: 1 });
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        result: 'error',
        code: 'BAD_REQUEST',
        msg: 'Only incoming webhook bots and generic bots have such a URL.',
      },
    });
  }
});

test.each([
  { why: 'no key', query: {}, status: 400, code: 'REQUEST_VARIABLE_MISSING', var_name: 'api_key' },
  { why: 'an unknown key', query: { api_key: 'x' }, status: 401, code: 'INVALID_API_KEY' },
])('is refused with $why', async ({ query, status, code, ...extra }) => {
  const { server, bot, ona } = await withSender();
  const { why: _, ...fields } = extra;
  const reply = await server.request('POST', `/external/json?${new URLSearchParams(query)}`, {
    // Other credentials than those in the URL mean nothing here.
    headers: { 'content-type': 'application/json', authorization: basic(bot) },
    body: '1',
  });
  expect(reply.status).toBe(status);
  expect(reply.body).toEqual({ result: 'error', msg: expect.any(String), code, ...fields });
  expect(await newest(server, ona)).toBeUndefined();
});

test('accounts and organizations that are deactivated are told so', async () => {
  const { server, bot } = await withSender();
  const other = await makeSender(server, server.people.mel, 'other');
  await server.perform((tx) => {
    const user = tx.users.get([bot.id]);
    if (user !== undefined) tx.users.put([bot.id], { ...user, isActive: false });
  });
  expect(await post(server, 'json', bot, { payload: 1 })).toMatchObject({
    status: 401,
    body: { result: 'error', code: 'USER_DEACTIVATED', msg: 'Account is deactivated' },
  });
  await server.perform((tx) => {
    const realm = tx.realm.get(['realm']);
    if (realm !== undefined) tx.realm.put(['realm'], { ...realm, isActive: false });
  });
  expect(await post(server, 'json', other, { payload: 1 })).toMatchObject({
    status: 401,
    body: {
      result: 'error',
      code: 'REALM_DEACTIVATED',
      msg: 'This organization has been deactivated',
    },
  });
});

test('a bot that only sends sends, and does nothing else', async () => {
  const { server, bot } = await withSender();
  const message = { type: 'channel', to: 'general', topic: 'tea', content: 'hi' };
  expect((await server.post(bot, '/messages', message)).status).toBe(200);
  const refused = {
    status: 401,
    body: {
      result: 'error',
      code: 'UNAUTHORIZED',
      msg: 'This API is not available to incoming webhook bots.',
    },
  };
  expect(await server.get(bot, '/users/me')).toMatchObject(refused);
  expect(await server.post(bot, '/register')).toMatchObject(refused);
  expect(
    await server.get(bot, '/messages', { anchor: 'newest', num_before: 1, num_after: 0 }),
  ).toMatchObject(refused);
  const socket = await server.socket(bot);
  expect(await socket.closed()).toEqual({
    code: 4001,
    reason: 'This API is not available to incoming webhook bots.',
  });
});

test('who may make no other bots may make those that only send, where the organization lets them', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await server.set('can_create_bots_group', systemGroupId('role:administrators'));
  const refused = { status: 400, body: { code: 'BAD_REQUEST', msg: 'Insufficient permission' } };
  const bee = { full_name: 'Bee', short_name: 'bee' };
  expect(await server.post(mel, '/bots', bee)).toMatchObject(refused);
  const sender = await makeSender(server, mel);
  const { body } = await server.get(mel, `/users/${sender.id}`);
  expect(body.user).toMatchObject({ bot_type: 2, is_bot: true, bot_owner_id: mel.id });
  await server.set('can_create_write_only_bots_group', systemGroupId('role:administrators'));
  expect(await server.post(mel, '/bots', { ...bee, bot_type: 2 })).toMatchObject(refused);
});

test('the command line makes a bot that only sends', async () => {
  const server = await startServer({ channels: ['general'] });
  const [line] = await runCommand(server.app.realms, 'bot create', {
    realm: 'test',
    email: 'herald@example.com',
    name: 'Herald',
    owner: 'mel@example.com',
    type: 'incoming-webhook',
  });
  const { user_id: id, api_key: apiKey } = line as { user_id: number; api_key: string };
  const bot = { id, apiKey, email: 'herald@example.com', fullName: 'Herald' };
  expect((await post(server, 'json', bot, { query: IN_GENERAL, payload: 1 })).status).toBe(200);
});
