import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { expectExactAfter, MODERN } from '../../support/applying/follow.ts';
import { gif, png, seen } from '../../support/files/images.ts';
import { download, storedFiles, type UploadedPart, uploadTo } from '../../support/files/uploads.ts';
import { openPage } from '../../support/pages/page.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

const ok = { result: 'success', msg: '' };
const PATH = '/users/me/avatar';
const IMAGE = /^\/user_avatars\/1\/people\/4-[\w-]{20,}\.png$/;

const send = async (
  server: TestServer,
  { as = 'mel', ...part }: Partial<UploadedPart> & { as?: PersonName } = {},
) =>
  uploadTo(server, server.people[as], PATH, {
    content: await png(400, 300),
    filename: 'me.png',
    ...part,
  });

/** Returns the address to which a browser is led from the address of a picture. */
async function locationOf({ app }: TestServer, path: string) {
  const { status, headers } = await openPage(`http://test.localhost:${app.port}${path}`, {});
  return { status, location: String(headers.location), cache: headers['cache-control'] };
}

async function untilCarried(server: TestServer) {
  await server.advance(1);
  const countEntries = () => server.perform((tx) => [...tx.outbox.keys({})].length);
  while ((await countEntries()) > 0) await new Promise((resolve) => setImmediate(resolve));
}

const told = (version: number, source: string) => ({
  id: expect.any(Number),
  type: 'realm_user',
  op: 'update',
  person: {
    user_id: 4,
    avatar_url: `/avatar/4?v=${version}`,
    avatar_url_medium: `/avatar/4/medium?v=${version}`,
    avatar_source: source,
    avatar_version: version,
  },
});

test('who uploads an image of themselves is shown by it, until they take it back', async () => {
  const server = await startServer();
  const { mel, gus } = server.people;
  const queue = await server.register(gus, { event_types: ['realm_user'] });
  expect((await send(server)).body).toEqual({ ...ok, avatar_url: '/avatar/4?v=2' });
  expect((await server.get(mel, '/users/me')).body).toMatchObject({
    avatar_url: '/avatar/4?v=2',
    avatar_version: 2,
  });
  expect((await server.register(mel)).state).toMatchObject({
    avatar_url: '/avatar/4?v=2',
    avatar_url_medium: '/avatar/4/medium?v=2',
    avatar_source: 'U',
  });
  expect((await send(server)).body.avatar_url).toBe('/avatar/4?v=3');
  const back = { ...ok, avatar_url: '/avatar/4?v=4' };
  expect((await server.delete(mel, PATH)).body).toEqual(back);
  // There is nothing left to take back.
  expect((await server.delete(mel, PATH)).body).toEqual(back);
  expect((await server.register(mel)).state['avatar_source']).toBe('G');
  expect(await queue.now()).toEqual([told(2, 'U'), told(3, 'U'), told(4, 'G')]);
});

test('the address of an avatar leads anybody to a square that was drawn anew', async () => {
  const server = await startServer();
  const photo = await sharp(await png(300, 200))
    .withExif({ IFD0: { Copyright: 'secret' } })
    .jpeg()
    .toBuffer();
  await send(server, { content: photo, filename: 'me.html', contentType: 'text/html' });
  for (const [path, side] of [
    ['/avatar/4', 100],
    ['/avatar/4/medium', 500],
    ['/avatar/4-medium.png', 500],
  ] as const) {
    const led = await locationOf(server, `${path}?v=2`);
    expect(led).toMatchObject({
      status: 302,
      location: expect.stringMatching(IMAGE),
      cache: 'private, max-age=86400',
    });
    expect((await locationOf(server, `${path}?v=1`)).cache).toBe('private, no-cache');
    const { status, headers, bytes } = await download(server, led.location);
    expect({ status, headers }).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'image/png',
        'content-disposition': expect.stringMatching(/^inline; filename="4.png"/),
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringMatching(/sandbox/),
      },
    });
    expect(await seen(bytes)).toEqual({
      format: 'png',
      width: side,
      height: side,
      pages: 1,
      hasExif: false,
    });
    expect(bytes.includes('secret')).toBe(false);
  }
});

test('what moves is shown still', async () => {
  const server = await startServer();
  expect((await send(server, { content: await gif(40, 20, 3) })).status).toBe(200);
  const { location } = await locationOf(server, '/avatar/4');
  const { bytes } = await download(server, location);
  expect(await seen(bytes)).toMatchObject({ format: 'png', width: 100, height: 100, pages: 1 });
});

