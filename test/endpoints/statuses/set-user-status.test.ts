import { expect, test } from 'vitest';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import * as customEmoji from '../../../src/operations/files/custom-emoji.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

const CAT = { emoji_name: 'cat', emoji_code: '1f431', reaction_type: 'unicode_emoji' };

test('an administrator sets a status, and every open queue hears of what changed', async () => {
  const server = await startServer();
  const { ada, mel, max, gus } = server.people;
  const queues = await Promise.all([mel, max, gus].map((as) => server.register(as, KINDS)));
  const change = { status_text: ' on leave ', emoji_name: 'cat', hue: 'red' };
  const reply = await server.post(ada, `/users/${mel.id}/status`, change);
  expect([reply.status, reply.body]).toEqual([
    200,
    { result: 'success', msg: '', ignored_parameters_unsupported: ['hue'] },
  ]);
  await server.post(ada, `/users/${mel.id}/status`, { status_text: 'back soon', ...CAT });
  await server.post(ada, `/users/${mel.id}/status`, { status_text: 'back soon', ...CAT });
  await server.post(ada, `/users/${mel.id}/status`, { emoji_name: '', emoji_code: '' });
  for (const queue of queues) {
    expect((await queue.now()).map(({ id, ...event }) => event)).toEqual([
      { type: 'user_status', user_id: mel.id, status_text: 'on leave', ...CAT },
      { type: 'user_status', user_id: mel.id, status_text: 'back soon' },
      {
        type: 'user_status',
        user_id: mel.id,
        emoji_name: '',
        emoji_code: '',
        reaction_type: '',
      },
    ]);
  }
  const { body } = await server.get(gus, `/users/${mel.id}/status`);
  expect(body.status).toEqual({ status_text: 'back soon' });
});

test('an empty text clears it, and with the emoji the whole status', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await server.post(mel, '/users/me/status', { status_text: 'lunch', emoji_name: 'cat' });
  await server.post(mel, '/users/me/status', { status_text: '' });
  expect((await server.get(mel, '/users/4/status')).body.status).toEqual(CAT);
  const cleared = { status_text: '  ', emoji_name: '', emoji_code: '', reaction_type: '' };
  await server.post(mel, '/users/me/status', cleared);
  expect((await server.get(mel, '/users/4/status')).body.status).toEqual({});
  expect((await server.register(mel)).state.user_status).toEqual({});
});

test('away is the older name of being invisible', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  const theirs = await server.register(max, KINDS);
  const { status } = await server.post(mel, '/users/me/status', { away: true });
  expect(status).toBe(200);
  expect((await theirs.now()).map(({ id, ...event }) => event)).toEqual([
    { type: 'user_status', user_id: mel.id, away: true },
  ]);
  const own = await server.register(mel, MODERN_SETTINGS);
  expect(own.state.user_settings.presence_enabled).toBe(false);
  expect(own.state.user_status).toEqual({ 4: { away: true } });
  expect((await server.get(max, '/users/4/status')).body.status).toEqual({ away: true });
  await server.post(mel, '/users/me/status', { away: false, status_text: 'here' });
  expect((await server.get(max, '/users/4/status')).body.status).toEqual({ status_text: 'here' });
});

test('an emoji is of one of three namespaces, custom ones first', async () => {
  const server = await startServer({ env: { CONFAB_ALIAS_PREFIX: 'acme' } });
  const { mel } = server.people;
  await server.perform((tx) => {
    const row = { authorId: 1, fileName: 'x.png', stillFileName: null };
    customEmoji.store(tx, { ...row, id: 1, name: 'cat', isDeactivated: false });
    customEmoji.store(tx, { ...row, id: 2, name: 'old', isDeactivated: true });
  });
  const custom = { emoji_name: 'cat', emoji_code: '1', reaction_type: 'realm_emoji' };
  const extra = { emoji_name: 'acme', emoji_code: 'acme', reaction_type: 'acme_extra_emoji' };
  const queue = await server.register(mel, { event_types: ['user_status'] });
  const given = async (params: object) => {
    const reply = await server.post(mel, '/users/me/status', { ...params });
    if (reply.status !== 200) return reply.body.msg;
    return (await server.get(mel, '/users/4/status')).body.status;
  };
  expect(await given({ emoji_name: 'cat' })).toEqual(custom);
  expect(await given({ emoji_name: 'cat', reaction_type: 'unicode_emoji' })).toEqual(CAT);
  expect(await given(CAT)).toEqual(CAT);
  expect(await given({ emoji_name: 'cat', emoji_code: '1' })).toEqual(custom);
  expect(await given({ emoji_name: 'service' })).toEqual(extra);
  expect((await queue.now()).at(-1)).toMatchObject(extra);
  expect(await given(extra)).toEqual(extra);
  expect((await server.register(mel)).state.user_status).toEqual({ 4: extra });
  expect(await given({ ...custom, emoji_code: '3' })).toBe('Invalid custom emoji.');
  expect(await given({ ...custom, emoji_name: 'dog' })).toBe('Invalid custom emoji name.');
  const old = { emoji_name: 'old', emoji_code: '2', reaction_type: 'realm_emoji' };
  expect(await given(old)).toBe('This custom emoji has been deactivated.');
  expect(await given({ ...extra, emoji_code: 'x' })).toBe('Invalid emoji code.');
  expect(await given({ ...extra, emoji_name: 'cat' })).toBe('Invalid emoji name.');
});

interface Refused {
  readonly why: string;
  readonly as?: PersonName;
  readonly path?: string;
  readonly params: Record<string, unknown>;
  readonly msg: string;
}

