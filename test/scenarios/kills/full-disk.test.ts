import { join } from 'node:path';
import { expect, test } from 'vitest';
import { canMount, mountSmallDisk } from '../../support/files/small-disk.ts';
import { TUS, tus } from '../../support/files/tus.ts';
import { upload } from '../../support/files/uploads.ts';
import { startProcess } from '../../support/processes/start-process.ts';
import { startServer } from '../../support/start-server.ts';

const GIB = 1024 ** 3;
const TOLD = {
  result: 'error',
  code: 'STORAGE_FULL',
  msg: 'The disk of the server is nearly full: until there is space, it only reads and deletes',
};
const MESSAGE = { type: 'channel', to: 'general', topic: 't' };

test('a disk that is nearly full refuses what takes space, and reading, queues and deleting go on', async () => {
  const disk = openDisk();
  const server = await startServer({ channels: ['general'], statfs: disk.statfs });
  const { mel, ona } = server.people;
  const queue = await server.register(mel, { event_types: ['message', 'delete_message'] });
  const sent = await server.post(mel, '/messages', { ...MESSAGE, content: 'before' });
  await queue.next();

  disk.free = 100_000_000;
  await pass(server);
  expect(await server.post(mel, '/messages', { ...MESSAGE, content: 'x' })).toMatchObject({
    status: 507,
    body: TOLD,
  });
  expect((await upload(server, mel, { content: 'text' })).body).toEqual(TOLD);
  const begun = await tus(server.app.port, {
    method: 'POST',
    path: TUS,
    as: mel,
    headers: { 'upload-length': '10' },
  });
  expect(begun).toMatchObject({ status: 507, body: TOLD });
  const socket = await server.socket(mel);
  socket.send({ type: 'request', id: 1, method: 'POST', path: '/messages', params: MESSAGE });
  expect(await socket.frame('reply')).toMatchObject({ id: 1, status: 507, body: TOLD });

  expect((await server.get(mel, '/messages', NEWEST)).body.messages).toHaveLength(1);
  await server.register(mel);
  const parked = queue.next();
  expect((await server.delete(ona, `/messages/${sent.body.id}`)).status).toBe(200);
  expect(await parked).toMatchObject([{ type: 'delete_message' }]);
  expect((await server.post(null, '/messages', MESSAGE)).status).toBe(401);

  disk.free = GIB;
  await pass(server);
  expect((await server.post(mel, '/messages', { ...MESSAGE, content: 'after' })).status).toBe(200);
  expect((await upload(server, mel, { content: 'text' })).status).toBe(200);
});

test('a scheduled message waits until there is space, and is sent then', async () => {
  const disk = openDisk();
  const server = await startServer({ channels: ['general'], statfs: disk.statfs });
  const { mel } = server.people;
  const channel = (await server.get(mel, '/get_stream_id', { stream: 'general' })).body.stream_id;
  const at = Math.floor(server.clock.now() / 1_000) + 60;
  const scheduled = { type: 'channel', to: channel, topic: 't', content: 'later' };
  await server.post(mel, '/scheduled_messages', { ...scheduled, scheduled_delivery_timestamp: at });
  disk.free = 100_000_000;
  await pass(server);
  await server.advance(120_000);
  expect((await server.get(mel, '/messages', NEWEST)).body.messages).toHaveLength(0);
  disk.free = GIB;
  await pass(server);
  await expect
    .poll(async () => {
      await server.advance(1_000);
      return (await server.get(mel, '/messages', NEWEST)).body.messages.length;
    })
    .toBe(1);
});

test('with hardly a byte left nothing is written at all, and reading goes on over a restart', async () => {
  const disk = openDisk();
  const server = await startServer({ channels: ['general'], statfs: disk.statfs });
  const { mel } = server.people;
  const queue = await server.register(mel);
  await server.post(mel, '/messages', { ...MESSAGE, content: 'before' });
  disk.free = 1_000;
  await server.restart();
  expect((await server.get(mel, '/messages', NEWEST)).body.messages).toHaveLength(1);
  expect((await server.post(mel, '/register')).body).toEqual(TOLD);
  expect(await server.queue(mel, queue.id, queue.lastEventId).now()).not.toEqual([]);
  disk.free = GIB;
  await pass(server);
  expect((await server.post(mel, '/messages', { ...MESSAGE, content: 'x' })).status).toBe(200);
});

/** This test needs the right to mount a file system, which most containers do not give. */
test.runIf(canMount)(
  '8: on a disk that is really full the process stops and says why, starts read-only, and has lost nothing',
  async () => {
    const disk = mountSmallDisk(64);
    const env = { CONFAB_DATA: join(disk.path, 'data') };
    const server = await startProcess(env);
    const mel = server.people['mel'] ?? expect.fail();
    const send = (content: string) => server.post(mel, '/messages', { ...MESSAGE, content });
    const acknowledged: number[] = [];
    disk.fill(0);
    for (let isUp = true; isUp; ) {
      isUp = await send('x'.repeat(9_000)).then(
        ({ body }) => {
          acknowledged.push(body.id);
          return true;
        },
        () => false,
      );
    }
    expect(await server.ended()).toEqual({ code: 1, signal: null });
    expect(server.stderr()).toMatch(
      /"code":"ENOSPC","reason":".*[Nn]o space .*a commit did not reach the disk/,
    );

    const watched = await startProcess({ ...env, CONFAB_MIN_FREE_MIB: '8' });
    expect(await watched.post(mel, '/messages', { ...MESSAGE, content: 'x' })).toMatchObject({
      status: 507,
      body: TOLD,
    });
    const { messages } = (await watched.get(mel, '/messages', NEWEST)).body;
    const ids = new Set(messages.map(({ id }: { id: number }) => id));
    expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
    disk.empty();
    await expect
      .poll(
        async () => (await watched.post(mel, '/messages', { ...MESSAGE, content: 'x' })).status,
        { timeout: 8_000 },
      )
      .toBe(200);
    await watched.end('SIGKILL');
  },
  30_000,
);

const NEWEST = { anchor: 'newest', num_before: 1_000, num_after: 0 };

function openDisk() {
  const disk = {
    free: GIB,
    statfs: async () => ({ bsize: 1, blocks: 2 * GIB, bfree: disk.free, bavail: disk.free }),
  };
  return disk;
}

type Server = Awaited<ReturnType<typeof startServer>>;

/** Lets time pass until somebody has looked at the disk. */
async function pass(server: Server) {
  server.clock.advance(6_000);
  await new Promise(setImmediate);
}
