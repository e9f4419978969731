import { expect, test } from 'vitest';
import {
  CHANNEL_FOLDER_DESCRIPTION_LENGTH_MAX,
  CHANNEL_FOLDER_NAME_LENGTH_MAX,
  CHANNEL_FOLDERS_MAX,
} from '../../../src/domain/limits/channels.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import type { Params, TestQueue } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

const PATH = '/channel_folders';
const SUCCESS = { result: 'success', msg: '' };

const listOf = async (server: TestServer, as: PersonName, params: Params = {}) =>
  (await server.get(server.people[as], PATH, params)).body.channel_folders;

const create = (server: TestServer, params: Params, as: PersonName = 'ona') =>
  server.post(server.people[as], `${PATH}/create`, params);

async function created(server: TestServer, name: string, params: Params = {}): Promise<number> {
  const { body } = await create(server, { name, ...params });
  expect(body).toEqual({ ...SUCCESS, channel_folder_id: expect.any(Number) });
  return body.channel_folder_id;
}

const update = (server: TestServer, id: number | string, params: Params) =>
  server.patch(server.people.ona, `${PATH}/${id}`, params);

const eventsOf = async (queue: TestQueue) => (await queue.now()).map(({ id, ...event }) => event);

const refused = ({ status, body }: { status: number; body: object }, msg: string) =>
  expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);

test('folders are made, listed in order to everybody, told to everybody, and in the snapshot', async () => {
  const server = await startServer();
  const { ona, gus } = server.people;
  const queue = await server.register(gus);
  const now = Math.floor(server.clock.now() / 1000);
  const base = { date_created: now, creator_id: ona.id, is_archived: false };
  const given = { name: ' Work ', description: ' **all** of it\n' };
  expect((await create(server, given)).body).toEqual({ ...SUCCESS, channel_folder_id: 1 });
  await created(server, 'Fun');
  const work = {
    ...base,
    id: 1,
    name: 'Work',
    description: '**all** of it',
    rendered_description: '<p><strong>all</strong> of it</p>',
    order: 0,
  };
  const fun = { ...base, id: 2, name: 'Fun', description: '', rendered_description: '', order: 1 };
  expect((await server.get(gus, PATH)).body).toEqual({ ...SUCCESS, channel_folders: [work, fun] });
  expect((await server.register(gus)).state.channel_folders).toEqual([work, fun]);
  expect(await eventsOf(queue)).toEqual([
    { type: 'channel_folder', op: 'add', channel_folder: work },
    { type: 'channel_folder', op: 'add', channel_folder: fun },
  ]);
});

test('a folder is changed, and what changed of it is told; what stays as it was tells nobody', async () => {
  const server = await startServer();
  const id = await created(server, 'Work');
  const queue = await server.register(server.people.mel);
  for (const params of [
    { name: ' WORK ', description: '*x*' },
    { description: 'y' },
    { name: 'WORK', description: ' y ', is_archived: false },
    {},
  ]) {
    expect((await update(server, id, params)).body).toEqual(SUCCESS);
  }
  const event = { type: 'channel_folder', op: 'update', channel_folder_id: id };
  const rendered_description = '<p><em>x</em></p>';
  expect(await eventsOf(queue)).toEqual([
    { ...event, data: { name: 'WORK', description: '*x*', rendered_description } },
    { ...event, data: { description: 'y', rendered_description: '<p>y</p>' } },
  ]);
  expect(await listOf(server, 'mel')).toMatchObject([{ name: 'WORK', description: 'y' }]);
});