test('an image that is replaced or taken back is removed', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await send(server);
  const first = (await locationOf(server, '/avatar/4')).location;
  await send(server);
  const second = (await locationOf(server, '/avatar/4')).location;
  expect(second).not.toBe(first);
  expect((await download(server, first)).status).toBe(404);
  await untilCarried(server);
  expect(storedFiles(server.data)).toHaveLength(2);
  expect((await download(server, second)).status).toBe(200);
  await server.delete(mel, PATH);
  expect((await download(server, second)).status).toBe(404);
  await untilCarried(server);
  expect(storedFiles(server.data)).toEqual([]);
  expect((await locationOf(server, '/avatar/4')).location).toMatch(/^\/static\/avatars\//);
});

test('an uploaded image is never left to the client, in messages as well', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const message = { type: 'channel', to: 'general', topic: 'tea', content: 'hi' };
  const { id } = (await server.post(mel, '/messages', message)).body;
  const computing = { client_gravatar: true };
  const urls = async () => [
    (await server.get(max, '/users/4', computing)).body.user.avatar_url,
    (await server.get(max, `/messages/${id}`)).body.message.avatar_url,
    (
      await server.get(max, '/messages', {
        ...computing,
        anchor: id,
        num_before: 0,
        num_after: 0,
      })
    ).body.messages[0].avatar_url,
    (await server.register(max, computing)).state['realm_users'].find(
      ({ user_id }: { user_id: number }) => user_id === 4,
    ).avatar_url,
  ];
  expect(await urls()).toEqual([null, '/avatar/4?v=1', null, null]);
  const queue = await server.register(max, { ...computing, event_types: ['message'] });
  await send(server);
  await server.post(mel, '/messages', message);
  expect(await urls()).toEqual(Array(4).fill('/avatar/4?v=2'));
  await server.delete(mel, PATH);
  await server.post(mel, '/messages', message);
  expect((await queue.now()).map((event) => event['message'].avatar_url)).toEqual([
    '/avatar/4?v=2',
    null,
  ]);
});

test('a hidden address does not hide an uploaded image, and another address keeps it', async () => {
  const server = await startServer();
  const { mel, ada } = server.people;
  await send(server);
  const { location } = await locationOf(server, '/avatar/4?v=2');
  const queue = await server.register(ada, { event_types: ['realm_user'] });
  await server.patch(mel, '/settings', { email_address_visibility: 4 });
  expect(await queue.now()).toContainEqual(told(3, 'U'));
  expect((await locationOf(server, '/avatar/4?v=3')).location).toBe(location);
});

test('4: a snapshot and the events of avatars give what a fresh register gives, for everybody', async () => {
  const server = await startServer();
  const { max } = server.people;
  await send(server, { as: 'max' });
  const upload = async () => {
    for (const as of ['mel', 'bot', 'gus'] as const) await send(server, { as });
  };
  await expectExactAfter(server, async () => {
    await upload();
    await server.delete(max, PATH);
  });
  // A client that computes addresses is told a path if a picture is gone (docs/decisions/0063); an
  // uploaded picture always has a path.
  await expectExactAfter(server, upload, { options: { ...MODERN, client_gravatar: true } });
});

test('who manages a bot hears of its image', async () => {
  const server = await startServer();
  const { ada, mel, max, bot } = server.people;
  const { bot_owner_id } = (await server.get(ada, `/users/${bot.id}`)).body.user;
  expect(bot_owner_id).not.toBe(max.id);
  const hearing = async (person: typeof ada) =>
    await server.register(person, { event_types: ['realm_bot'] });
  const [admin, other] = [await hearing(ada), await hearing(bot_owner_id === mel.id ? max : mel)];
  const { body } = await send(server, { as: 'bot' });
  const url = `/avatar/${bot.id}?v=2`;
  expect(body.avatar_url).toBe(url);
  expect(await admin.now()).toEqual([
    {
      id: expect.any(Number),
      type: 'realm_bot',
      op: 'update',
      bot: { user_id: bot.id, avatar_url: url },
    },
  ]);
  expect(await other.now()).toEqual([]);
});

