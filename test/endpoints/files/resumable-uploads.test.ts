import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { statSync, truncateSync } from 'node:fs';
import type http from 'node:http';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import {
  UNFINISHED_UPLOAD_MS_MAX,
  UNFINISHED_UPLOADS_PER_USER_MAX,
  UPLOAD_METADATA_LENGTH_MAX,
  UPLOADS_PER_USER_MAX,
} from '../../../src/domain/limits.ts';
import * as resumableUploads from '../../../src/operations/resumable-uploads.ts';
import { png } from '../../support/pictures.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import {
  beginTus,
  begun,
  metadata,
  offsetOf,
  PART,
  part,
  replyOf,
  TUS,
  type TusReply,
  type TusRequest,
  tus,
} from '../../support/tus.ts';
import { download, storedFiles, upload } from '../../support/uploads.ts';
import type { Person } from '../../support/users.ts';

const MIB = 1024 * 1024;
const LOCATION = expect.stringMatching(/^\/api\/v1\/tus\/[0-9a-f]{2}[\w-]{24}$/);

const send = ({ app }: TestServer, request: TusRequest) => tus(app.port, request);

const listed = async (server: TestServer) =>
  (await server.get(server.people.mel, '/attachments')).body;

test('a file that came in parts is one like those that came at once', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  const { port } = server.app;
  const content = await png(40, 30);
  const said = { filename: 'My Picture.png', filetype: 'image/png' };
  await upload(server, mel, { content, filename: said.filename, contentType: said.filetype });
  const [queue, other] = [await server.register(mel), await server.register(max)];

  const path = await begun(port, mel, { length: content.length, ...said });
  expect(path).toEqual(LOCATION);
  expect(await queue.now()).toEqual([]);
  const first = await part(port, mel, { path, offset: 0, body: content.subarray(0, 20) });
  expect([first.status, first.headers['upload-offset'], first.body]).toEqual([204, '20', null]);
  expect(await offsetOf(port, mel, path)).toBe(20);
  const last = await part(port, mel, { path, offset: 20, body: content.subarray(20) });

  const url = expect.stringMatching(/^\/user_uploads\/1\/[0-9a-f]{2}\/[\w-]{24}\/My-Picture\.png$/);
  expect([last.status, last.headers['content-type']]).toEqual([200, 'application/json']);
  expect(last.body).toEqual({ url, filename: 'My Picture.png' });
  const path_id = String(last.body?.['url']).slice('/user_uploads/'.length);
  expect(await queue.next()).toEqual([
    {
      id: queue.lastEventId,
      type: 'attachment',
      op: 'add',
      attachment: {
        id: 2,
        name: 'My Picture.png',
        path_id,
        size: content.length,
        create_time: server.clock.now(),
        messages: [],
      },
      upload_space_used: 2 * content.length,
    },
  ]);
  expect(await other.now()).toEqual([]);
  const [one, two] = await server.perform((tx) => [
    tx.attachments.get([1]),
    tx.attachments.get([2]),
  ]);
  expect({ ...two, pathId: one?.pathId }).toEqual(one);
  const file = await download(server, `/user_uploads/${path_id}`, { as: mel });
  expect(file.bytes.equals(content)).toBe(true);
  expect(file.headers['content-type']).toBe('image/png');
});

test('what can be done is told to anybody', async () => {
  const server = await startServer({ env: { CONFAB_MAX_UPLOAD_MIB: '3' } });
  const reply = await send(server, { method: 'OPTIONS', headers: { 'tus-resumable': null } });
  expect([reply.status, reply.body]).toEqual([204, null]);
  expect(reply.headers).toMatchObject({
    'tus-version': '1.0.0',
    'tus-resumable': '1.0.0',
    'tus-extension': 'creation,creation-with-upload,expiration,checksum,termination',
    'tus-max-size': String(3 * MIB),
    'tus-checksum-algorithm': 'sha1,sha256,md5',
    allow: 'POST, OPTIONS',
  });
  const one = await send(server, { method: 'OPTIONS', path: `${TUS}/x` });
  expect(one.headers.allow).toBe('HEAD, PATCH, DELETE, OPTIONS');
});

