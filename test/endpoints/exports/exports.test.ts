import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openArchive } from '../../../src/archives/read-archive.ts';
import {
  EXPORT_KEPT_MS,
  EXPORTED_MESSAGES_MAX,
  EXPORTED_UPLOADS_BYTES_MAX,
  EXPORTS_LISTED_MAX,
  EXPORTS_PER_WEEK_MAX,
} from '../../../src/domain/limits/archives.ts';
import * as exports from '../../../src/operations/realm/exports.ts';
import type { WireEvent } from '../../support/client.ts';
import { download, storedFiles } from '../../support/files/uploads.ts';
import { until } from '../../support/realms/full-realm.ts';
import { temporaryFolder } from '../../support/scratch.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const ASKED = Date.UTC(2026, 0, 5, 9, 0, 0) / 1000;

const listed = async (server: TestServer) =>
  (await server.get(server.people.ada, '/export/realm')).body.exports;

/** Waits until no export is under way. */
const settled = (server: TestServer) =>
  until(server, async () => {
    const all = (await listed(server)) as { pending: boolean }[];
    return all.every(({ pending }) => !pending);
  });

test('2.7: an administrator has the organization exported, hears of it, and fetches the archive', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, ada, mel } = server.people;
  const queue = await server.register(ona, { event_types: ['realm_export'] });
  const members = await server.register(mel, { event_types: ['realm_export'] });

  const { body } = await server.post(ada, '/export/realm', { export_type: 1 });
  expect(body).toEqual({ result: 'success', msg: '', id: 1 });
  const pending = {
    id: 1,
    acting_user_id: ada.id,
    export_time: ASKED,
    export_type: 1,
    export_url: null,
    deleted_timestamp: null,
    failed_timestamp: null,
    pending: true,
  };
  expect(await queue.next()).toEqual([
    { id: expect.any(Number), type: 'realm_export', exports: [pending] },
  ]);
  await settled(server);
  const done = {
    ...pending,
    pending: false,
    export_url: expect.stringMatching(/^\/user_uploads\/exports\/[\w-]{43}\/test-2026-01-05\.zip$/),
  };
  expect(await queue.next()).toEqual([
    { id: expect.any(Number), type: 'realm_export', exports: [done] },
  ]);
  const [one] = await listed(server);
  expect(one).toEqual(done);
  expect(await members.now()).toEqual([]);

  const { status, headers, bytes } = await download(server, one.export_url);
  expect([status, headers['content-type'], headers['content-disposition']]).toEqual([
    200,
    'application/zip',
    expect.stringMatching(/^attachment; filename="test-2026-01-05.zip"/),
  ]);
  const file = join(temporaryFolder(), 'fetched.zip');
  writeFileSync(file, bytes);
  const archive = await openArchive(file);
  expect(archive.manifest).toMatchObject({ kind: 'public', realm: { id: 1, string_id: 'test' } });
  archive.close();
  expect(server.bugs).toEqual([]);
});

test('2.7: a deleted archive is gone; that there was one stays on the list', async () => {
  const server = await startServer();
  const { ada } = server.people;
  await server.post(ada, '/export/realm', { export_type: 2 });
  await settled(server);
  const [{ export_url: url }] = await listed(server);
  const queue = await server.register(ada, { event_types: ['realm_export'] });

  const { body } = await server.delete(ada, '/export/realm/1');
  expect(body).toEqual({ result: 'success', msg: '' });
  const deleted = {
    id: 1,
    acting_user_id: ada.id,
    export_time: ASKED,
    export_type: 2,
    export_url: null,
    deleted_timestamp: expect.any(Number),
    failed_timestamp: null,
    pending: false,
  };
  expect(await queue.next()).toMatchObject([{ type: 'realm_export', exports: [deleted] }]);
  expect(await listed(server)).toEqual([deleted]);
  expect((await download(server, url)).status).toBe(404);
  await until(server, async () => storedFiles(server.data).length === 0);
});

test('an archive that nobody deletes is deleted when its time is over', async () => {
  const server = await startServer();
  await server.post(server.people.ada, '/export/realm');
  await settled(server);
  await server.leap(EXPORT_KEPT_MS - 10_000);
  expect(await listed(server)).toMatchObject([{ deleted_timestamp: null }]);
  await server.leap(20_000);
  await until(server, async () => (await listed(server))[0].deleted_timestamp !== null);
  await until(server, async () => storedFiles(server.data).length === 0);
});