test('a folder without channels is archived, and listed to who asks for archived ones; and comes back', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel } = server.people;
  const id = await created(server, 'Work');
  expect((await server.patch(ona, '/streams/1', { folder_id: id })).body).toEqual(SUCCESS);
  const inUse = 'You need to remove all the channels from this folder to archive it.';
  refused(await update(server, id, { is_archived: true }), inUse);
  await server.delete(ona, '/streams/1');
  refused(await update(server, id, { is_archived: true }), inUse);
  await server.patch(ona, '/streams/1', { folder_id: null });

  const queue = await server.register(mel);
  const event = { type: 'channel_folder', op: 'update', channel_folder_id: id };
  expect((await update(server, id, { is_archived: true })).body).toEqual(SUCCESS);
  expect(await eventsOf(queue)).toEqual([{ ...event, data: { is_archived: true } }]);
  expect(await listOf(server, 'mel')).toEqual([]);
  expect(await listOf(server, 'mel', { include_archived: true })).toMatchObject([{ id }]);
  expect((await server.register(mel)).state.channel_folders).toMatchObject([{ is_archived: true }]);
  refused(await server.patch(ona, '/streams/1', { folder_id: id }), 'Invalid channel folder ID');
  refused(await create(server, { name: 'work' }), "Channel folder 'work' already exists");

  expect((await update(server, id, { is_archived: false })).body).toEqual(SUCCESS);
  expect(await eventsOf(queue)).toEqual([{ ...event, data: { is_archived: false } }]);
  expect(await listOf(server, 'mel')).toMatchObject([{ id }]);
});

test('channels are in folders from the start or later, which those are told who know of them', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel } = server.people;
  const id = await created(server, 'Work');
  const queue = await server.register(mel, { event_types: ['stream'] });
  const move = (folder_id: number | null) => server.patch(ona, '/streams/1', { folder_id });
  for (const folder of [id, id, null]) expect((await move(folder)).body).toEqual(SUCCESS);
  const update = { type: 'stream', op: 'update', stream_id: 1, name: 'general' };
  expect(await eventsOf(queue)).toEqual([
    { ...update, property: 'folder_id', value: id },
    { ...update, property: 'folder_id', value: null },
  ]);
  await server.post(mel, '/users/me/subscriptions', {
    subscriptions: [{ name: 'new' }],
    folder_id: id,
  });
  await server.post(mel, '/channels/create', { name: 'newer', subscribers: [], folder_id: id });
  const told = (await eventsOf(queue)).filter(({ op }) => op === 'create');
  const folders = told.map((event) => (event as unknown as Params)['streams']);
  expect(folders).toMatchObject([[{ folder_id: id }], [{ folder_id: id }]]);
  expect((await server.get(mel, '/streams/2')).body.stream.folder_id).toBe(id);
  refused(await move(9), 'Invalid channel folder ID');
  const unknown = { name: 'x', subscribers: [], folder_id: 9 };
  refused(await server.post(mel, '/channels/create', unknown), 'Invalid channel folder ID');
});

test('folders are put into another order by naming each once', async () => {
  const server = await startServer();
  const ids = [];
  for (const name of ['one', 'two', 'three']) ids.push(await created(server, name));
  await update(server, 2, { is_archived: true });
  const queue = await server.register(server.people.gus);
  const reorder = (order: unknown) => server.patch(server.people.ada, PATH, { order });
  expect((await reorder([3, 1, 2])).body).toEqual(SUCCESS);
  expect((await reorder([3, 1, 2])).body).toEqual(SUCCESS);
  expect(await eventsOf(queue)).toEqual([
    { type: 'channel_folder', op: 'reorder', order: [3, 1, 2] },
  ]);
  const all = await listOf(server, 'gus', { include_archived: true });
  expect(all).toMatchObject([
    { id: 3, order: 0 },
    { id: 1, order: 1 },
    { id: 2, order: 2 },
  ]);
  for (const order of [[], [1, 2], [1, 2, 3, 4], [1, 2, 2], [1, 2, 3, 3], [1, 2, 9]]) {
    refused(await reorder(order), 'Invalid order mapping.');
  }
  refused(await reorder('all'), 'order is not valid JSON');
  refused(await reorder(1), 'order is not a list');
  expect(await queue.now()).toEqual([]);
});