test('an upload tells where it stands, how long it is, what was said of it and when it expires', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const said = metadata({ filename: 'a.txt', relativePath: 'null' });
  const created = await send(server, {
    method: 'POST',
    path: `${TUS}/`,
    as: mel,
    headers: { 'upload-length': '10', 'upload-metadata': `${said}, is_public` },
  });
  const expires = new Date(server.clock.now() + UNFINISHED_UPLOAD_MS_MAX).toUTCString();
  expect([created.status, created.body]).toEqual([201, null]);
  expect(created.headers).toMatchObject({
    location: LOCATION,
    'upload-offset': '0',
    'upload-expires': expires,
    'tus-resumable': '1.0.0',
  });
  const reply = await send(server, {
    method: 'HEAD',
    path: created.headers.location ?? '',
    as: mel,
  });
  expect(reply.headers).toMatchObject({
    'upload-offset': '0',
    'upload-length': '10',
    'upload-metadata': `${said}, is_public`,
    'upload-expires': expires,
    'cache-control': expect.stringContaining('no-store'),
    'tus-resumable': '1.0.0',
  });
});

test('the first bytes may come with the beginning, and all of them as well', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const create = (body: string, length: number) =>
    send(server, {
      method: 'POST',
      as: mel,
      headers: { ...PART, 'upload-length': String(length) },
      body,
    });
  const some = await create('hel', 5);
  expect([some.status, some.headers['upload-offset'], some.body]).toEqual([201, '3', null]);
  const path = some.headers.location ?? '';
  const rest = await part(server.app.port, mel, { path, offset: 3, body: 'lo' });
  expect(rest.body).toMatchObject({ filename: 'uploaded-file' });
  const whole = await create('hello', 5);
  expect([whole.status, whole.headers['upload-offset']]).toEqual([201, '5']);
  expect(whole.headers['upload-expires']).toBe(undefined);
  const empty = await send(server, { method: 'POST', as: mel, headers: { 'upload-length': '0' } });
  expect([empty.status, empty.headers['upload-offset']]).toEqual([201, '0']);
  const bytes = [rest, whole, empty].map(({ body }) =>
    download(server, String(body?.['url']), { as: mel }).then((file) => file.bytes.toString()),
  );
  expect(await Promise.all(bytes)).toEqual(['hello', 'hello', '']);
});

test('who missed the answer to the last part finds the upload finished, and gets it again', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const { port } = server.app;
  const path = await begun(port, mel, { length: 5 });
  const { body } = await part(port, mel, { path, offset: 0, body: 'hello' });
  expect(await offsetOf(port, mel, path)).toBe(5);
  const again = await part(port, mel, { path, offset: 5, body: '' });
  expect([again.status, again.body]).toEqual([200, body]);
  expect((await part(port, mel, { path, offset: 0, body: 'hello' })).status).toBe(409);
  expect((await part(port, mel, { path, offset: 5, body: 'x' })).status).toBe(413);
  const removed = await send(server, { method: 'DELETE', path, as: mel });
  expect([removed.status, removed.body?.['code']]).toEqual([400, 'BAD_REQUEST']);
  expect((await listed(server)).attachments).toHaveLength(1);
  await server.delete(mel, '/attachments/1');
  expect((await part(port, mel, { path, offset: 5, body: '' })).status).toBe(410);
});