test.each<Refused>([
  {
    why: 'a member may not',
    as: 'mia',
    params: { status_text: 'x' },
    msg: 'Must be an organization administrator',
  },
  { why: 'nothing to change', params: {}, msg: 'Client did not pass any new values.' },
  {
    why: 'a text too long',
    params: { status_text: 'x'.repeat(61) },
    msg: 'status_text is too long (limit: 60 characters)',
  },
  {
    why: 'a text with a null byte',
    params: { status_text: 'a\0b' },
    msg: 'status_text must not contain null bytes',
  },
  {
    why: 'a code without a name',
    params: { status_text: 'x', emoji_code: '1f431' },
    msg: 'Client must pass emoji_name if they pass either emoji_code or reaction_type.',
  },
  {
    why: 'a type without a name',
    params: { reaction_type: 'unicode_emoji' },
    msg: 'Client must pass emoji_name if they pass either emoji_code or reaction_type.',
  },
  { why: 'no such emoji', params: { emoji_name: 'nono' }, msg: "Emoji 'nono' does not exist" },
  {
    why: 'a code that is none',
    params: { emoji_name: 'cat', emoji_code: 'zz' },
    msg: 'Invalid emoji code.',
  },
  {
    why: 'a name of another code',
    params: { emoji_name: 'cat', emoji_code: '1f642' },
    msg: 'Invalid emoji name.',
  },
  {
    why: 'a type that is none',
    params: { emoji_name: 'cat', reaction_type: 'emoji' },
    msg: 'Invalid emoji type.',
  },
  {
    why: 'a bot',
    path: '/users/7/status',
    params: { status_text: 'x' },
    msg: 'No such user',
  },
  {
    why: 'nobody',
    path: '/users/99/status',
    params: { status_text: 'x' },
    msg: 'No such user',
  },
  {
    why: 'no number',
    path: '/users/mel/status',
    params: { status_text: 'x' },
    msg: 'user_id is not an integer',
  },
  {
    why: 'a bot sets its own',
    as: 'bot',
    path: '/users/me/status',
    params: { status_text: 'x' },
    msg: 'This endpoint does not accept bot requests.',
  },
  {
    why: 'away is no boolean',
    path: '/users/me/status',
    params: { away: 'yes' },
    msg: 'away is not a boolean',
  },
])('is refused: $why', async ({ as = 'ada', path = '/users/4/status', params, msg }) => {
  const server = await startServer();
  const reply = await server.post(server.people[as], path, params);
  expect([reply.status, reply.body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
  expect((await server.register(server.people.ada)).state.user_status).toEqual({});
});

test('sixty characters are not too long, whatever their size', async () => {
  const server = await startServer();
  const status_text = '🐈'.repeat(60);
  const reply = await server.post(server.people.ada, '/users/4/status', { status_text });
  expect(reply.status).toBe(200);
  expect((await server.get(server.people.mel, '/users/4/status')).body.status).toEqual({
    status_text,
  });
});

test('who is deactivated has no status that could be read or set, and is in no snapshot', async () => {
  const server = await startServer();
  const { ada, mel } = server.people;
  await server.post(mel, '/users/me/status', { status_text: 'gone' });
  await deactivate(server, mel.id);
  for (const reply of [
    await server.post(ada, '/users/4/status', { status_text: 'x' }),
    await server.get(ada, '/users/4/status'),
  ]) {
    expect(reply.body).toMatchObject({ code: 'BAD_REQUEST', msg: 'User is deactivated' });
  }
  expect((await server.register(ada)).state.user_status).toEqual({});
});

test('a snapshot and the events of a status give what a fresh register gives', async () => {
  const server = await startServer();
  const { ada, mel, gus } = server.people;
  await expectExactAfter(server, async () => {
    await server.post(ada, `/users/${gus.id}/status`, { status_text: 'x', emoji_name: 'cat' });
    await server.post(mel, '/users/me/status', { status_text: 'y', away: true });
    await server.post(mel, '/users/me/status', { status_text: '' });
    await server.post(ada, '/users/me/status', { away: true });
    await server.post(ada, '/users/me/status', { away: false });
    await server.post(ada, `/users/${gus.id}/status`, { status_text: '' });
  });
});

test('a guest who may not know of somebody hears nothing of their status', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada, mel, gus } = server.people;
  await server.set('can_access_all_users_group', systemGroupId('role:members'));
  await server.delete(gus, '/users/me/subscriptions', { subscriptions: ['general'] });
  const queue = await server.register(gus, KINDS);
  await server.post(ada, `/users/${mel.id}/status`, { status_text: 'hidden' });
  await server.post(ada, `/users/${gus.id}/status`, { status_text: 'own' });
  expect((await queue.now()).map((event) => event['status_text'])).toEqual(['own']);
  expect(Object.keys((await server.register(gus)).state.user_status)).toEqual([String(gus.id)]);
  const { body } = await server.get(gus, `/users/${mel.id}/status`);
  expect(body).toMatchObject({ code: 'BAD_REQUEST', msg: 'No such user' });
});

const KINDS = { event_types: ['user_status'] };
const MODERN_SETTINGS = {
  client_capabilities: { notification_settings_null: true, user_settings_object: true },
};

const deactivate = (server: TestServer, userId: number) =>
  server.perform((tx) => {
    const user = tx.users.get([userId]) ?? expect.fail('there is the user');
    tx.users.put([userId], { ...user, isActive: false });
  });
