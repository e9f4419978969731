import { expect, test } from 'vitest';
import {
  NAVIGATION_FRAGMENT_LENGTH_MAX,
  NAVIGATION_NAME_LENGTH_MAX,
  NAVIGATION_VIEWS_PER_USER_MAX,
} from '../../../src/domain/limits/accounts.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { startServer } from '../../support/start-server.ts';

const VIEWS = '/navigation_views';
const STARRED = 'narrow/is/starred';
const ALERTED = { fragment: 'narrow/is/alerted', is_pinned: false, name: 'Alerts' };

test('a built-in view is customised and a custom one made, for oneself alone', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  const [own, other] = await Promise.all([server.register(mel), server.register(max)]);
  expect((await server.get(mel, VIEWS)).body).toEqual(success({ navigation_views: [] }));
  const inbox = { fragment: ' inbox ', is_pinned: true };
  expect((await server.post(mel, VIEWS, inbox)).body).toEqual(success());
  expect((await server.post(mel, VIEWS, { ...ALERTED, name: ' Alerts ' })).body).toEqual(success());

  const built = { fragment: 'inbox', is_pinned: true, name: null };
  const { body } = await server.get(mel, VIEWS);
  expect(body).toEqual(success({ navigation_views: [built, ALERTED] }));
  expect(await own.now()).toEqual(
    [built, ALERTED].map((navigation_view) => ({
      id: expect.any(Number),
      type: 'navigation_view',
      op: 'add',
      navigation_view,
    })),
  );
  expect(await other.now()).toEqual([]);
  expect((await server.get(max, VIEWS)).body.navigation_views).toEqual([]);
});

test.each([
  { path: `${VIEWS}/narrow/is/alerted`, spelt: 'as it is' },
  { path: `${VIEWS}/narrow%2Fis%2Falerted`, spelt: 'with its slashes encoded' },
])('a view is changed and removed by its fragment, $spelt', async ({ path }) => {
  const server = await startServer();
  const { mel } = server.people;
  await server.post(mel, VIEWS, ALERTED);
  const queue = await server.register(mel);
  const change = { is_pinned: true, name: 'Loud' };
  expect((await server.patch(mel, path, change)).body).toEqual(success());
  expect((await server.patch(mel, path, change)).body).toEqual(success());
  expect((await server.patch(mel, path, { name: 'Louder' })).body).toEqual(success());
  expect((await server.get(mel, VIEWS)).body.navigation_views).toEqual([
    { ...ALERTED, is_pinned: true, name: 'Louder' },
  ]);
  expect((await server.delete(mel, path)).body).toEqual(success());
  const { fragment } = ALERTED;
  const event = { id: expect.any(Number), type: 'navigation_view', fragment };
  expect(await queue.now()).toEqual([
    { ...event, op: 'update', data: change },
    { ...event, op: 'update', data: { name: 'Louder' } },
    { ...event, op: 'remove' },
  ]);
});

test('4: a snapshot and the events give what a fresh register gives', async () => {
  const server = await startServer();
  const { mel, gus } = server.people;
  await expectExactAfter(server, async () => {
    await server.post(mel, VIEWS, ALERTED);
    await server.post(mel, VIEWS, { fragment: STARRED, is_pinned: true });
    await server.post(gus, VIEWS, { fragment: 'feed', is_pinned: true });
    await server.patch(mel, `${VIEWS}/${STARRED}`, { is_pinned: false });
    await server.patch(mel, `${VIEWS}/${ALERTED.fragment}`, { name: 'Loud' });
    await server.delete(gus, `${VIEWS}/feed`);
  });
});

test.each([
  {
    why: 'a name on a built-in view',
    params: { fragment: STARRED, is_pinned: true, name: 'x' },
    msg: 'Built-in views cannot have a custom name.',
  },
  {
    why: 'no name on a custom one',
    params: { fragment: 'x', is_pinned: true },
    msg: 'Custom views must have a valid name.',
  },
  {
    why: 'a fragment that is used',
    params: { ...ALERTED, name: 'Other' },
    msg: 'Navigation view already exists.',
  },
  {
    why: 'a name that is used',
    params: { ...ALERTED, fragment: 'other' },
    msg: 'Navigation view name already exists.',
  },
  {
    why: 'a blank fragment',
    params: { ...ALERTED, fragment: ' ' },
    msg: 'fragment cannot be blank',
  },
  { why: 'a blank name', params: { ...ALERTED, name: ' ' }, msg: 'name cannot be blank' },
  {
    why: 'pinned that is no boolean',
    params: { ...ALERTED, is_pinned: 'yes' },
    msg: 'is_pinned is not a boolean',
  },
  {
    why: 'a fragment one character too long',
    params: { ...ALERTED, fragment: 'x'.repeat(NAVIGATION_FRAGMENT_LENGTH_MAX + 1) },
    msg: 'fragment is too long',
  },
  {
    why: 'a name one character too long',
    params: { fragment: 'x', is_pinned: true, name: 'x'.repeat(NAVIGATION_NAME_LENGTH_MAX + 1) },
    msg: 'name is too long',
  },
])('adding is refused: $why', async ({ params, msg }) => {
  const server = await startServer();
  const { mel } = server.people;
  await server.post(mel, VIEWS, ALERTED);
  const { status, body } = await server.post(mel, VIEWS, params);
  expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
  expect((await server.get(mel, VIEWS)).body.navigation_views).toEqual([ALERTED]);
});