test.each<{ why: string; headers: TusRequest['headers']; body?: string; is: [number, string] }>([
  { why: 'no version', headers: { 'tus-resumable': null }, is: [412, 'RESUMABLE_UPLOAD_REFUSED'] },
  {
    why: 'another version',
    headers: { 'tus-resumable': '0.2.2' },
    is: [412, 'RESUMABLE_UPLOAD_REFUSED'],
  },
  {
    why: 'a deferred length',
    headers: { 'upload-defer-length': '1' },
    is: [411, 'RESUMABLE_UPLOAD_REFUSED'],
  },
  { why: 'no length', headers: {}, is: [411, 'RESUMABLE_UPLOAD_REFUSED'] },
  {
    why: 'both lengths',
    headers: { 'upload-length': '1', 'upload-defer-length': '1' },
    is: [400, 'BAD_REQUEST'],
  },
  { why: 'a negative length', headers: { 'upload-length': '-1' }, is: [400, 'BAD_REQUEST'] },
  { why: 'a broken length', headers: { 'upload-length': '1.5' }, is: [400, 'BAD_REQUEST'] },
  { why: 'a length in words', headers: { 'upload-length': 'ten' }, is: [400, 'BAD_REQUEST'] },
  { why: 'a length of hex', headers: { 'upload-length': '0x10' }, is: [400, 'BAD_REQUEST'] },
  {
    why: 'an unsafe length',
    headers: { 'upload-length': '9'.repeat(40) },
    is: [400, 'BAD_REQUEST'],
  },
  {
    why: 'a huge length',
    headers: { 'upload-length': '999999999999999' },
    is: [413, 'PAYLOAD_TOO_LARGE'],
  },
  {
    why: 'one byte too many',
    headers: { 'upload-length': String(MIB + 1) },
    is: [413, 'PAYLOAD_TOO_LARGE'],
  },
  {
    why: 'a part of another',
    headers: { 'upload-length': '1', 'upload-concat': 'partial' },
    is: [400, 'BAD_REQUEST'],
  },
  {
    why: 'more than it is long',
    headers: { ...PART, 'upload-length': '2' },
    body: 'abc',
    is: [413, 'PAYLOAD_TOO_LARGE'],
  },
  {
    why: 'bytes of another type',
    headers: { 'upload-length': '3', 'content-type': 'text/plain' },
    body: 'abc',
    is: [415, 'RESUMABLE_UPLOAD_REFUSED'],
  },
  {
    why: 'bytes of no type',
    headers: { 'upload-length': '3' },
    body: 'abc',
    is: [415, 'RESUMABLE_UPLOAD_REFUSED'],
  },
  {
    why: 'an unknown checksum',
    headers: { ...PART, 'upload-length': '3', 'upload-checksum': 'crc32 AAAA' },
    body: 'abc',
    is: [400, 'BAD_REQUEST'],
  },
])('is not begun: $why', async ({ headers, body, is }) => {
  const server = await startServer({ env: { CONFAB_MAX_UPLOAD_MIB: '1' } });
  const as = server.people.mel;
  const request = { method: 'POST', as, ...(headers === undefined ? {} : { headers }) };
  const reply = await send(server, body === undefined ? request : { ...request, body });
  expect([reply.status, reply.body?.['code'], reply.body?.['result']]).toEqual([...is, 'error']);
  expect(reply.headers).toMatchObject({ 'tus-resumable': '1.0.0', 'tus-version': '1.0.0' });
  expect(await rows(server)).toEqual([]);
  expect(storedFiles(server.data)).toEqual([]);
  expect(server.bugs).toEqual([]);
});

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
    const answered = once(request, 'response');
    request.end(body);
    const [response] = (await answered) as [http.IncomingMessage];
    const reply = await replyOf(response);
    return [reply.status, reply.body?.['code']];
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
  await vi.waitUntil(async () => (await rows(server)).length === 1);
  expect(server.bugs).toEqual([]);
});

/** No row, no byte, and no space that is promised. */
async function nothing(server: TestServer) {
  await vi.waitUntil(async () => (await rows(server)).length === 0);
  expect(await server.perform((tx) => tx.uploadSpace.get(['space']))).toMatchObject({
    promised: 0,
  });
  await gone(server);
}

const rows = (server: TestServer) =>
  server.perform((tx) => Array.from(tx.resumableUploads.range({}), ([, row]) => row));

