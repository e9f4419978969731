import sharp from 'sharp';
import { expect, test } from 'vitest';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { gif, png, seen } from '../../support/files/images.ts';
import { download, storedFiles, type UploadedPart, uploadTo } from '../../support/files/uploads.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

const ok = { result: 'success', msg: '' };

const add = async (
  server: TestServer,
  name: string,
  { as = 'mel', ...part }: Partial<UploadedPart> & { as?: PersonName } = {},
) =>
  uploadTo(server, server.people[as], `/realm/emoji/${encodeURIComponent(name)}`, {
    content: await png(30, 20),
    filename: 'cat.png',
    ...part,
  });

const emojiOf = async ({ get, people }: TestServer) =>
  (await get(people.gus, '/realm/emoji')).body.emoji;

const source = (id: number, type = 'png') =>
  expect.stringMatching(`^/user_avatars/1/emoji/images/${id}-[\\w-]{20,}\\.${type}$`);

test('a member adds an emoji and takes it back, and everyone hears of all of them', async () => {
  const server = await startServer();
  const { mel, gus } = server.people;
  const queue = await server.register(gus, { event_types: ['realm_emoji'] });
  expect((await add(server, ' green mog ')).body).toEqual(ok);
  const cat = {
    id: '1',
    name: 'green_mog',
    source_url: source(1),
    still_url: null,
    deactivated: false,
    author_id: mel.id,
  };
  expect(await emojiOf(server)).toEqual({ 1: cat });
  expect((await server.register(gus)).state.realm_emoji).toEqual({ 1: cat });
  expect((await server.delete(mel, '/realm/emoji/green_mog')).body).toEqual(ok);
  // The name is free again.
  expect((await add(server, 'green_mog', { as: 'max' })).body).toEqual(ok);
  const former = { ...cat, deactivated: true };
  const next = { ...cat, id: '2', source_url: source(2), author_id: server.people.max.id };
  const event = { id: expect.any(Number), type: 'realm_emoji', op: 'update' };
  expect(await queue.now()).toEqual([
    { ...event, realm_emoji: { 1: cat } },
    { ...event, realm_emoji: { 1: former } },
    { ...event, realm_emoji: { 1: former, 2: next } },
  ]);
});

test('an emoji is used in messages and reactions, and shown after it was taken back', async () => {
  const server = await startServer({ channels: ['general'] });
  const { post, get, people } = server;
  await add(server, 'mog');
  const { source_url } = (await emojiOf(server))[1];
  const message = { type: 'channel', to: 'general', topic: 'tea', content: ':mog:' };
  const { id } = (await post(people.max, '/messages', message)).body;
  const { body } = await get(people.max, `/messages/${id}`);
  expect(body.message.content).toBe(
    `<p><img alt=":mog:" class="emoji" src="${source_url}" title="mog"></p>`,
  );
  expect((await post(people.max, `/messages/${id}/reactions`, { emoji_name: 'mog' })).status).toBe(
    200,
  );
  await server.delete(people.ada, '/realm/emoji/mog');
  expect((await post(people.mel, '/messages', message)).status).toBe(200);
  expect((await download(server, source_url)).status).toBe(200);
});

test('an image is drawn anew, and anybody may see it', async () => {
  const server = await startServer();
  const photo = await sharp(await png(300, 200))
    .withExif({ IFD0: { Copyright: 'secret' } })
    .jpeg()
    .toBuffer();
  await add(server, 'mog', { content: photo, filename: 'cat.html', contentType: 'text/html' });
  const { source_url } = (await emojiOf(server))[1];
  const { status, headers, bytes } = await download(server, source_url);
  expect({ status, headers }).toMatchObject({
    status: 200,
    headers: {
      'content-type': 'image/png',
      'content-disposition': expect.stringMatching(/^inline; filename="1.png"/),
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/sandbox/),
    },
  });
  expect(await seen(bytes)).toEqual({
    format: 'png',
    width: 64,
    height: 64,
    pages: 1,
    hasExif: false,
  });
  expect(bytes.includes('secret')).toBe(false);
});

test('one that moves has an image that does not', async () => {
  const server = await startServer();
  await add(server, 'jig', { content: await gif(40, 20, 3) });
  const emoji = (await emojiOf(server))[1];
  expect(emoji).toMatchObject({ source_url: source(1, 'webp'), still_url: source(1) });
  const moving = await download(server, emoji.source_url);
  expect(moving.headers['content-type']).toBe('image/webp');
  expect(await seen(moving.bytes)).toMatchObject({ width: 64, height: 64, pages: 3 });
  const still = await download(server, emoji.still_url);
  expect(await seen(still.bytes)).toMatchObject({ format: 'png', width: 64, height: 64, pages: 1 });
});

test('4: a snapshot and the events of emoji give what a fresh register gives, for everybody', async () => {
  const server = await startServer();
  await add(server, 'mog');
  await expectExactAfter(server, async () => {
    await add(server, 'rex', { as: 'ada' });
    await server.delete(server.people.mel, '/realm/emoji/mog');
  });
});

test('after a restart the images are still there', async () => {
  const server = await startServer();
  await add(server, 'mog');
  const { source_url } = (await emojiOf(server))[1];
  await server.restart();
  expect((await download(server, source_url)).status).toBe(200);
  expect(storedFiles(server.data)).toHaveLength(1);
});