test('where avatars are locked, administrators alone change theirs', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await send(server);
  await server.set('avatar_changes_disabled', true);
  const refused = {
    status: 400,
    body: {
      result: 'error',
      code: 'BAD_REQUEST',
      msg: 'Avatar changes are disabled in this organization.',
    },
  };
  const queue = await server.register(mel, { event_types: ['realm_user'] });
  for (const as of ['mia', 'mel', 'gus', 'bot'] as const) {
    expect(await send(server, { as }), as).toMatchObject(refused);
    expect(await server.delete(server.people[as], PATH), as).toMatchObject(refused);
  }
  expect(storedFiles(server.data)).toHaveLength(2);
  expect(await queue.now()).toEqual([]);
  for (const as of ['ona', 'ada'] as const) {
    expect((await send(server, { as })).status, as).toBe(200);
    expect((await server.delete(server.people[as], PATH)).status, as).toBe(200);
  }
});

test.each<{ why: string; parts: Partial<UploadedPart>[]; code?: string; msg: RegExp }>([
  { why: 'a text', parts: [{ content: 'hello' }], code: 'BAD_IMAGE', msg: /^Could not decode/ },
  {
    why: 'a drawing',
    parts: [{ content: '<svg xmlns="http://www.w3.org/2000/svg"/>' }],
    code: 'BAD_IMAGE',
    msg: /./,
  },
  { why: 'nothing', parts: [{ content: '' }], code: 'BAD_IMAGE', msg: /./ },
  { why: 'no file', parts: [{ filename: null }], msg: /^You must specify a file/ },
  { why: 'two files', parts: [{}, {}], msg: /one file at a time/ },
  {
    why: 'too much',
    parts: [{ content: Buffer.alloc(5 * 1024 * 1024 + 1) }],
    msg: /limit of 5 MiB/,
  },
  {
    why: 'far too much',
    parts: [{ content: Buffer.alloc(7 * 1024 * 1024) }],
    msg: /limit of 5 MiB/,
  },
])('is refused, and nothing changed: $why', async ({ parts, code = 'BAD_REQUEST', msg }) => {
  const server = await startServer();
  const { mel } = server.people;
  const content = await png(40, 30);
  const whole = parts.map((part) => ({ content, filename: 'me.png', ...part }));
  expect(await uploadTo(server, mel, PATH, ...whole)).toMatchObject({
    status: 400,
    body: { result: 'error', code, msg: expect.stringMatching(msg) },
  });
  expect(storedFiles(server.data)).toEqual([]);
  expect((await server.get(mel, '/users/me')).body.avatar_version).toBe(1);
});

test('an image of 5 MiB is taken; what is no upload, and half an image, are not', async () => {
  const server = await startServer();
  const { mel } = server.people;
  // The bytes behind the end of a PNG are no part of the image.
  const image = await png(40, 30);
  const content = Buffer.concat([image, Buffer.alloc(5 * 1024 * 1024 - image.length)]);
  expect((await send(server, { content })).status).toBe(200);
  expect(await server.post(mel, PATH, { file: 'x' })).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'You must upload exactly one avatar.' },
  });
  const half = (await png(300, 300)).subarray(0, 100);
  expect((await send(server, { content: half })).body.code).toBe('BAD_IMAGE');
  expect((await server.get(mel, '/users/me')).body.avatar_version).toBe(2);
});

test('after a restart the image is still there, even where its upload looks unfinished', async () => {
  const server = await startServer();
  await send(server);
  const { location } = await locationOf(server, '/avatar/4');
  const files = storedFiles(server.data);
  expect(files).toHaveLength(2);
  // A server that was killed right after the row was written leaves the files like this.
  const incoming = join(server.data, 'realms', '1', 'uploads', 'incoming');
  for (const file of files) writeFileSync(join(incoming, file.replace('/', '')), '');
  await server.restart();
  expect((await locationOf(server, '/avatar/4')).location).toBe(location);
  expect((await download(server, location)).status).toBe(200);
  expect(storedFiles(server.data)).toEqual(files);
});

test('an image is found under its own name alone', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const file = (await uploadTo(server, mel, '/user_uploads', { content: 'hello' })).body.url;
  const place = file.split('/').slice(3, 5).join('');
  await send(server);
  const { location } = await locationOf(server, '/avatar/4');
  for (const path of [
    location.replace('/4-', '/5-'),
    location.replace('/4-', '/99-'),
    location.replace('/4-', '/icon-'),
    location.replace('.png', '.webp'),
    location.replace('/1/people', '/2/people'),
    location.replace('people', 'realm'),
    location.replace('people', 'emoji/images'),
    `/user_avatars/1/people/4-${place}.png`,
    '/user_avatars/1/people/4-aaaaaaaaaaaaaaaaaaaaaaaaaa.png',
  ]) {
    expect((await download(server, path)).status, path).toBe(404);
  }
});