test.each([
  { why: 'there is none', id: 7, msg: 'Invalid data export ID' },
  { why: 'it is being made', id: 1, msg: 'Export still in progress' },
  { why: 'it failed', id: 2, msg: 'Export failed, nothing to delete' },
  { why: 'it is deleted', id: 3, msg: 'Export already deleted' },
  { why: 'no number', id: 'x', msg: /export_id/ },
])('DELETE is refused and changes nothing: $why', async ({ id, msg }) => {
  const server = await startServer();
  const ended = { type: 1, askedAt: 0, attempts: 1, archive: null, actingUserId: 2 } as const;
  await server.perform((tx) => {
    tx.exports.put([1], { ...ended, failedAt: null, deletedAt: null });
    tx.exports.put([2], { ...ended, failedAt: 5, deletedAt: null });
    tx.exports.put([3], { ...ended, failedAt: null, deletedAt: 5 });
  });
  const before = await listed(server);
  const { status, body } = await server.delete(server.people.ada, `/export/realm/${id}`);
  expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
  expect(body.msg).toMatch(msg);
  expect(await listed(server)).toEqual(before);
});

test.each(['0', '3', '1.5', 'all', '-1', '[]', 'null', '9007199254740993'])(
  'an export is of one type or the other, not %s',
  async (type) => {
    const server = await startServer();
    const { status, body } = await server.post(server.people.ada, '/export/realm', {
      export_type: type,
    });
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(body.msg).toMatch(/export_type/);
    expect(await listed(server)).toEqual([]);
  },
);

test('2.7: five exports in a week, and no more until the first is a week old', async () => {
  const server = await startServer();
  const { ada } = server.people;
  for (let count = 0; count < EXPORTS_PER_WEEK_MAX; count += 1) {
    expect((await server.post(ada, '/export/realm')).status).toBe(200);
    await settled(server);
  }
  const { status, body } = await server.post(ada, '/export/realm');
  expect([status, body]).toEqual([
    400,
    { result: 'error', code: 'BAD_REQUEST', msg: 'Exceeded rate limit.' },
  ]);
  await server.leap(7 * 86_400_000);
  expect((await server.post(ada, '/export/realm')).status).toBe(200);
});

test('2.7: of an organization as large as the bound, and no larger', async () => {
  const server = await startServer();
  const { ada } = server.people;
  const bytes = (count: number) =>
    server.perform((tx) => tx.uploadSpace.put(['space'], { bytes: count, promised: 0 }));
  await bytes(EXPORTED_UPLOADS_BYTES_MAX);
  expect((await server.post(ada, '/export/realm')).status).toBe(200);
  await bytes(EXPORTED_UPLOADS_BYTES_MAX + 1);
  const { status, body } = await server.post(ada, '/export/realm');
  expect([status, body.code, body.msg]).toEqual([
    400,
    'BAD_REQUEST',
    expect.stringMatching(/10 GiB/),
  ]);
});

test('2.7: of so many messages, and no more', async () => {
  const server = await startServer();
  // The number of rows decides; it is pretended, as so many messages take minutes to write.
  const ask = (count: number) =>
    server.perform((tx) => {
      const user = tx.users.get([server.people.ada.id]) ?? expect.fail();
      return exports.request({ ...tx, messages: { ...tx.messages, count: () => count } }, user, 1);
    });
  await expect(ask(EXPORTED_MESSAGES_MAX + 1)).rejects.toThrow(/250000 messages/);
  await expect(ask(EXPORTED_MESSAGES_MAX)).resolves.toBe(1);
});

test('messages are counted as they are, without those that were deleted', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const message = { type: 'stream', to: 'general', topic: 't', content: 'hi' };
  for (let count = 0; count < 3; count += 1) await server.post(mel, '/messages', message);
  await server.delete(server.people.ada, '/messages/2');
  expect(await server.perform((tx) => tx.messages.count())).toBe(2);
});

test('so many exports are listed, and the oldest that is over goes with its archive', async () => {
  const server = await startServer();
  const { ada } = server.people;
  await server.perform((tx) => {
    for (let id = 1; id <= EXPORTS_LISTED_MAX; id += 1) {
      const row = { type: 1, askedAt: 0, attempts: 1, archive: null, actingUserId: 2 } as const;
      const failedAt = id === 1 ? null : 5;
      tx.exports.put([tx.nextId('export')], { ...row, failedAt, deletedAt: null });
    }
  });
  await server.post(ada, '/export/realm');
  const ids = (await listed(server)).map(({ id }: { id: number }) => id);
  expect(ids).toHaveLength(EXPORTS_LISTED_MAX);
  expect([ids[0], ids[1], ids.at(-1)]).toEqual([1, 3, EXPORTS_LISTED_MAX + 1]);
});

