import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import { ALL_CHANNELS } from '../../../storage/tables/notifications/push.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import type { Params } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

const ok = { result: 'success', msg: '' };

const update = (server: TestServer, params: Params, as: PersonName = 'ada') =>
  server.patch(server.people[as], '/realm/user_settings_defaults', params);

const join = async ({ app }: TestServer) => {
  const person = { realm: 'test', email: 'new@example.com', name: 'New Person' };
  const [line] = await runCommand(app.realms, 'user create', person);
  return line as { user_id: number; email: string; api_key: string };
};

const SOME = { twenty_four_hour_time: true, emojiset: 'text', web_font_size_px: 20 };

test('an administrator sets what new accounts begin with, and everyone hears of what has changed', async () => {
  const server = await startServer();
  const queue = await server.register(server.people.gus, {
    event_types: ['realm_user_settings_defaults', 'user_settings'],
  });
  expect((await update(server, SOME)).body).toEqual(ok);
  expect((await update(server, { ...SOME, emojiset: 'google' })).body).toEqual(ok);
  const event = { id: expect.any(Number), type: 'realm_user_settings_defaults', op: 'update' };
  expect(await queue.now()).toEqual([
    { ...event, property: 'emojiset', value: 'text' },
    { ...event, property: 'twenty_four_hour_time', value: true },
    { ...event, property: 'web_font_size_px', value: 20 },
    { ...event, property: 'emojiset', value: 'google' },
  ]);
  const { state } = await server.register(server.people.gus);
  expect(state.realm_user_settings_defaults).toMatchObject({ ...SOME, emojiset: 'google' });
  // Accounts that exist keep what they have.
  expect(state.user_settings).toMatchObject({ twenty_four_hour_time: false, web_font_size_px: 16 });
});

test('people who join have the defaults, and bots have those of the server', async () => {
  const server = await startServer();
  await update(server, { ...SOME, enable_stream_push_notifications: true });
  await server.set('default_language', 'fr');
  const { user_id, email, api_key: apiKey } = await join(server);
  const person = { id: user_id, email, apiKey, fullName: 'New Person' };
  const settings = { ...SOME, default_language: 'fr' };
  expect((await server.register(person)).state.user_settings).toMatchObject(settings);
  const key = [ALL_CHANNELS, user_id] as const;
  expect(await server.perform((tx) => tx.pushListeners.has([...key]))).toBe(true);
  const bot = { realm: 'test', email: 'new-bot@example.com', name: 'New', owner: email };
  const [line] = (await runCommand(server.app.realms, 'bot create', bot)) as [{ user_id: number }];
  const row = await server.perform((tx) => tx.users.get([line.user_id]));
  expect(row?.settings).toEqual({});
});

test('the language of newcomers is the default one where that is said, and else that of the organization', async () => {
  const server = await startServer();
  await server.set('default_language', 'fr');
  await update(server, { default_language: 'pl' });
  const { user_id } = await join(server);
  const row = await server.perform((tx) => tx.users.get([user_id]));
  expect(row?.settings).toEqual({ default_language: 'pl' });
});

test('4: a snapshot and the events of new defaults give what a fresh register gives, also of who joins then', async () => {
  const server = await startServer({ channels: ['general'] });
  await expectExactAfter(server, async () => {
    await update(server, { ...SOME, email_address_visibility: 5, presence_enabled: false });
    await join(server);
  });
});

test.each([2, 3, 4])('4: and whoever may see the address of a newcomer: %i', async (visibility) => {
  const server = await startServer({ channels: ['general'] });
  const { ada, mel, gus } = server.people;
  await server.set('can_access_all_users_group', systemGroupId('role:members'));
  const people = [ada, mel, gus];
  const after = async () => {
    await update(server, { email_address_visibility: visibility });
    await join(server);
  };
  await expectExactAfter(server, after, { people });
});

test.each<{ params: Params; msg: RegExp }>([
  { params: { twenty_four_hour_time: 'x' }, msg: /^twenty_four_hour_time is not a boolean/ },
  { params: { color_scheme: 9 }, msg: /^Invalid color_scheme/ },
  { params: { web_font_size_px: 5 }, msg: /^web_font_size_px/ },
  { params: { emojiset: 'pencil' }, msg: /^Invalid emojiset/ },
  { params: { default_language: 'tlh' }, msg: /^Invalid default_language/ },
])('is refused, and changes nothing: $params', async ({ params, msg }) => {
  const server = await startServer();
  expect(await update(server, { enter_sends: true, ...params })).toMatchObject({
    status: 400,
    body: { result: 'error', code: 'BAD_REQUEST', msg: expect.stringMatching(msg) },
  });
  const { state } = await server.register(server.people.gus);
  expect(state.realm_user_settings_defaults.enter_sends).toBe(false);
});

test('who somebody is has no default, nor which mails of the server they want', async () => {
  const server = await startServer();
  const params = { enable_login_emails: false, enable_marketing_emails: false, full_name: 'X' };
  expect((await update(server, params)).body).toEqual({
    ...ok,
    ignored_parameters_unsupported: Object.keys(params),
  });
});

test.each<PersonName>(['mia', 'mel', 'gus', 'bot'])('%s may not', async (as) => {
  const server = await startServer();
  expect(await update(server, SOME, as)).toMatchObject({
    status: 400,
    body: { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' },
  });
});