test.each([
  ['no Base64', 'filename abc'],
  ['a sign that is none of Base64', 'filename YWJj-_=='],
  ['bits that are too many', 'filename Y===='],
  ['a key twice', 'filename YQ==,filename YQ=='],
  ['two spaces', 'filename  YQ=='],
  ['an empty pair', 'filename YQ==,,filetype YQ=='],
  ['two values', 'filename YQ== YQ=='],
  ['a key that is not ASCII', 'n\u00e4me YQ=='],
  ['a name that is not UTF-8', metadata({ filename: Buffer.from([255, 254]) })],
  ['a type that is not UTF-8', metadata({ filetype: Buffer.from([255, 254]) })],
  ['too much', metadata({ x: 'x'.repeat(UPLOAD_METADATA_LENGTH_MAX) })],
])('is not begun with metadata that are malformed: %s', async (_, said) => {
  const server = await startServer();
  const headers = { 'upload-length': '5', 'upload-metadata': said };
  const reply = await send(server, { method: 'POST', as: server.people.mel, headers });
  expect([reply.status, reply.body?.['code']]).toEqual([400, 'BAD_REQUEST']);
  expect(await rows(server)).toEqual([]);
  expect(server.bugs).toEqual([]);
});

test.each([
  ['a\0b/../../etc/passwd', '', 'passwd', 'passwd'],
  ['..', '', 'uploaded-file', 'uploaded-file'],
  ['\0', 'text/html', 'uploaded-file', 'uploaded-file'],
  ['ev\u202Egnp.html', 'image/png', 'evgnp.html', 'evgnp.html'],
  ['<b>"x".png\r\nX: y', 'a/b\r\nX: y', '<b>"x".pngX: y', 'bx.pngX-y'],
  [`${'n'.repeat(500)}.txt`, 'x'.repeat(500), `${'n'.repeat(116)}.txt`, `${'n'.repeat(116)}.txt`],
])('a hostile name does nothing: %j', async (filename, filetype, shown, ending) => {
  const server = await startServer();
  const { mel } = server.people;
  const path = await begun(server.app.port, mel, { length: 1, filename, filetype });
  const { body } = await part(server.app.port, mel, { path, offset: 0, body: 'x' });
  expect(body?.['filename']).toBe(shown);
  const url = String(body?.['url']);
  expect(url.split('/').slice(5)).toEqual([ending]);
  const file = await download(server, encodeURI(url), { as: mel });
  expect([file.status, file.headers['x']]).toEqual([200, undefined]);
  expect(storedFiles(server.data)).toHaveLength(1);
});

test('metadata of the greatest length are kept, and empty ones are none', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const key = 'x'.repeat(UPLOAD_METADATA_LENGTH_MAX);
  for (const said of [key, '', ' ']) {
    const headers = { 'upload-length': '5', 'upload-metadata': said };
    const { status } = await send(server, { method: 'POST', as: mel, headers });
    expect(status).toBe(201);
  }
});

test.each<{ why: string; headers: Record<string, string | null>; body?: string; is: number }>([
  { why: 'no offset', headers: { 'upload-offset': null }, is: 400 },
  { why: 'a negative offset', headers: { 'upload-offset': '-3' }, is: 400 },
  { why: 'an offset in words', headers: { 'upload-offset': 'three' }, is: 400 },
  { why: 'an unsafe offset', headers: { 'upload-offset': '9'.repeat(30) }, is: 400 },
  { why: 'an offset before', headers: { 'upload-offset': '2' }, is: 409 },
  { why: 'an offset behind', headers: { 'upload-offset': '4' }, is: 409 },
  { why: 'an offset far behind', headers: { 'upload-offset': '999999999999999' }, is: 409 },
  { why: 'no version', headers: { 'tus-resumable': null }, is: 412 },
  { why: 'another type', headers: { 'content-type': 'application/json' }, is: 415 },
  { why: 'no type', headers: { 'content-type': null }, is: 415 },
  { why: 'more than is lacking', headers: {}, body: 'x'.repeat(8), is: 413 },
  {
    why: 'more than is lacking, of no known length',
    headers: { 'transfer-encoding': 'chunked' },
    body: 'x'.repeat(8),
    is: 413,
  },
  { why: 'a checksum of nothing', headers: { 'upload-checksum': 'sha1' }, is: 400 },
  { why: 'a checksum of other bytes', headers: { 'upload-checksum': 'md5 AAAA' }, is: 460 },
])('does not go on, and loses nothing: $why', async ({ headers, body = 'lo', is }) => {
  const server = await startServer();
  const { mel } = server.people;
  const { port } = server.app;
  const path = await begun(port, mel, { length: 10 });
  await part(port, mel, { path, offset: 0, body: 'hel' });
  const reply = await send(server, {
    method: 'PATCH',
    path,
    as: mel,
    headers: { ...PART, 'upload-offset': '3', ...headers },
    body,
  });
  expect([reply.status, reply.body?.['result']]).toEqual([is, 'error']);
  expect(reply.headers['tus-resumable']).toBe('1.0.0');
  expect(await offsetOf(port, mel, path)).toBe(3);
  const last = await part(port, mel, { path, offset: 3, body: 'lo world'.slice(0, 7) });
  const { bytes } = await download(server, String(last.body?.['url']), { as: mel });
  expect(bytes.toString()).toBe('hello worl');
  expect(server.bugs).toEqual([]);
});

