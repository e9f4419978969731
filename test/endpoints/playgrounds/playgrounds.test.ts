import { expect, test } from 'vitest';
import { expectExactAfter } from '../../support/applying/follow.ts';
import type { Params } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

const ok = { result: 'success', msg: '' };
const RUST = {
  name: 'Rust playground',
  pygments_language: 'Rust',
  url_template: 'https://play.example.com/?code={code}',
};

const add = (server: TestServer, params: Params = {}, as: PersonName = 'ada') =>
  server.post(server.people[as], '/realm/playgrounds', { ...RUST, ...params });

test('an administrator adds and removes playgrounds, and everyone hears of all of them', async () => {
  const server = await startServer();
  const { ada, gus } = server.people;
  const queue = await server.register(gus, { event_types: ['realm_playgrounds'] });
  expect((await add(server, { name: ` ${RUST.name} ` })).body).toEqual({ ...ok, id: 1 });
  const other = { name: 'Other', url_template: 'https://example.com/{+code}' };
  expect((await add(server, other)).body).toEqual({ ...ok, id: 2 });
  const [first, second] = [
    { id: 1, ...RUST },
    { id: 2, ...RUST, ...other },
  ];
  expect((await server.register(gus)).state.realm_playgrounds).toEqual([first, second]);
  expect((await server.delete(ada, '/realm/playgrounds/1')).body).toEqual(ok);
  const event = { id: expect.any(Number), type: 'realm_playgrounds' };
  expect(await queue.now()).toEqual([
    { ...event, realm_playgrounds: [first] },
    { ...event, realm_playgrounds: [first, second] },
    { ...event, realm_playgrounds: [second] },
  ]);
});

test('4: a snapshot and the events of playgrounds give what a fresh register gives, for everybody', async () => {
  const server = await startServer();
  await add(server);
  await expectExactAfter(server, async () => {
    await add(server, { name: 'Other' });
    await server.delete(server.people.ada, '/realm/playgrounds/1');
  });
});

test.each<{ params: Params; msg: RegExp }>([
  { params: { name: ' ' }, msg: /^name cannot be blank/ },
  { params: { name: 'x'.repeat(61) }, msg: /^name is too long/ },
  { params: { name: 'a\0b' }, msg: /^Invalid character in name/ },
  { params: { pygments_language: '' }, msg: /^pygments_language cannot be blank/ },
  { params: { pygments_language: 'x'.repeat(41) }, msg: /^pygments_language is too long/ },
  { params: { pygments_language: '<b>' }, msg: /^Invalid characters in pygments language/ },
  { params: { url_template: 'https://example.com/{' }, msg: /^Invalid URL template/ },
  { params: { url_template: 'javascript:{code}' }, msg: /^Invalid URL template/ },
  { params: { url_template: '{code}' }, msg: /^Invalid URL template/ },
  { params: { url_template: 'https://example.com/' }, msg: /^Missing the required variable/ },
  { params: { url_template: 'https://e.com/{code}{x}' }, msg: /^"code" should be the only/ },
  { params: { url_template: `https://e.com/{code}${'x'.repeat(2000)}` }, msg: /is too long/ },
  { params: {}, msg: /already/ },
])('adding is refused: $params', async ({ params, msg }) => {
  const server = await startServer();
  await add(server);
  expect(await add(server, params)).toMatchObject({
    status: 400,
    body: { result: 'error', code: 'BAD_REQUEST', msg: expect.stringMatching(msg) },
  });
  const { state } = await server.register(server.people.ada);
  expect(state.realm_playgrounds).toHaveLength(1);
});

test.each(Object.keys(RUST))('%s is required', async (name) => {
  const server = await startServer();
  expect(await add(server, { [name]: undefined })).toMatchObject({
    status: 400,
    body: { code: 'REQUEST_VARIABLE_MISSING', var_name: name },
  });
});

test('an organization has so many playgrounds, of names as long as the bound, and no more', async () => {
  const server = await startServer();
  const longest = { name: 'é'.repeat(60), pygments_language: 'x'.repeat(40) };
  expect((await add(server, longest)).status).toBe(200);
  for (let index = 1; index < 100; index += 1) await add(server, { name: `number ${index}` });
  expect(await add(server)).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: expect.stringMatching(/at most 100/) },
  });
});

test.each(['99', '-1'])('a playground that is not there is not removed: %s', async (id) => {
  const server = await startServer();
  expect(await server.delete(server.people.ada, `/realm/playgrounds/${id}`)).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'Invalid playground' },
  });
});

test.each<PersonName>(['mia', 'mel', 'gus'])('%s may not', async (as) => {
  const server = await startServer();
  await add(server);
  const refused = { status: 400, body: { code: 'UNAUTHORIZED_PRINCIPAL' } };
  expect(await add(server, { name: 'Other' }, as)).toMatchObject(refused);
  expect(await server.delete(server.people[as], '/realm/playgrounds/1')).toMatchObject(refused);
});
