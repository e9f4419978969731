import { expect, test } from 'vitest';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { gif, png, seen } from '../../support/files/images.ts';
import { download, storedFiles, type UploadedPart, uploadTo } from '../../support/files/uploads.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

const ok = { result: 'success', msg: '' };

const send = async (
  server: TestServer,
  path: string,
  { as = 'ada', ...part }: Partial<UploadedPart> & { as?: PersonName } = {},
) =>
  uploadTo(server, server.people[as], path, {
    content: await png(400, 300),
    filename: 'x.png',
    ...part,
  });

async function untilCarried(server: TestServer) {
  await server.advance(1);
  const countEntries = () => server.perform((tx) => [...tx.outbox.keys({})].length);
  while ((await countEntries()) > 0) await new Promise((resolve) => setImmediate(resolve));
}

const pathOf = (url: string) => new URL(url).pathname;

test.each([
  { image: 'icon', path: '/realm/icon', query: {}, builtIn: 'realm-icon', none: 'G' },
  { image: 'logo', path: '/realm/logo', query: { night: false }, builtIn: 'realm-logo', none: 'D' },
  {
    image: 'night_logo',
    path: '/realm/logo',
    query: { night: true },
    builtIn: 'realm-night-logo',
    none: 'D',
  },
])('an administrator sets the $image and takes it back', async (given) => {
  const { image, path, query, builtIn, none } = given;
  const server = await startServer();
  const { ada, gus } = server.people;
  const queue = await server.register(gus, { event_types: ['realm'] });
  const isLogo = 'night' in query;
  const { body } = await send(server, isLogo ? `${path}?night=${query.night}` : path);
  const { [`${image}_url`]: url } = body;
  expect(body).toEqual({ ...ok, [`${image}_url`]: url, [`${image}_source`]: 'U' });
  expect((await server.get(gus, path, query)).body).toEqual(body);
  const shown = await download(server, pathOf(url));
  expect(shown).toMatchObject({
    status: 200,
    headers: { 'content-type': 'image/png', 'x-content-type-options': 'nosniff' },
  });
  const size = isLogo ? { width: 133, height: 100 } : { width: 200, height: 200 };
  expect(await seen(shown.bytes)).toMatchObject({ format: 'png', pages: 1, ...size });

  const again = await send(server, isLogo ? `${path}?night=${query.night}` : path);
  const next = again.body[`${image}_url`];
  expect(next).not.toBe(url);
  // An outbox entry removes the former one.
  expect((await download(server, pathOf(url))).status).toBe(404);
  await untilCarried(server);
  expect(storedFiles(server.data)).toHaveLength(1);

  const back = await server.delete(ada, path, query);
  const stock = expect.stringMatching(`^http://.*/static/${builtIn}\\.png$`);
  expect(back.body).toEqual({ ...ok, [`${image}_url`]: stock, [`${image}_source`]: none });
  expect((await server.delete(ada, path, query)).body).toEqual(back.body);
  const event = { id: expect.any(Number), type: 'realm', op: 'update_dict', property: image };
  expect(await queue.now()).toEqual([
    { ...event, data: { [`${image}_url`]: url, [`${image}_source`]: 'U' } },
    { ...event, data: { [`${image}_url`]: next, [`${image}_source`]: 'U' } },
    { ...event, data: { [`${image}_url`]: stock, [`${image}_source`]: none } },
  ]);
});

test('4: a snapshot and the events of images give what a fresh register gives, for everybody', async () => {
  const server = await startServer();
  const { ada } = server.people;
  await send(server, '/realm/icon');
  await expectExactAfter(server, async () => {
    await send(server, '/realm/logo?night=true');
    await send(server, '/realm/logo?night=false');
    await server.delete(ada, '/realm/icon');
    await server.delete(ada, '/realm/logo', { night: true });
  });
});

test('the login page of a client shows the icon', async () => {
  const server = await startServer();
  const { icon_url } = (await send(server, '/realm/icon')).body;
  expect((await server.get(null, '/server_settings')).body.realm_icon).toBe(icon_url);
});

test('`night` may be a field of the form; what moves is still; a small logo stays small', async () => {
  const server = await startServer();
  const { ada } = server.people;
  const night = { field: 'night', filename: null, content: 'true' };
  const image = { content: await gif(40, 20, 3), filename: 'x.gif' };
  const { body } = await uploadTo(server, ada, '/realm/logo', night, image);
  expect(body).toMatchObject({ night_logo_source: 'U' });
  const { bytes } = await download(server, pathOf(body.night_logo_url));
  expect(await seen(bytes)).toMatchObject({ format: 'png', width: 40, height: 20, pages: 1 });
});

test.each<{ part: Partial<UploadedPart>[]; path: string; code: string; msg: RegExp }>([
  { part: [{ content: 'x' }], path: '/realm/icon', code: 'BAD_IMAGE', msg: /^Could not decode/ },
  { part: [{ content: 'x' }], path: '/realm/logo?night=true', code: 'BAD_IMAGE', msg: /./ },
  { part: [{}], path: '/realm/logo', code: 'REQUEST_VARIABLE_MISSING', msg: /'night'/ },
  { part: [{}], path: '/realm/logo?night=1', code: 'BAD_REQUEST', msg: /^night is not a boolean/ },
  {
    part: [{ field: 'night', filename: null, content: 'x'.repeat(200) }, {}],
    path: '/realm/logo',
    code: 'BAD_REQUEST',
    msg: /^night is not a boolean/,
  },
  {
    part: [{ content: Buffer.alloc(5 * 1024 * 1024 + 1) }],
    path: '/realm/icon',
    code: 'BAD_REQUEST',
    msg: /limit of 5 MiB/,
  },
])('is refused, and nothing stored: $path $code', async ({ part, path, code, msg }) => {
  const server = await startServer();
  const content = await png(40, 30);
  const parts = part.map((one) => ({ content, filename: 'x.png', ...one }));
  expect(await uploadTo(server, server.people.ada, path, ...parts)).toMatchObject({
    status: 400,
    body: { result: 'error', code, msg: expect.stringMatching(msg) },
  });
  expect(storedFiles(server.data)).toEqual([]);
});

test.each(['get', 'delete'] as const)(
  'a logo is named when it is asked for: %s',
  async (method) => {
    const server = await startServer();
    expect(await server[method](server.people.ada, '/realm/logo')).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'night' },
    });
  },
);

test.each<PersonName>(['mia', 'mel', 'gus'])('%s sets no image', async (as) => {
  const server = await startServer();
  const refused = { status: 400, body: { code: 'UNAUTHORIZED_PRINCIPAL' } };
  expect(await send(server, '/realm/icon', { as })).toMatchObject(refused);
  expect(await send(server, '/realm/logo?night=true', { as })).toMatchObject(refused);
  expect(await server.delete(server.people[as], '/realm/icon')).toMatchObject(refused);
  expect(await server.delete(server.people[as], '/realm/logo', { night: true })).toMatchObject(
    refused,
  );
});
