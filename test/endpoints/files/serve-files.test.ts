import { readdirSync, readlinkSync, rmSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { basic } from '../../support/client.ts';
import { png } from '../../support/files/images.ts';
import { uploadsFolder } from '../../support/files/object-service.ts';
import { download, storedFiles, uploaded, uploadTo } from '../../support/files/uploads.ts';
import { startServer } from '../../support/start-server.ts';

const start = () => startServer({ channels: ['general'] });

test('a file is handed out as it came, with what keeps it from doing anything', async () => {
  const server = await start();
  const { mel } = server.people;
  const content = Buffer.from(Array.from({ length: 400_000 }, (_, index) => index % 251));
  const url = await uploaded(server, mel, {
    content,
    filename: 'Ein Bild.png',
    contentType: 'image/png',
  });
  const { status, headers, bytes } = await download(server, url, { as: mel });
  expect(status).toBe(200);
  expect(bytes.equals(content)).toBe(true);
  expect(headers).toMatchObject({
    'content-type': 'image/png',
    'content-length': '400000',
    'content-disposition': `inline; filename="Ein Bild.png"; filename*=UTF-8''Ein%20Bild.png`,
    'cache-control': 'private, immutable',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringMatching(/default-src 'none'.*sandbox/),
    'accept-ranges': 'bytes',
  });
  const head = await download(server, url, { as: mel, method: 'HEAD' });
  expect(head).toMatchObject({
    status: 200,
    headers: { 'content-length': '400000', 'content-type': 'image/png' },
    bytes: Buffer.alloc(0),
  });
});

test.each<{ name: string; type?: string; as: string; isShown: boolean }>([
  { name: 'a.png', type: 'image/png', as: 'image/png', isShown: true },
  { name: 'a.mp3', type: 'Audio/MPEG; charset=x', as: 'audio/mpeg', isShown: true },
  { name: 'a.mp4', type: 'video/mp4', as: 'video/mp4', isShown: true },
  { name: 'a.pdf', type: 'application/pdf', as: 'application/pdf', isShown: true },
  { name: 'a.JPG', as: 'image/jpeg', isShown: true },
  { name: 'a.webp', type: 'application/octet-stream', as: 'image/webp', isShown: true },
  { name: 'a.svg', type: 'image/svg+xml', as: 'application/octet-stream', isShown: false },
  { name: 'a.svg', as: 'application/octet-stream', isShown: false },
  { name: 'a.html', type: 'text/html', as: 'application/octet-stream', isShown: false },
  { name: 'a.js', type: 'text/javascript', as: 'application/octet-stream', isShown: false },
  { name: 'a.txt', type: 'text/plain', as: 'application/octet-stream', isShown: false },
  { name: 'a.png', type: 'text/html', as: 'application/octet-stream', isShown: false },
  // A page that calls itself a picture is shown as a broken picture: no browser looks at what it
  // is.
  { name: 'a.html', type: 'image/png', as: 'image/png', isShown: true },
  { name: 'a', type: 'image/png\tx', as: 'application/octet-stream', isShown: false },
  { name: 'a', type: '__proto__/x', as: 'application/octet-stream', isShown: false },
])('what is uploaded never runs: $name as $type', async ({ name, type, as, isShown }) => {
  const server = await start();
  const { mel } = server.people;
  const content = '<script>alert(1)</script>';
  const url = await uploaded(server, mel, {
    content,
    filename: name,
    ...(type === undefined ? {} : { contentType: type }),
  });
  const { headers, bytes } = await download(server, url, { as: mel });
  expect(bytes.toString()).toBe(content);
  expect(headers['content-type']).toBe(as);
  expect(headers['content-disposition']).toMatch(isShown ? /^inline; / : /^attachment; /);
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; /);
  expect(/; sandbox$/.test(String(headers['content-security-policy']))).toBe(
    as !== 'application/pdf',
  );
  const saved = await download(server, url.replace('/user_uploads/', '/user_uploads/download/'), {
    as: mel,
  });
  expect(saved.headers['content-disposition']).toMatch(/^attachment; /);
  expect(saved.bytes.toString()).toBe(content);
});