test.each(['sha1', 'sha256', 'md5'])('bytes are held against their checksum: %s', async (name) => {
  const server = await startServer();
  const { mel } = server.people;
  const { port } = server.app;
  const path = await begun(port, mel, { length: 10 });
  const sum = (text: string) => `${name} ${createHash(name).update(text).digest('base64')}`;
  const patch = (offset: number, body: string, checksum: string) =>
    send(server, {
      method: 'PATCH',
      path,
      as: mel,
      headers: { ...PART, 'upload-offset': String(offset), 'upload-checksum': checksum },
      body,
    });
  expect((await patch(0, 'hello', sum('hello'))).status).toBe(204);
  expect((await patch(5, 'wor', sum('war'))).status).toBe(460);
  expect((await patch(5, 'world', sum('war'))).status).toBe(460);
  expect((await listed(server)).attachments).toEqual([]);
  const { body } = await patch(5, 'world', sum('world'));
  expect((await download(server, String(body?.['url']), { as: mel })).bytes.toString()).toBe(
    'helloworld',
  );
});

test('an upload is for who began it alone', async () => {
  const server = await startServer();
  const { mel, ona, ada, bot } = server.people;
  const { port } = server.app;
  const path = await begun(port, mel, { length: 5 });
  const acme = await server.addRealm('acme');
  const all = async (more: Omit<TusRequest, 'method'>) =>
    Promise.all(
      [
        { method: 'HEAD' },
        { method: 'PATCH', headers: { ...PART, 'upload-offset': '0' }, body: 'hello' },
        { method: 'DELETE' },
      ].map(async (request) => (await send(server, { path, ...request, ...more })).status),
    );
  for (const as of [ona, ada, bot]) expect(await all({ as })).toEqual([403, 403, 403]);
  expect(await all({})).toEqual([401, 401, 401]);
  expect(await all({ as: { ...mel, apiKey: 'wrong' } })).toEqual([401, 401, 401]);
  expect(await all({ as: acme.admin, host: 'acme.localhost' })).toEqual([404, 404, 404]);
  expect(await all({ as: mel, path: `${path}x` })).toEqual([404, 404, 404]);
  expect(await all({ as: mel, path: `${TUS}/..%2f` })).toEqual([404, 404, 404]);
  expect((await send(server, { method: 'POST', headers: { 'upload-length': '5' } })).status).toBe(
    401,
  );
  expect(await offsetOf(port, mel, path)).toBe(0);
  const got = await send(server, { method: 'GET', path, as: mel });
  expect([got.status, got.headers.allow]).toEqual([405, 'HEAD, PATCH, DELETE']);
  expect((await send(server, { method: 'PATCH', as: mel })).status).toBe(405);
});

test('an account that is deactivated goes on with nothing', async () => {
  const server = await startServer();
  const { mel, ona } = server.people;
  const path = await begun(server.app.port, mel, { length: 5 });
  await server.delete(ona, `/users/${mel.id}`);
  expect((await part(server.app.port, mel, { path, offset: 0, body: 'hello' })).status).toBe(401);
});

