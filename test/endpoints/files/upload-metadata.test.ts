import { expect, test } from 'vitest';
import { UPLOAD_METADATA_LENGTH_MAX } from '../../../src/domain/limits/files.ts';
import { rows, send } from '../../support/files/resumable.ts';
import { begun, metadata, part } from '../../support/files/tus.ts';
import { download, storedFiles } from '../../support/files/uploads.ts';
import { startServer } from '../../support/start-server.ts';

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
