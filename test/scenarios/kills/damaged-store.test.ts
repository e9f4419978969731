import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { checkStore, StoreDamaged } from '../../../storage/pages/store-check.ts';
import { openClient } from '../../support/client.ts';
import { launch } from '../../support/processes/start-process.ts';
import { startServer } from '../../support/start-server.ts';

const PAGE = 4_096;

test('a store that is whole is opened, whatever is in it', async () => {
  const { server, store } = await stoppedServer();
  expect(() => checkStore(store)).not.toThrow();
  await server.start();
  expect((await server.get(server.people.mel, '/messages', NEWEST)).body.messages).toHaveLength(20);
});

test('a store cut off at any place is told, and none that is cut ends the process', async () => {
  const { store } = await stoppedServer();
  const file = join(store, 'data.mdb');
  const bytes = readFileSync(file);
  const pages = bytes.length / PAGE;
  for (const length of [0, 1, 24, 100, PAGE - 1, PAGE, PAGE + 60, 2 * PAGE, 3 * PAGE + 7]) {
    refuses(store, bytes.subarray(0, length));
  }
  for (let kept = 4; kept < pages - 1; kept += 7) refuses(store, bytes.subarray(0, kept * PAGE));
  writeFileSync(file, bytes);
  expect(() => checkStore(store)).not.toThrow();
});

test.each([0, 1])(
  'page %i, zeroed or with any bit of what it says turned, is told',
  async (page) => {
    const { store } = await stoppedServer();
    const bytes = readFileSync(join(store, 'data.mdb'));
    const zeroed = Buffer.from(bytes);
    zeroed.fill(0, page * PAGE, (page + 1) * PAGE);
    refuses(store, zeroed);
    // The number of the page, its kind, the magic number, version, page size, root, last page and
    // commit.
    for (const offset of [0, 18, 24, 28, 48, 24 + 112, 24 + 128]) {
      const turned = Buffer.from(bytes);
      const at = page * PAGE + offset;
      turned[at] = (turned[at] ?? 0) ^ (offset === 24 + 112 ? 0x80 : 0x01);
      if (page === newest(bytes) || offset !== 24 + 112) refuses(store, turned);
    }
  },
);

test('a store of yesterday is told by what was noted beside it, and so are a missing one and that of another realm', async () => {
  const { server, store } = await stoppedServer();
  const old = readFileSync(join(store, 'data.mdb'));
  await server.start();
  await server.post(server.people.mel, '/messages', { ...MESSAGE, content: 'one more' });
  await server.stop();
  writeFileSync(join(store, 'data.mdb'), old);
  expect(() => checkStore(store)).toThrow(/is older than it was/);
  rmSync(join(store, 'data.mdb'));
  expect(() => checkStore(store)).toThrow(
    /data\.mdb is damaged and left as it is: the file is missing/,
  );
});

test('a realm whose store is damaged is not served, and the others are', async () => {
  const server = await startServer({ channels: ['general'] });
  const other = await server.addRealm('other');
  await server.stop();
  const [first, second] = ['1', '2'].map((id) => join(server.data, 'realms', id));
  const file = join(first ?? '', 'data.mdb');
  const size = readFileSync(file).length;
  truncateSync(file, size - 8 * PAGE);
  const before = readFileSync(file);
  await server.start();
  const reply = await server.post(server.people.mel, '/messages', MESSAGE);
  expect(reply).toMatchObject({ status: 503, body: { code: 'REALM_NOT_SERVED', result: 'error' } });
  expect((await server.get(null, '/server_settings')).status).toBe(503);
  expect((await server.request('GET', '/events?queue_id=x&last_event_id=1')).status).toBe(503);
  expect((await other.get(other.admin, '/users/me')).status).toBe(200);
  expect(await runCommand(server.app.realms, 'realm list', {})).toEqual([
    { realm_id: 2, realm: 'other' },
    {
      realm_id: 1,
      realm: 'test',
      is_served: false,
      reason: expect.stringMatching(
        /realms\/1\/data\.mdb is damaged .* the file (has|ends at) \d+ bytes/,
      ),
    },
  ]);
  await expect(runCommand(server.app.realms, 'user list', { realm: 'test' })).rejects.toThrow(
    /is damaged/,
  );
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(server.bugs.join('')).toMatch(/a realm is not served/);

  await server.stop();
  cpSync(join(second ?? '', 'data.mdb'), file);
  rmSync(join(first ?? '', 'store.json'));
  await server.start();
  expect(server.app.realms.unserved()).toMatchObject([
    { id: 1, reason: expect.stringMatching(/it is the store of realm 2, not of 1/) },
  ]);
});

