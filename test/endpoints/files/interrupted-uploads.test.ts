import { truncateSync } from 'node:fs';
import type http from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UPLOADS_PER_USER_MAX } from '../../../src/domain/limits/files.ts';
import { uploadsFolder } from '../../support/files/object-service.ts';
import {
  beginSlow,
  gone,
  halfSent,
  rows,
  send,
  sizeOf,
  until,
} from '../../support/files/resumable.ts';
import {
  answerTo,
  beginTus,
  begun,
  offsetOf,
  PART,
  part,
  type TusRequest,
} from '../../support/files/tus.ts';
import { download, storedFiles } from '../../support/files/uploads.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

test('of what comes with the beginning and is refused nothing stays', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  const begin = (as: Person, headers: TusRequest['headers'] = {}) =>
    beginTus(server.app.port, {
      method: 'POST',
      as,
      headers: { ...PART, 'upload-length': '10', ...headers },
    });
  const refused = async (request: http.ClientRequest, body: string) => {
    const answered = answerTo(request);
    request.end(body);
    const { status, body: refusal } = await answered;
    return [status, refusal?.['code']];
  };
  const checked = begin(mel, { 'upload-checksum': `sha1 ${Buffer.alloc(20).toString('base64')}` });
  expect(await refused(checked, 'hello')).toEqual([460, 'RESUMABLE_UPLOAD_REFUSED']);
  await nothing(server);
  const long = begin(mel, { 'transfer-encoding': 'chunked' });
  expect(await refused(long, 'hello and more')).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  await nothing(server);

  const broken = begin(mel);
  broken.on('error', () => undefined);
  broken.setHeader('content-length', '10');
  broken.write('hello');
  await until(() => storedFiles(server.data).length === 1);
  broken.destroy();
  await nothing(server);

  const others = Array.from({ length: UPLOADS_PER_USER_MAX }, () => begin(mel));
  for (const request of others) {
    request.on('error', () => undefined);
    request.setHeader('content-length', '10');
    request.write('hello');
  }
  await until(() => storedFiles(server.data).length === others.length);
  expect(await refused(begin(mel), 'hello')).toEqual([400, 'BAD_REQUEST']);
  expect(await rows(server)).toHaveLength(others.length);
  expect(
    (await send(server, { method: 'POST', as: max, headers: { 'upload-length': '0' } })).status,
  ).toBe(201);
  for (const request of others) request.destroy();
  await expect.poll(() => rows(server)).toHaveLength(1);
  expect(server.bugs).toEqual([]);
});

/** Checks that there is no row, no byte, and no space that is promised. */
async function nothing(server: TestServer) {
  await expect.poll(() => rows(server)).toEqual([]);
  expect(await server.perform((tx) => tx.uploadSpace.get(['space']))).toMatchObject({
    promised: 0,
  });
  await gone(server);
}

test('an upload that is given up leaves nothing', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const { port } = server.app;
  const path = await begun(port, mel, { length: 5 });
  await part(port, mel, { path, offset: 0, body: 'hel' });
  expect(storedFiles(server.data)).toHaveLength(1);
  const removed = await send(server, { method: 'DELETE', path, as: mel });
  expect([removed.status, removed.headers['tus-resumable']]).toEqual([204, '1.0.0']);
  await gone(server);
  expect((await send(server, { method: 'HEAD', path, as: mel })).status).toBe(404);
  expect(await rows(server)).toEqual([]);
});

test('while a part is coming no other is taken, and who asks where it stands ends it', async () => {
  const { server, mel, port, path, slow } = await halfSent();
  const other = await part(port, mel, { path, offset: 0, body: 'HELLO' });
  expect([other.status, other.body?.['code']]).toEqual([423, 'RESUMABLE_UPLOAD_REFUSED']);
  expect(await offsetOf(port, mel, path)).toBe(5);
  expect((await slow.reply).status).toBe(423);
  slow.request.destroy();
  const { body } = await part(port, mel, { path, offset: 5, body: 'world' });
  expect((await download(server, String(body?.['url']), { as: mel })).bytes.toString()).toBe(
    'helloworld',
  );
});

test('who gives an upload up ends the part that is coming', async () => {
  const { server, mel, path, slow } = await halfSent();
  expect((await send(server, { method: 'DELETE', path, as: mel })).status).toBe(204);
  expect((await slow.reply).status).toBe(423);
  slow.request.destroy();
  await gone(server);
});

test('what came of a part that is broken off counts', async () => {
  const { server, mel, port, path, slow } = await halfSent();
  slow.request.destroy();
  expect(await offsetOf(port, mel, path)).toBe(5);
  expect((await rows(server))[0]?.offset).toBe(5);
  const checked = beginSlow(port, {
    path,
    as: mel,
    headers: { 'upload-offset': '5', 'upload-checksum': 'sha1 AAAA' },
  });
  checked.request.write('wor');
  await until(() => sizeOf(server) === 8);
  checked.request.destroy();
  // This part is gone, as it could never be compared with its checksum.
  expect(await offsetOf(port, mel, path)).toBe(5);
});

test('a restart loses nothing that was acknowledged', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const path = await begun(server.app.port, mel, { length: 10, filename: 'a.txt' });
  await part(server.app.port, mel, { path, offset: 0, body: 'hello' });
  await server.restart();
  const { port } = server.app;
  expect(await offsetOf(port, mel, path)).toBe(5);
  const { body } = await part(port, mel, { path, offset: 5, body: 'world' });
  expect(body?.['filename']).toBe('a.txt');
});

test('the disk has the last word on how much there is', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const { port } = server.app;
  const path = await begun(port, mel, { length: 10 });
  await part(port, mel, { path, offset: 0, body: 'hello' });
  const [file = ''] = storedFiles(server.data);
  truncateSync(join(uploadsFolder(server.data), file), 2);
  expect(await offsetOf(port, mel, path)).toBe(2);
  expect((await part(port, mel, { path, offset: 5, body: 'world' })).status).toBe(409);
  const { body } = await part(port, mel, { path, offset: 2, body: 'llo worl' });
  expect((await download(server, String(body?.['url']), { as: mel })).bytes.toString()).toBe(
    'hello worl',
  );
});

test('a part that is on its way while the server stops is no bug, and the client is told to come back', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const path = await begun(server.app.port, mel, { length: 10 });
  const request = beginTus(server.app.port, {
    method: 'PATCH',
    path,
    as: mel,
    host: 'test.localhost',
    headers: { ...PART, 'upload-offset': '0' },
  });
  const answered = answerTo(request);
  request.write('hello');
  // The server has the first of it when it answers another part that it is busy.
  const other = { path, offset: 0, body: '' };
  while ((await part(server.app.port, mel, other)).status !== 423) await server.advance(0);
  await server.stop();
  request.end('world');
  expect(await answered).toMatchObject({ status: 503, body: { code: 'SERVER_STOPPING' } });
  expect(server.bugs).toEqual([]);
});