test('who can send no PATCH says what the POST is', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const path = await begun(server.app.port, mel, { length: 5 });
  const override = (method: string, more: Partial<TusRequest>) =>
    send(server, {
      method: 'POST',
      path,
      as: mel,
      ...more,
      headers: { 'x-http-method-override': method, ...more.headers },
    });
  const headers = { ...PART, 'upload-offset': '0' };
  expect((await override('PATCH', { headers, body: 'hel' })).headers['upload-offset']).toBe('3');
  expect((await override('DELETE', {})).status).toBe(204);
  expect((await override('DELETE', {})).status).toBe(404);
  expect((await override('TRACE', {})).status).toBe(405);
});

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
  // It can never be held against its checksum.
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
  truncateSync(join(server.data, 'realms', '1', 'uploads', file), 2);
  expect(await offsetOf(port, mel, path)).toBe(2);
  expect((await part(port, mel, { path, offset: 5, body: 'world' })).status).toBe(409);
  const { body } = await part(port, mel, { path, offset: 2, body: 'llo worl' });
  expect((await download(server, String(body?.['url']), { as: mel })).bytes.toString()).toBe(
    'hello worl',
  );
});

test('an upload that gets no more bytes for a day expires, and is forgotten a day later', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const { port } = server.app;
  await server.set('upload_quota_mib', 1);
  const path = await begun(port, mel, { length: MIB });
  await server.advance(UNFINISHED_UPLOAD_MS_MAX - 1);
  const reply = await part(port, mel, { path, offset: 0, body: 'hello' });
  expect(reply.headers['upload-expires']).toBe(
    new Date(server.clock.now() + UNFINISHED_UPLOAD_MS_MAX).toUTCString(),
  );
  await server.advance(UNFINISHED_UPLOAD_MS_MAX - 1);
  expect(await offsetOf(port, mel, path)).toBe(5);
  await server.advance(1);
  const late = await part(port, mel, { path, offset: 5, body: 'x' });
  expect([late.status, late.body?.['code']]).toEqual([410, 'RESUMABLE_UPLOAD_REFUSED']);
  expect((await send(server, { method: 'HEAD', path, as: mel })).status).toBe(410);
  await gone(server);
  expect((await upload(server, mel, { content: Buffer.alloc(MIB) })).status).toBe(200);
  await server.advance(UNFINISHED_UPLOAD_MS_MAX);
  expect((await send(server, { method: 'HEAD', path, as: mel })).status).toBe(404);
  expect(await rows(server)).toEqual([]);
});

test('a finished upload is forgotten in a day, and its file stays', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const { port } = server.app;
  const path = await begun(port, mel, { length: 5 });
  const { body } = await part(port, mel, { path, offset: 0, body: 'hello' });
  await server.advance(UNFINISHED_UPLOAD_MS_MAX);
  expect((await send(server, { method: 'HEAD', path, as: mel })).status).toBe(404);
  expect((await download(server, String(body?.['url']), { as: mel })).bytes.toString()).toBe(
    'hello',
  );
});

test('what is begun counts to the quota before it is there, for every way of uploading', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  const { port } = server.app;
  await server.set('upload_quota_mib', 1);
  const begin = (length: number) =>
    send(server, { method: 'POST', as: max, headers: { 'upload-length': String(length) } });
  const path = await begun(port, mel, { length: MIB - 3 });
  const over = await begin(4);
  expect([over.status, over.body?.['code']]).toEqual([400, 'REALM_UPLOAD_QUOTA']);
  expect((await upload(server, max, { content: 'four' })).body.code).toBe('REALM_UPLOAD_QUOTA');
  expect((await begin(3)).status).toBe(201);
  expect((await begin(1)).status).toBe(400);
  expect((await listed(server)).upload_space_used).toBe(0);
  // What was promised is kept, whatever the quota is by then.
  await server.set('upload_quota_mib', 0);
  expect((await part(port, mel, { path, offset: 0, body: Buffer.alloc(MIB - 3) })).status).toBe(
    200,
  );
  expect((await listed(server)).upload_space_used).toBe(MIB - 3);
  await server.set('upload_quota_mib', 1);
  expect((await begin(1)).status).toBe(400);
});