test('an export that a server began too often has failed', async () => {
  const server = await startServer();
  const { ada } = server.people;
  await server.post(ada, '/export/realm');
  await server.perform((tx) => {
    const row = tx.exports.get([1]) ?? expect.fail();
    tx.exports.put([1], { ...row, attempts: 3 });
  });
  await settled(server);
  expect(await listed(server)).toMatchObject([
    { pending: false, export_url: null, failed_timestamp: expect.any(Number) },
  ]);
});

test('an export that goes wrong has failed, and leaves nothing', async () => {
  const server = await startServer();
  const { ada } = server.people;
  await server.perform((tx) => {
    const row = tx.realm.get(['realm']) ?? expect.fail();
    // No operation writes such a row.
    const dateJoined = (2n ** 62n) as never;
    tx.users.put([3], { ...(tx.users.get([3]) ?? expect.fail()), dateJoined });
    return row;
  });
  await server.post(ada, '/export/realm', { export_type: 2 });
  await settled(server);
  expect(await listed(server)).toMatchObject([{ failed_timestamp: expect.any(Number) }]);
  expect(storedFiles(server.data)).toEqual([]);
  expect(server.bugs.splice(0)).toEqual([expect.stringMatching(/an export failed/)]);
});

test('an export that is under way when the server stops is made when it is back', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada } = server.people;
  await server.post(ada, '/export/realm');
  await server.restart(180_000);
  await settled(server);
  const [one] = await listed(server);
  expect((await download(server, one.export_url)).status).toBe(200);
  expect(storedFiles(server.data)).toHaveLength(1);
  expect(server.bugs).toEqual([]);
});

test('2.7: who lets their private data be exported is told to human administrators as it changes', async () => {
  const server = await startServer();
  const { ona, ada, mel, gus, max } = server.people;
  const consents = async () =>
    (await server.get(ada, '/export/realm/consents')).body.export_consents as object[];
  const people = [ona, ada, server.people.mia, mel, max, gus];
  expect(await consents()).toEqual(people.map(({ id }) => ({ user_id: id, consented: false })));

  const types = { event_types: ['realm_export_consent'] };
  const { body: made } = await server.post(ada, '/bots', {
    full_name: 'Watcher',
    short_name: 'watcher',
  });
  await server.patch(ona, `/bots/${made.user_id}`, { role: 200 });
  const watcher = {
    id: made.user_id,
    email: 'watcher-bot@test.localhost',
    fullName: 'Watcher',
    apiKey: made.api_key,
  };
  const queues = await Promise.all(
    [ona, ada, mel, watcher].map((person) => server.register(person, types)),
  );
  const known = new Map(
    (await consents()).map((one) => [(one as { user_id: number }).user_id, one]),
  );
  const apply = ({ user_id, consented }: WireEvent) => known.set(user_id, { user_id, consented });

  await server.patch(mel, '/settings', { allow_private_data_export: true });
  await server.delete(ada, `/users/${max.id}`);
  known.delete(max.id);
  await server.post(ada, `/users/${max.id}/reactivate`);
  await server.patch(gus, '/settings', { allow_private_data_export: false });

  const [owner, administrator, member, bot] = queues;
  const heard = (await owner?.now()) ?? [];
  expect(heard).toMatchObject([
    { type: 'realm_export_consent', user_id: mel.id, consented: true },
    { type: 'realm_export_consent', user_id: max.id, consented: false },
  ]);
  expect(await administrator?.now()).toEqual(heard);
  expect(await member?.now()).toEqual([]);
  expect(await bot?.now()).toEqual([]);
  for (const event of heard) apply(event);
  const byId = (one: object, other: object) =>
    (one as { user_id: number }).user_id - (other as { user_id: number }).user_id;
  expect([...known.values()].sort(byId)).toEqual((await consents()).sort(byId));
});

test('a link that was never given out, and one with another name, lead nowhere or to the archive alone', async () => {
  const server = await startServer();
  await server.post(server.people.ada, '/export/realm');
  await settled(server);
  const [{ export_url: url }] = await listed(server);
  expect((await download(server, url.replace('test-', 'x-'))).status).toBe(200);
  for (const path of [
    '/user_uploads/exports/',
    '/user_uploads/exports/x/test.zip',
    `/user_uploads/exports/${'A'.repeat(43)}/test.zip`,
    url.slice(0, -30),
  ]) {
    expect([path, (await download(server, path)).status]).toEqual([path, 404]);
  }
});