test.each([
  { range: 'bytes=0-3', status: 206, is: '0123', of: 'bytes 0-3/10' },
  { range: 'bytes=9-', status: 206, is: '9', of: 'bytes 9-9/10' },
  { range: 'bytes=8-1000', status: 206, is: '89', of: 'bytes 8-9/10' },
  { range: 'bytes=-3', status: 206, is: '789', of: 'bytes 7-9/10' },
  { range: 'bytes=-1000', status: 206, is: '0123456789', of: 'bytes 0-9/10' },
  { range: 'bytes=10-', status: 416, is: '', of: 'bytes */10' },
  { range: 'bytes=-0', status: 416, is: '', of: 'bytes */10' },
  { range: 'bytes=3-2', status: 200, is: '0123456789', of: undefined },
  { range: 'bytes=0-1,4-5', status: 200, is: '0123456789', of: undefined },
  { range: 'bytes=-', status: 200, is: '0123456789', of: undefined },
  { range: 'lines=1-2', status: 200, is: '0123456789', of: undefined },
])('a part of a file is handed out as asked for: $range', async ({ range, status, is, of }) => {
  const server = await start();
  const { mel } = server.people;
  const url = await uploaded(server, mel, { content: '0123456789' });
  const reply = await download(server, url, { as: mel, headers: { range } });
  expect([reply.status, reply.bytes.toString(), reply.headers['content-range']]).toEqual([
    status,
    is,
    of,
  ]);
  const head = await download(server, url, { as: mel, method: 'HEAD', headers: { range } });
  expect([head.status, head.headers['content-length']]).toEqual([status, String(is.length)]);
});

test('who has a file already is told so, as long as they may read it', async () => {
  const server = await start();
  const { mel, max } = server.people;
  const url = await uploaded(server, mel, { content: '0123456789' });
  const other = await uploaded(server, mel, { content: '0123456789' });
  const tag = String((await download(server, url, { as: mel })).headers.etag);
  expect(tag).toMatch(/^"[\w-]+"$/);
  expect((await download(server, other, { as: mel })).headers.etag).not.toBe(tag);
  const get = (ifNoneMatch: string, method = 'GET', as = mel) =>
    download(server, url, { as, method, headers: { 'if-none-match': ifNoneMatch } });
  for (const held of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, bytes } = await get(held, method);
      expect([status, headers.etag, bytes.length]).toEqual([304, tag, 0]);
      expect(headers['cache-control']).toBe('private, immutable');
      expect(headers['content-length']).toBe(undefined);
    }
  }
  for (const held of ['"x"', tag.slice(1, -1), `${tag}x`, 'W/"x"', '']) {
    expect([held, (await get(held)).status]).toEqual([held, 200]);
  }
  expect((await get(tag, 'GET', max)).status).toBe(403);
});

test('a part is handed out to go on with what the client has, and not with anything else', async () => {
  const server = await start();
  const { mel } = server.people;
  const url = await uploaded(server, mel, { content: '0123456789' });
  const tag = String((await download(server, url, { as: mel })).headers.etag);
  const get = async (headers: Record<string, string>) => {
    const reply = await download(server, url, {
      as: mel,
      headers: { range: 'bytes=4-5', ...headers },
    });
    return [reply.status, reply.bytes.toString()];
  };
  expect(await get({ 'if-range': tag })).toEqual([206, '45']);
  for (const held of ['"x"', `W/${tag}`, 'Wed, 21 Oct 2015 07:28:00 GMT']) {
    expect(await get({ 'if-range': held })).toEqual([200, '0123456789']);
  }
  expect(await get({ 'if-none-match': tag })).toEqual([304, '']);
  expect(await get({ 'if-none-match': '"x"' })).toEqual([206, '45']);
});

