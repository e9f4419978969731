import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { UNFINISHED_UPLOAD_MS_MAX } from '../../../src/domain/limits/files.ts';
import { png } from '../../support/files/images.ts';
import { LOCATION, listed, rows, send } from '../../support/files/resumable.ts';
import {
  begun,
  metadata,
  offsetOf,
  PART,
  part,
  TUS,
  type TusRequest,
} from '../../support/files/tus.ts';
import { download, storedFiles, upload } from '../../support/files/uploads.ts';
import { startServer } from '../../support/start-server.ts';

const MIB = 1024 * 1024;

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
