import { readFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { basic } from '../../support/client.ts';
import { uploadsFolder } from '../../support/files/object-service.ts';
import {
  MULTIPART,
  multipart,
  storedFiles,
  type UploadedPart,
  upload,
} from '../../support/files/uploads.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const MIB = 1024 * 1024;

test('a file is stored as it came, and its owner alone hears of it', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  const [queue, other] = [await server.register(mel), await server.register(max)];
  const content = Buffer.from([0, 13, 10, 45, 45, 255, ...Buffer.from('\r\n--xXboundary\r\n')]);

  const reply = await upload(server, mel, { content, filename: 'Notes of May.bin' });

  const url = expect.stringMatching(
    /^\/user_uploads\/1\/[0-9a-f]{2}\/[\w-]{24}\/Notes-of-May\.bin$/,
  );
  expect(reply.body).toEqual({
    result: 'success',
    msg: '',
    url,
    uri: reply.body.url,
    filename: 'Notes of May.bin',
  });
  const path_id = reply.body.url.slice('/user_uploads/'.length);
  const [, folder, file] = path_id.split('/');
  expect(storedFiles(server.data)).toEqual([`${folder}/${file}`]);
  const stored = readFileSync(join(uploadsFolder(server.data), folder, file));
  expect(stored.equals(content)).toBe(true);
  const attachment = {
    id: 1,
    name: 'Notes of May.bin',
    path_id,
    size: content.length,
    create_time: server.clock.now(),
    messages: [],
  };
  expect(await queue.next()).toEqual([
    {
      id: queue.state.last_event_id + 1,
      type: 'attachment',
      op: 'add',
      attachment,
      upload_space_used: content.length,
    },
  ]);
  expect(await other.now()).toEqual([]);
  const { body } = await server.get(mel, '/attachments');
  expect(body).toMatchObject({ attachments: [attachment], upload_space_used: content.length });
});

test('the field may have any name, other fields mean nothing, and an empty file is one', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const { body } = await upload(
    server,
    mel,
    { content: 'a note', filename: null, field: 'note' },
    { content: '', filename: '', field: 'no file chosen' },
    { content: '', filename: 'empty.txt', field: 'empty.txt' },
  );
  expect(body).toMatchObject({ result: 'success', filename: 'empty.txt' });
  expect(await sizes(server)).toEqual([0]);
});

const sizes = async (server: TestServer) =>
  (await server.get(server.people.mel, '/attachments')).body.attachments.map(
    ({ size }: { size: number }) => size,
  );

test('a file of the largest size is taken, and one byte more is not', async () => {
  const server = await startServer({ env: { CONFAB_MAX_UPLOAD_MIB: '1' } });
  const { mel } = server.people;
  const state = await server.register(mel);
  expect(state.state.max_file_upload_size_mib).toBe(1);
  expect(await upload(server, mel, { content: Buffer.alloc(MIB + 1) })).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: expect.stringContaining('larger than') },
  });
  expect(storedFiles(server.data)).toEqual([]);
  expect((await upload(server, mel, { content: Buffer.alloc(MIB) })).status).toBe(200);
  expect(await sizes(server)).toEqual([MIB]);
});

test('a file that says it is too large is refused before it is sent', async () => {
  const server = await startServer({ env: { CONFAB_MAX_UPLOAD_MIB: '1' } });
  const { mel } = server.people;
  const length = { 'content-length': String(100 * MIB) };
  const request = begin(server, { ...length, authorization: basic(mel) });
  request.write('--xXboundaryXx\r\n');
  expect(await answerOf(request)).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  request.destroy();
  expect(storedFiles(server.data)).toEqual([]);
});

test('what is not the file is bounded, too', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const note = { content: Buffer.alloc(2 * MIB), filename: null };
  expect(await upload(server, mel, note, { content: 'x' })).toMatchObject({ status: 400 });
  expect(storedFiles(server.data)).toEqual([]);
});

test('the quota of the organization is for all of its files together', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  await server.set('upload_quota_mib', 1);
  expect((await upload(server, mel, { content: Buffer.alloc(MIB - 1) })).status).toBe(200);
  expect(await upload(server, max, { content: 'ab' })).toMatchObject({
    status: 400,
    body: { result: 'error', code: 'REALM_UPLOAD_QUOTA' },
  });
  expect(storedFiles(server.data)).toHaveLength(1);
  expect((await upload(server, max, { content: 'a' })).status).toBe(200);
  const { body } = await server.get(max, '/attachments');
  expect(body.upload_space_used).toBe(MIB);
  await server.delete(mel, '/attachments/1');
  expect((await upload(server, max, { content: 'ab' })).status).toBe(200);
});