test.each(['fragment', 'is_pinned'])('adding needs %s', async (name) => {
  const server = await startServer();
  const { [name as 'fragment']: _, ...params } = ALERTED;
  const { status, body } = await server.post(server.people.mel, VIEWS, params);
  expect([status, body.code, body.var_name]).toEqual([400, 'REQUEST_VARIABLE_MISSING', name]);
});

test('a change is refused that names a built-in view, or takes the name of another', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await server.post(mel, VIEWS, ALERTED);
  await server.post(mel, VIEWS, { ...ALERTED, fragment: 'other', name: 'Other' });
  await server.post(mel, VIEWS, { fragment: STARRED, is_pinned: true });
  for (const [path, name, msg] of [
    [STARRED, 'x', 'Built-in views cannot have a custom name.'],
    ['other', 'Alerts', 'Navigation view name already exists.'],
    ['other', ' ', 'name cannot be blank'],
  ]) {
    const { status, body } = await server.patch(mel, `${VIEWS}/${path}`, { name });
    expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
  }
  expect((await server.patch(mel, `${VIEWS}/other`, { name: 'Other' })).status).toBe(200);
});

test.each(['nowhere', 'a/b/c', STARRED, 'narrow/is/alerted', 'x'.repeat(5_000), '%00'])(
  'a view that one does not have is not found: %s',
  async (fragment) => {
    const server = await startServer();
    const { mel, max } = server.people;
    await server.post(mel, VIEWS, ALERTED);
    const refusal = {
      result: 'error',
      code: 'NOT_FOUND',
      msg: 'Navigation view does not exist.',
    };
    const path = `${VIEWS}/${fragment}`;
    const changed = await server.patch(max, path, { is_pinned: true });
    expect([changed.status, changed.body]).toEqual([404, refusal]);
    const removed = await server.delete(max, path);
    expect([removed.status, removed.body]).toEqual([404, refusal]);
  },
);

test('a method that a view does not have is answered with those it has', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const { status, body, headers } = await server.get(mel, `${VIEWS}/${STARRED}`);
  expect([status, body.allowed_methods, headers.allow]).toEqual([
    405,
    ['PATCH', 'DELETE'],
    'PATCH, DELETE',
  ]);
  const options = await server.request('OPTIONS', `${VIEWS}/a/b`);
  expect([options.status, options.headers.allow]).toEqual([204, 'PATCH, DELETE, OPTIONS']);
  expect((await server.patch(mel, `${VIEWS}/`)).body.code).toBe('NOT_FOUND');
});

test('an account has so many views and not one more', async () => {
  const server = await startServer();
  const { mel } = server.people;
  for (let n = 1; n <= NAVIGATION_VIEWS_PER_USER_MAX; n++) {
    const view = { fragment: `view/${n}`, is_pinned: true, name: `View ${n}` };
    expect((await server.post(mel, VIEWS, view)).status).toBe(200);
  }
  const { status, body } = await server.post(mel, VIEWS, ALERTED);
  expect([status, body.code, body.msg]).toEqual([
    400,
    'BAD_REQUEST',
    `An account has at most ${NAVIGATION_VIEWS_PER_USER_MAX} navigation views.`,
  ]);
});

test('a fragment may be as long as the bound, in whatever script', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const view = { ...ALERTED, fragment: '語'.repeat(NAVIGATION_FRAGMENT_LENGTH_MAX) };
  expect((await server.post(mel, VIEWS, view)).status).toBe(200);
  const path = `${VIEWS}/${encodeURIComponent(view.fragment)}`;
  expect((await server.patch(mel, path, { is_pinned: true })).status).toBe(200);
});

const success = (fields: object = {}) => ({ result: 'success', msg: '', ...fields });

test('what the path says is said nowhere else: a name of it among the parameters is reported', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await server.post(mel, VIEWS, ALERTED);
  const change = { fragment: 'inbox', is_pinned: true };
  expect((await server.patch(mel, `${VIEWS}/${ALERTED.fragment}`, change)).body).toEqual(
    success({ ignored_parameters_unsupported: ['fragment'] }),
  );
  expect((await server.get(mel, VIEWS)).body.navigation_views).toEqual([
    { ...ALERTED, is_pinned: true },
  ]);
});