test('4: a snapshot and the events give what a fresh register gives', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona } = server.people;
  await created(server, 'one');
  await expectExactAfter(server, async () => {
    const id = await created(server, 'two', { description: '**x**' });
    await server.patch(ona, PATH, { order: [id, 1] });
    await update(server, id, { name: 'three', description: 'y' });
    await server.patch(ona, '/streams/1', { folder_id: id });
    await update(server, 1, { is_archived: true });
    await server.post(ona, '/channels/create', { name: 'new', subscribers: [], folder_id: id });
    await created(server, 'last');
  });
});

const LONG_NAME = 'x'.repeat(CHANNEL_FOLDER_NAME_LENGTH_MAX + 1);
const LONG_DESCRIPTION = 'x'.repeat(CHANNEL_FOLDER_DESCRIPTION_LENGTH_MAX + 1);

test.each([
  { params: { name: ' ' }, msg: "Channel folder name can't be empty." },
  {
    params: { name: LONG_NAME },
    msg: `name is too long (limit: ${CHANNEL_FOLDER_NAME_LENGTH_MAX} characters)`,
  },
  { params: { name: 'a\0b' }, msg: 'Invalid character in channel folder name, at position 2.' },
  { params: { name: 'TAKEN' }, msg: "Channel folder 'TAKEN' already exists" },
  {
    params: { description: LONG_DESCRIPTION },
    msg: `description is too long (limit: ${CHANNEL_FOLDER_DESCRIPTION_LENGTH_MAX} characters)`,
  },
  { params: { description: 'a\0b' }, msg: 'description must not contain null bytes' },
])('is refused, made or changed, and nothing happens: $msg', async ({ params, msg }) => {
  const server = await startServer();
  await created(server, 'taken');
  const id = await created(server, 'other');
  const queue = await server.register(server.people.mel);
  refused(await create(server, { name: 'new', ...params }), msg);
  refused(await update(server, id, params), msg);
  expect(await listOf(server, 'mel')).toMatchObject([{ name: 'taken' }, { name: 'other' }]);
  expect(await queue.now()).toEqual([]);
});

test('what is not there or is no value is refused, and who is no administrator', async () => {
  const server = await startServer();
  refused(await update(server, 9, { name: 'x' }), 'Invalid channel folder ID');
  refused(await update(server, 'x', {}), 'channel_folder_id is not an integer');
  refused(await update(server, 9, { is_archived: 'yes' }), 'is_archived is not a boolean');
  const missing = await create(server, {});
  expect(missing.body).toMatchObject({ code: 'REQUEST_VARIABLE_MISSING', var_name: 'name' });
  const params = { include_archived: 'x' };
  refused(await server.get(server.people.mel, PATH, params), 'include_archived is not a boolean');
  const member = await create(server, { name: 'x' }, 'mia');
  expect([member.status, member.body.code]).toEqual([400, 'UNAUTHORIZED_PRINCIPAL']);
});

test('at the bounds a folder is made, and one more than an organization may have is not', async () => {
  const server = await startServer();
  const id = await created(server, '😀'.repeat(CHANNEL_FOLDER_NAME_LENGTH_MAX), {
    description: '😀'.repeat(CHANNEL_FOLDER_DESCRIPTION_LENGTH_MAX),
  });
  await server.perform((tx) => {
    const row = tx.channelFolders.get([id]) ?? expect.fail();
    for (let order = 1; order < CHANNEL_FOLDERS_MAX - 1; order++) {
      tx.channelFolders.put([order + 1_000], { ...row, name: `folder ${order}`, order });
    }
  });
  await created(server, 'last');
  refused(
    await create(server, { name: 'one more' }),
    `An organization has at most ${CHANNEL_FOLDERS_MAX} channel folders.`,
  );
});

test('folders outlive a restart', async () => {
  const server = await startServer();
  await created(server, 'Work');
  await server.restart();
  expect(await listOf(server, 'mel')).toMatchObject([{ id: 1, name: 'Work' }]);
  expect(await created(server, 'Fun')).toBe(2);
});