test.each([
  { name: 'Cat', msg: /lowercase English letters/ },
  { name: 'käse', msg: /lowercase English letters/ },
  { name: 'a.b', msg: /lowercase English letters/ },
  { name: 'mog_', msg: /^Emoji names must end/ },
  { name: 'mog-', msg: /^Emoji names must end/ },
  { name: ' ', msg: /^Emoji name is missing/ },
  { name: 'x'.repeat(101), msg: /^Emoji name is too long/ },
  { name: 'mog', msg: /already exists/ },
  { name: 'tada', msg: /^Only administrators/ },
])('the name is refused, and nothing stored: $name', async ({ name, msg }) => {
  const server = await startServer();
  await add(server, 'mog');
  expect(await add(server, name)).toMatchObject({
    status: 400,
    body: { result: 'error', code: 'BAD_REQUEST', msg: expect.stringMatching(msg) },
  });
  expect(Object.keys(await emojiOf(server))).toEqual(['1']);
  expect(storedFiles(server.data)).toHaveLength(1);
});

test('a name is as long as the bound; an administrator takes that of a built-in emoji', async () => {
  const server = await startServer();
  expect((await add(server, 'x'.repeat(100))).status).toBe(200);
  expect((await add(server, 'tada', { as: 'ada' })).status).toBe(200);
});

test.each<{ why: string; part: Partial<UploadedPart>; code?: string; msg: RegExp }>([
  { why: 'a text', part: { content: 'hello' }, code: 'BAD_IMAGE', msg: /^Could not decode/ },
  {
    why: 'a drawing',
    part: { content: '<svg xmlns="http://www.w3.org/2000/svg"/>' },
    code: 'BAD_IMAGE',
    msg: /./,
  },
  { why: 'nothing', part: { content: '' }, code: 'BAD_IMAGE', msg: /./ },
  { why: 'no file', part: { filename: null }, msg: /^You must specify a file/ },
  { why: 'too much', part: { content: Buffer.alloc(5 * 1024 * 1024 + 1) }, msg: /limit of 5 MiB/ },
  { why: 'far too much', part: { content: Buffer.alloc(7 * 1024 * 1024) }, msg: /limit of 5 MiB/ },
])('a file is refused, and nothing stored: $why', async ({ part, code = 'BAD_REQUEST', msg }) => {
  const server = await startServer();
  expect(await add(server, 'mog', part)).toMatchObject({
    status: 400,
    body: { result: 'error', code, msg: expect.stringMatching(msg) },
  });
  expect(await emojiOf(server)).toEqual({});
  expect(storedFiles(server.data)).toEqual([]);
});

test('half an image, a huge one, and what is no upload at all', async () => {
  const server = await startServer();
  const { post, people } = server;
  const whole = await png(300, 300);
  expect((await add(server, 'mog', { content: whole.subarray(0, 100) })).body.code).toBe(
    'BAD_IMAGE',
  );
  // Few bytes that stand for sixty million pixels.
  expect((await add(server, 'mog', { content: await png(8_000, 7_500) })).body.code).toBe(
    'BAD_IMAGE',
  );
  expect(await post(people.mel, '/realm/emoji/mog', { file: 'x' })).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'You must upload exactly one file.' },
  });
  const two = { content: whole };
  const path = '/realm/emoji/mog';
  expect((await uploadTo(server, people.mel, path, two, two)).body.msg).toMatch(/one file/);
  expect(storedFiles(server.data)).toEqual([]);
});

test('who may add emoji is set by the organization; guests never may', async () => {
  const server = await startServer();
  const refused = { status: 400, body: { code: 'BAD_REQUEST', msg: 'Insufficient permission' } };
  expect(await add(server, 'mog', { as: 'gus' })).toMatchObject(refused);
  await server.set('can_add_custom_emoji_group', systemGroupId('role:moderators'));
  expect(await add(server, 'mog')).toMatchObject(refused);
  expect((await add(server, 'mog', { as: 'mia' })).status).toBe(200);
});

test('an emoji is taken back by administrators and whoever added it', async () => {
  const server = await startServer();
  const { max, mia, ada } = server.people;
  await add(server, 'mog');
  for (const person of [max, mia]) {
    expect(await server.delete(person, '/realm/emoji/mog')).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST', msg: 'Must be an organization administrator or emoji author' },
    });
  }
  expect((await server.delete(ada, '/realm/emoji/mog')).body).toEqual(ok);
  for (const name of ['mog', 'rex']) {
    expect(await server.delete(ada, `/realm/emoji/${name}`)).toMatchObject({
      status: 404,
      body: { code: 'BAD_REQUEST', msg: `Emoji '${name}' does not exist` },
    });
  }
});

test('an organization has so many emoji, and no more', async () => {
  const server = await startServer();
  await server.perform((tx) => tx.sequences.put(['realmEmoji'], { last: 2_999 }));
  expect((await add(server, 'mog')).status).toBe(200);
  expect((await add(server, 'rex')).body.msg).toMatch(/at most 3000/);
});

test.each([
  '/user_avatars/2/emoji/images/1-x',
  '/user_avatars/1/emoji/images/1-aaaaaaaaaaaaaaaaaaaaaaaaaa.png',
  '/user_avatars/1/emoji/images/../../uploads',
  '/user_avatars/1/realm/icon-aaaaaaaaaaaaaaaaaaaaaaaaaa.png',
  '/user_avatars/',
])('there is nothing at %s', async (path) => {
  const server = await startServer();
  await add(server, 'mog');
  expect((await download(server, path)).status).toBe(404);
});

test('what somebody uploaded is not found under the name of an image', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await add(server, 'mog');
  const { body } = await uploadTo(server, mel, '/user_uploads', { content: 'hello' });
  const [, , , folder, file] = body.url.split('/');
  for (const label of ['1', 'icon']) {
    const place = label === '1' ? 'emoji/images' : 'realm';
    const path = `/user_avatars/1/${place}/${label}-${folder}${file}.png`;
    expect((await download(server, path)).status).toBe(404);
  }
});