test.each<{ why: string; parts?: UploadedPart[]; body?: string; type?: string; msg: RegExp }>([
  { why: 'no file', parts: [], msg: /specify a file/ },
  { why: 'fields alone', parts: [{ content: 'x', filename: null }], msg: /specify a file/ },
  { why: 'an empty file input', parts: [{ content: '', filename: '' }], msg: /specify a file/ },
  { why: 'two files', parts: [{ content: 'a' }, { content: 'b' }], msg: /one file/ },
  { why: 'no multipart body', body: 'file=x', type: 'text/plain', msg: /specify a file/ },
  { why: 'a body without type', body: 'file=x', type: '', msg: /specify a file/ },
  { why: 'no boundary', body: 'x', type: 'multipart/form-data', msg: /malformed/ },
  { why: 'another boundary', body: '--other--\r\n', msg: /malformed/ },
  {
    why: 'no end',
    body: multipart([{ content: 'x' }])
      .toString()
      .slice(0, -6),
    msg: /malformed/,
  },
  {
    why: 'a name that is not UTF-8',
    body: '--xXboundaryXx\r\nContent-Disposition: form-data; name="f"; filename="\xff"\r\n\r\nx',
    msg: /UTF-8/,
  },
])('is refused and leaves nothing: $why', async ({ parts, body, type = MULTIPART, msg }) => {
  const server = await startServer();
  const { mel } = server.people;
  const reply = await server.request('POST', '/user_uploads', {
    as: mel,
    headers: type === '' ? {} : { 'content-type': type },
    body: body === undefined ? multipart(parts ?? []) : Buffer.from(body, 'latin1'),
  });
  expect(reply).toMatchObject({
    status: 400,
    body: { result: 'error', code: 'BAD_REQUEST', msg: expect.stringMatching(msg) },
  });
  expect(storedFiles(server.data)).toEqual([]);
  expect((await server.get(mel, '/attachments')).body.attachments).toEqual([]);
  expect(server.bugs).toEqual([]);
});

test('who is not logged in is told so before anything is stored, on a connection that goes on', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const body = multipart([{ content: Buffer.alloc(3 * MIB) }]);
  const length = { 'content-length': String(body.length) };
  const refused = begin(server, { ...length, authorization: 'Basic bm9ib2R5' }, agent);
  refused.end(body);
  expect(await answerOf(refused)).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
  const taken = begin(server, { ...length, authorization: basic(mel) }, agent);
  taken.end(body);
  expect(await answerOf(taken)).toMatchObject({ status: 200 });
  expect(taken.reusedSocket).toBe(true);
  expect(storedFiles(server.data)).toHaveLength(1);
});

test('an upload that is broken off leaves nothing', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const request = begin(server, { 'content-length': String(MIB), authorization: basic(mel) });
  request.on('error', () => undefined);
  request.write(multipart([{ content: Buffer.alloc(100_000) }]).subarray(0, 90_000));
  await until(() => storedFiles(server.data).length === 1);
  request.destroy();
  await until(() => storedFiles(server.data).length === 0);
  expect((await server.get(mel, '/attachments')).body.attachments).toEqual([]);
  expect(server.bugs).toEqual([]);
});

test('a user has ten uploads under way, and others have theirs', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  const requests = Array.from({ length: 10 }, () => {
    const request = begin(server, { 'content-length': '1000', authorization: basic(mel) });
    request.on('error', () => undefined);
    request.write('--xXboundaryXx\r\n');
    return request;
  });
  await until(() => storedFiles(server.data).length === 10);
  expect(await upload(server, mel, { content: 'x' })).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'Too many uploads at once' },
  });
  expect((await upload(server, max, { content: 'x' })).status).toBe(200);
  for (const request of requests) request.destroy();
  // An upload that was broken off counts until it is cleared away.
  while ((await upload(server, mel, { content: 'x' })).status !== 200);
  expect(await sizes(server)).toEqual([1]);
});

test('over a socket there is no file to send', async () => {
  const server = await startServer();
  const socket = await server.socket(server.people.mel);
  socket.send({ type: 'register', params: {} });
  await socket.frame('registered');
  socket.send({ type: 'request', id: 1, method: 'POST', path: '/user_uploads', params: {} });
  expect(await socket.frame('reply')).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'You must specify a file to upload' },
  });
});

function begin(
  { app }: TestServer,
  headers: http.OutgoingHttpHeaders,
  agent: http.Agent | false = false,
): http.ClientRequest {
  return http.request({
    port: app.port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/api/v1/user_uploads',
    headers: { host: `test.localhost:${app.port}`, 'content-type': MULTIPART, ...headers },
    agent,
  });
}

const answerOf = (request: http.ClientRequest) =>
  new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
    request.on('error', reject);
    request.on('response', async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
      resolve({ status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) });
    });
  });

/**
 * Waits for what the server does with its disk by itself. If that never happens, the test ends by
 * its time limit.
 */
async function until(isSo: () => boolean) {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