test('a user has so many unfinished uploads, and others have theirs', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  await server.perform((tx) => fill(tx, mel.id, UNFINISHED_UPLOADS_PER_USER_MAX - 1));
  const begin = (as: typeof mel) =>
    send(server, { method: 'POST', as, headers: { 'upload-length': '5' } });
  const last = await begin(mel);
  expect(last.status).toBe(201);
  const refused = await begin(mel);
  expect([refused.status, refused.body?.['msg']]).toEqual([400, 'Too many unfinished uploads']);
  expect((await begin(max)).status).toBe(201);
  const path = last.headers.location ?? '';
  expect((await part(server.app.port, mel, { path, offset: 0, body: 'hello' })).status).toBe(200);
  expect((await begin(mel)).status).toBe(201);
});

test('ten thousand unfinished uploads end in steps, each of a few', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await server.perform((tx) => {
    for (let user = 1_000; user < 1_100; user++) fill(tx, user, UNFINISHED_UPLOADS_PER_USER_MAX);
    expect(resumableUploads.due(tx, tx.now + UNFINISHED_UPLOAD_MS_MAX)).toHaveLength(100);
  });
  expect(await begun(server.app.port, mel, { length: 5 })).toEqual(LOCATION);
  await server.perform((tx) => {
    let steps = 0;
    const later = tx.now + UNFINISHED_UPLOAD_MS_MAX;
    const times = () => resumableUploads.due(tx, later).filter(([until]) => until <= later);
    const standing = ([, id]: [number, string]) => tx.resumableUploads.get([id])?.standing;
    for (let due = times(); due.some((key) => standing(key) === 'unfinished'); due = times()) {
      for (const key of due) resumableUploads.end({ ...tx, now: later }, key);
      steps += 1;
    }
    expect(steps).toBe(101);
    expect(tx.uploadSpace.get(['space'])).toEqual({ bytes: 0, promised: 0 });
  });
});

type Transaction = Parameters<Parameters<TestServer['perform']>[0]>[0];

function fill(tx: Transaction, userId: number, count: number) {
  const user = tx.users.get([1]);
  if (user === undefined) throw new Error('nobody is there');
  for (let index = 0; index < count; index++) {
    const id = `ab${String(userId * 1_000 + index).padStart(24, '0')}`;
    resumableUploads.create(tx, { ...user, id: userId }, { id, length: 5, metadata: '' });
  }
}

const sizeOf = (server: TestServer): number => {
  const [file] = storedFiles(server.data);
  return file === undefined ? 0 : statSync(join(server.data, 'realms', '1', 'uploads', file)).size;
};

function beginSlow(port: number, { headers, ...request }: Omit<TusRequest, 'method'>) {
  const begun = beginTus(port, {
    method: 'PATCH',
    ...request,
    headers: { ...PART, 'upload-offset': '0', ...headers, 'transfer-encoding': 'chunked' },
  });
  const reply = new Promise<TusReply>((resolve, reject) => {
    begun.on('error', reject);
    begun.on('response', (response) => void replyOf(response).then(resolve, reject));
  });
  // Where the test breaks it off, nobody waits for it.
  reply.catch(() => undefined);
  return { request: begun, reply };
}

/** Mel's upload of ten bytes, of which five have come by a part that goes on. */
async function halfSent() {
  const server = await startServer();
  const { mel } = server.people;
  const { port } = server.app;
  const path = await begun(port, mel, { length: 10 });
  const slow = beginSlow(port, { path, as: mel });
  slow.request.write('hello');
  await until(() => sizeOf(server) === 5);
  return { server, mel, port, path, slow };
}

/** Until no file is left on disk: they go after the commit that forgets them. */
async function gone(server: TestServer) {
  while (storedFiles(server.data).length > 0) await server.advance(1);
}

/** What the server does with its disk comes about by itself; the test ends when it never does. */
async function until(isSo: () => boolean) {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

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
  const answered = new Promise<TusReply>((resolve, reject) => {
    request.on('response', (response) => resolve(replyOf(response)));
    request.on('error', reject);
  });
  request.write('hello');
  // The server has the first of it when it answers another part that it is busy.
  const other = { path, offset: 0, body: '' };
  while ((await part(server.app.port, mel, other)).status !== 423) await server.advance(0);
  await server.stop();
  request.end('world');
  expect(await answered).toMatchObject({ status: 503, body: { code: 'SERVER_STOPPING' } });
  expect(server.bugs).toEqual([]);
});