test('a server of nothing but a damaged realm starts, makes no other in its place, and is not ended by a signal', async () => {
  const { server, store } = await stoppedServer();
  const file = join(store, 'data.mdb');
  truncateSync(file, readFileSync(file).length - 8 * PAGE);
  const running = launch({ CONFAB_DATA: server.data, CONFAB_PORT: '0', CONFAB_DEMO: '1' });
  const port = await running.port;
  const reply = await fetch(`http://127.0.0.1:${port}/api/v1/server_settings`);
  expect(await reply.json()).toMatchObject({ code: 'REALM_NOT_SERVED' });
  expect(existsSync(join(server.data, 'realms', '2'))).toBe(false);
  running.process.kill('SIGTERM');
  expect(await running.exit).toEqual({ code: 0, signal: null });
});

test('a realm whose folder is gone is missed by its name, and its number is not given again', async () => {
  const server = await startServer({ channels: ['general'] });
  const other = await server.addRealm('other');
  await server.stop();
  rmSync(join(server.data, 'realms', '2'), { recursive: true });
  await server.start();
  const reply = await other.get(other.admin, '/users/me');
  expect(reply).toMatchObject({ status: 503, body: { code: 'REALM_NOT_SERVED' } });
  expect((await server.get(server.people.mel, '/users/me')).status).toBe(200);
  expect(await runCommand(server.app.realms, 'realm list', {})).toMatchObject([
    { realm_id: 1, realm: 'test' },
    { realm_id: 2, realm: 'other', is_served: false, reason: expect.stringMatching(/is missing/) },
  ]);
  const made = await runCommand(server.app.realms, 'realm create', { name: 'third' });
  expect(made).toEqual([{ realm_id: 3, realm: 'third' }]);
  await expect(runCommand(server.app.realms, 'realm create', { name: 'other' })).rejects.toThrow(
    /already/,
  );
  await server.stop();
  // A realm that was removed on purpose is taken from the list.
  const list = join(server.data, 'realms.json');
  const { realms } = JSON.parse(readFileSync(list, 'utf8')) as { realms: { id: number }[] };
  expect(realms.map(({ id }) => id)).toEqual([1, 2, 3]);
  writeFileSync(list, JSON.stringify({ realms: realms.filter(({ id }) => id !== 2) }));
  await server.start();
  expect(server.app.realms.unserved()).toEqual([]);
});

test('a server whose realms are all gone makes no new one in their place', async () => {
  const { server } = await stoppedServer();
  rmSync(join(server.data, 'realms'), { recursive: true });
  const running = launch({ CONFAB_DATA: server.data, CONFAB_PORT: '0', CONFAB_DEMO: '1' });
  const port = await running.port;
  const reply = await fetch(`http://127.0.0.1:${port}/api/v1/server_settings`);
  expect(await reply.json()).toMatchObject({ code: 'REALM_NOT_SERVED' });
  expect(readdirSync(join(server.data, 'realms'))).toEqual([]);
  running.process.kill('SIGTERM');
  expect(await running.exit).toEqual({ code: 0, signal: null });
});

test('a realm whose lock file cannot be opened does not end the process, and the others are served', async () => {
  const server = await startServer({ channels: ['general'] });
  const other = await server.addRealm('other');
  await server.stop();
  const lock = join(server.data, 'realms', '1', 'lock.mdb');
  rmSync(lock);
  mkdirSync(lock);
  const running = launch({ CONFAB_DATA: server.data, CONFAB_PORT: '0', CONFAB_DEMO: '0' });
  const client = openClient(() => port, 'other.localhost');
  const port = await running.port;
  expect((await client.get(other.admin, '/users/me')).status).toBe(200);
  expect(running.stderr()).toMatch(/a realm is not served/);
  expect(running.stderr()).toMatch(/lock\.mdb is no file/);
  running.process.kill('SIGTERM');
  expect(await running.exit).toEqual({ code: 0, signal: null });
});

const NEWEST = { anchor: 'newest', num_before: 1_000, num_after: 0 };
const MESSAGE = { type: 'channel', to: 'general', topic: 't', content: 'x' };

/** A server that has stopped, and the folder of its realm. */
async function stoppedServer() {
  const server = await startServer({ channels: ['general'] });
  for (let sent = 0; sent < 20; sent += 1) {
    await server.post(server.people.mel, '/messages', { ...MESSAGE, content: 'x'.repeat(900) });
  }
  await server.stop();
  return { server, store: join(server.data, 'realms', '1') };
}

function refuses(store: string, bytes: Buffer) {
  writeFileSync(join(store, 'data.mdb'), bytes);
  expect(() => checkStore(store)).toThrow(StoreDamaged);
}

const newest = (bytes: Buffer) =>
  bytes.readBigUInt64LE(24 + 128) > bytes.readBigUInt64LE(PAGE + 24 + 128) ? 0 : 1;
