import { expect, test } from 'vitest';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { png, seen } from '../../support/files/images.ts';
import { download, storedFiles, type UploadedPart, uploadTo } from '../../support/files/uploads.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const MIB = 1024 * 1024;

const FIELDS = [
  { field: 'full_name', content: 'Bée', filename: null },
  { field: 'short_name', content: 'bee', filename: null },
  { field: 'payload_url', content: `"https://a.example/${'x'.repeat(300)}"`, filename: null },
  { field: 'bot_type', content: '3', filename: null },
];

const create = (server: TestServer, as: Person, ...more: UploadedPart[]) =>
  uploadTo(server, as, '/bots', ...FIELDS, ...more);

test('a bot may come with an image of it', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  const [own, other] = [await server.register(mel), await server.register(max)];
  const { body } = await create(server, mel, { field: 'file', content: await png(700, 600) });
  expect(body).toMatchObject({ result: 'success', avatar_url: expect.stringMatching(/\?v=1$/) });
  expect(body.ignored_parameters_unsupported).toBe(undefined);
  const { location } = (await download(server, body.avatar_url)).headers;
  expect(location).toMatch(/^\/user_avatars\/1\/people\/8-/);
  const { bytes } = await download(server, String(location));
  expect(await seen(bytes)).toMatchObject({ format: 'png', width: 100, height: 100 });
  expect(storedFiles(server.data)).toHaveLength(2);
  const person = (await own.now()).find(({ type }) => type === 'realm_user');
  expect(person?.['person']).toMatchObject({
    full_name: 'Bée',
    avatar_url: body.avatar_url,
  });
  const bots = (events: readonly { type: string }[]) =>
    events.filter(({ type }) => type === 'realm_bot');
  expect(bots(await other.now())).toEqual([]);
  const listed = (await server.get(mel, '/bots')).body.bots;
  expect(listed).toMatchObject([{ full_name: 'Bée', avatar_url: body.avatar_url }]);
});

test('4: a snapshot and the events of a bot with an image give what a fresh register gives', async () => {
  const server = await startServer();
  await expectExactAfter(server, async () => {
    await create(server, server.people.mel, { content: await png(20, 20) });
  });
});

test('a form without a file, or with an empty file input, makes a bot without an image', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const { body } = await create(server, mel, { content: '', filename: '' });
  expect((await download(server, body.avatar_url)).headers.location).not.toMatch(/user_avatars/);
  expect(storedFiles(server.data)).toEqual([]);
});

test.each<{
  why: string;
  files: () => Promise<UploadedPart[]>;
  as?: 'gus' | 'mel';
  code: string;
  msg: RegExp;
}>([
  {
    why: 'what is no image',
    files: async () => [{ content: 'GIF89a?' }],
    code: 'BAD_IMAGE',
    msg: /decode/,
  },
  {
    why: 'two files',
    files: async () => [{ content: await png(8, 8) }, { content: await png(8, 8) }],
    code: 'BAD_REQUEST',
    msg: /one file/,
  },
  {
    why: 'more than 5 MiB',
    files: async () => [{ content: Buffer.concat([await png(8, 8), Buffer.alloc(5 * MIB)]) }],
    code: 'BAD_REQUEST',
    msg: /larger than/,
  },
  {
    why: 'a name that is taken',
    files: async () => [
      { field: 'full_name', content: 'Test Bot', filename: null },
      { content: await png(8, 8) },
    ],
    code: 'BAD_REQUEST',
    msg: /in use/,
  },
  {
    why: 'a type that is none',
    files: async () => [
      { field: 'bot_type', content: '9', filename: null },
      { content: await png(8, 8) },
    ],
    code: 'BAD_REQUEST',
    msg: /bot_type/,
  },
  {
    why: 'a guest',
    files: async () => [{ content: await png(8, 8) }],
    as: 'gus',
    code: 'BAD_REQUEST',
    msg: /./,
  },
])('no bot is made, and nothing is kept: $why', async ({ files, as = 'mel', code, msg }) => {
  const server = await startServer();
  const before = (await server.get(server.people.ona, '/users')).body.members.length;
  const reply = await create(server, server.people[as], ...(await files()));
  expect(reply).toMatchObject({ status: 400, body: { code, msg: expect.stringMatching(msg) } });
  expect((await server.get(server.people.ona, '/users')).body.members).toHaveLength(before);
  expect(storedFiles(server.data)).toEqual([]);
  expect(server.bugs).toEqual([]);
});

test('where nobody may make bots no image is looked at', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await server.set('can_create_bots_group', { direct_members: [], direct_subgroups: [] });
  const reply = await create(server, mel, { content: 'no image' });
  expect(reply.body).toMatchObject({ code: 'BAD_REQUEST', msg: 'Insufficient permission' });
});