test('thumbnails, avatars, emoji and the images of the server are not sent to who has them', async () => {
  const server = await start();
  const { ada } = server.people;
  const image = { content: await png(40, 30), filename: 'a.png', contentType: 'image/png' };
  const url = await uploaded(server, ada, image);
  while ((await server.perform((tx) => tx.attachments.get([1])?.image?.isReady)) !== true) {
    await server.advance(1);
  }
  await uploadTo(server, ada, '/realm/emoji/square', image);
  await uploadTo(server, ada, '/users/me/avatar', image);
  const redirect = await download(server, `/avatar/${ada.id}`);
  const drawn = await download(server, `/avatar/${server.people.mel.id}`);
  const { body } = await server.get(ada, '/realm/emoji');
  const [emoji] = Object.values<{ source_url: string }>(body.emoji);
  const paths = [
    `${url.replace('/user_uploads/', '/user_uploads/thumbnail/')}/840x560.webp`,
    url.replace('/user_uploads/', '/user_uploads/download/'),
    String(redirect.headers.location),
    String(drawn.headers.location),
    emoji?.source_url ?? '',
    '/static/realm-icon.png',
    '/static/emoji-data.json',
  ];
  const tags = new Set<string>();
  for (const path of paths) {
    const first = await download(server, path, { as: ada });
    const tag = String(first.headers.etag);
    expect([path, first.status, tag]).toEqual([path, 200, expect.stringMatching(/^"[^"]+"$/)]);
    const head = await download(server, path, { as: ada, method: 'HEAD' });
    expect(head.headers).toMatchObject({
      etag: tag,
      'content-length': String(first.bytes.length),
      'cache-control': String(first.headers['cache-control']),
    });
    const again = await download(server, path, { as: ada, headers: { 'if-none-match': tag } });
    expect([path, again.status, again.bytes.length]).toEqual([path, 304, 0]);
    expect(again.headers['cache-control']).toBe(first.headers['cache-control']);
    tags.add(tag);
  }
  // No two of these files have the same tag.
  expect(tags.size).toBe(paths.length);
});

test('an empty file is handed out, and a part of it cannot be', async () => {
  const server = await start();
  const { mel } = server.people;
  const url = await uploaded(server, mel, { content: '' });
  expect(await download(server, url, { as: mel })).toMatchObject({
    status: 200,
    headers: { 'content-length': '0' },
  });
  const part = await download(server, url, { as: mel, headers: { range: 'bytes=0-0' } });
  expect([part.status, part.headers['content-range']]).toEqual([416, 'bytes */0']);
});

test('a file whose bytes are gone is a 404, and no fault', async () => {
  const server = await start();
  const { mel } = server.people;
  const url = await uploaded(server, mel);
  const [file = ''] = storedFiles(server.data);
  rmSync(join(uploadsFolder(server.data), file));
  expect((await download(server, url, { as: mel })).status).toBe(404);
  expect(server.bugs).toEqual([]);
});

test('a client that does not read is not sent for, and gets the rest when it does', async () => {
  const server = await start();
  const { mel } = server.people;
  const content = Buffer.alloc(30 * 1024 * 1024, 'slow ');
  const url = await uploaded(server, mel, { content });
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const request = http.get({
      port: server.app.port,
      path: url,
      headers: { host: 'test.localhost', authorization: basic(mel) },
      agent: false,
    });
    request.on('error', reject);
    request.on('response', resolve);
  });
  // Far less than the file fits into the buffers of the two ends: others are served meanwhile.
  expect(
    (await download(server, url, { as: mel, headers: { range: 'bytes=0-3' } })).bytes.length,
  ).toBe(4);
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  expect(Buffer.concat(chunks).equals(content)).toBe(true);
});

test('a client that goes away in the middle leaves nothing open, and others are served', async () => {
  const server = await start();
  const { mel } = server.people;
  const url = await uploaded(server, mel, { content: Buffer.alloc(30 * 1024 * 1024) });
  const opened = () => readdirSync('/proc/self/fd').filter(isUpload).length;
  await new Promise<void>((resolve) => {
    const request = http.get({
      port: server.app.port,
      path: url,
      headers: { host: 'test.localhost', authorization: basic(mel) },
      agent: false,
    });
    request.on('error', () => undefined);
    request.on('response', (response) => {
      response.on('error', () => undefined);
      response.once('data', () => {
        request.destroy();
        resolve();
      });
    });
  });
  while (opened() > 0) await new Promise((resolve) => setImmediate(resolve));
  expect((await download(server, url, { as: mel, headers: { range: 'bytes=0-3' } })).status).toBe(
    206,
  );
  expect(server.bugs).toEqual([]);
});

/**
 * Tells whether a file descriptor of this process, in which the server runs, belongs to an uploaded
 * file.
 */
function isUpload(descriptor: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`).includes('/uploads/');
  } catch {
    return false;
  }
}
