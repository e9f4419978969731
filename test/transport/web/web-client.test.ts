import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, inject, test } from 'vitest';
import { writePage } from '../../support/pages/built-page.ts';
import { startProcess } from '../../support/processes/start-process.ts';
import { fetched } from '../../support/requests/fetched.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const DOCUMENT = `<!doctype html><title>confab</title>${'<p>hello</p>'.repeat(50)}`;
const FILES = {
  'index.html': DOCUMENT,
  'assets/style-1.css': 'body{margin:0}',
  'assets/main-2.js': 'import "./part-3.js";',
  'assets/part-3.js': 'export {};',
  'assets/later-4.js': 'export const later = true;',
};

const start = (env: Readonly<Record<string, string>> = {}) =>
  startServer({ env: { CONFAB_WEB_DEV: writePage(FILES), ...env } });

const notFound = (path: string) => ({
  status: 404,
  text: `{"result":"error","msg":"There is nothing at ${path}","code":"NOT_FOUND"}\n`,
});

const answer = async (server: TestServer, path: string, asked: Parameters<typeof fetched>[2]) => {
  const { status, body } = await fetched(server, path, asked);
  return { status, text: body.toString() };
};

test('a browser that opens the server, or a path that nothing else has, gets the document', async () => {
  const server = await start();
  for (const path of ['/', '/?x=1', '/inbox', '/a/b/c', '//x', '/%00', '/apis', '/staticky']) {
    const { status, headers, body } = await fetched(server, path, { headers: HTML });
    expect([path, status, body.toString()]).toEqual([path, 200, DOCUMENT]);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      vary: 'Accept, Accept-Encoding',
      'content-length': String(DOCUMENT.length),
    });
  }
  expect(server.bugs).toEqual([]);
});

test.each([
  ['nothing', {}],
  ['anything', { accept: '*/*' }],
  ['JSON', { accept: 'application/json' }],
  ['any text', { accept: 'text/*' }],
  ['HTML with no weight', { accept: 'text/html;q=0, */*' }],
  ['HTML with a weight that cannot be read', { accept: 'text/html;q=x' }],
  ['a longer type', { accept: 'text/html5' }],
])('a program that asks for %s is told that there is nothing, to the byte', async (_, headers) => {
  const server = await start();
  const without = await startServer();
  for (const path of ['/', '/inbox']) {
    expect(await answer(server, path, { headers })).toEqual(notFound(path));
    const answers = [server, without].map(async (each) => {
      const { headers: named } = await fetched(each, path, { headers });
      return { ...named, date: '' };
    });
    const [one, other] = await Promise.all(answers);
    expect(one).toEqual(other);
  }
});

test.each([
  ['/favicon.ico'],
  ['/index.html'],
  ['/manifest.json'],
  ['/../../etc/passwd'],
  ['/assets/../manifest.json'],
  ['/assets/..%2fmanifest.json'],
  ['/assets/%2e%2e/manifest.json'],
  ['/assets/main-2.js.br'],
  ['/assets/none.js'],
  ['/assets/'],
  ['/assets'],
  ['/static/none'],
  ['/api/none/none'],
  ['/api/v2/messages'],
])('%s is no path of the web client, for a browser either', async (path) => {
  const server = await start();
  expect(await answer(server, path, { headers: HTML })).toEqual(notFound(path));
});

test('the API answers browsers as programs, and pages keep their places', async () => {
  const server = await start();
  const { body } = await fetched(server, '/api/v1/none', { headers: HTML });
  expect(JSON.parse(body.toString())).toMatchObject({ code: 'NOT_FOUND' });
  for (const path of ['/join/abc', '/api', '/api/none']) {
    const { body: page } = await fetched(server, path, { headers: HTML });
    expect([path, page.toString() === DOCUMENT]).toEqual([path, false]);
  }
});

test('only GET and HEAD open the document', async () => {
  const server = await start();
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
    const headers = { ...HTML, 'content-length': 0 };
    expect(await answer(server, '/', { method, headers })).toEqual(notFound('/'));
  }
  const { status, headers, body } = await fetched(server, '/', { method: 'HEAD', headers: HTML });
  expect([status, body.length]).toEqual([200, 0]);
  const { headers: ofGet } = await fetched(server, '/', { headers: HTML });
  expect({ ...headers, date: '' }).toEqual({ ...ofGet, date: '' });
  const asset = await fetched(server, '/assets/main-2.js', { method: 'HEAD' });
  expect([asset.headers['content-length'], asset.body.length]).toEqual(['21', 0]);
  expect((await fetched(server, '/assets/main-2.js', { method: 'DELETE' })).status).toBe(405);
});

test.each([
  ['br', 'br', brotliDecompressSync],
  ['gzip, deflate', 'gzip', gunzipSync],
  ['gzip, deflate, br', 'br', brotliDecompressSync],
  ['br;q=0.1, gzip', 'gzip', gunzipSync],
  ['br;q=0, gzip;q=0', undefined, (bytes: Buffer) => bytes],
  ['identity', undefined, (bytes: Buffer) => bytes],
])('with %j files come in the form %s', async (accepted, coding, unpack) => {
  const server = await start();
  for (const [path, name] of [
    ['/', 'index.html'],
    ['/assets/main-2.js', 'assets/main-2.js'],
  ] as const) {
    const asked = { headers: { ...HTML, 'accept-encoding': accepted } };
    const { headers, body } = await fetched(server, path, asked);
    expect(headers['content-encoding']).toBe(coding);
    expect(headers['content-length']).toBe(String(body.length));
    expect(unpack(body).toString()).toBe(FILES[name]);
  }
});

test('files are kept for good, the document is asked for again, and 304 if it is the same', async () => {
  const folder = writePage(FILES);
  const server = await startServer({ env: { CONFAB_WEB_DEV: folder } });
  const file = await fetched(server, '/assets/style-1.css');
  expect(file.headers).toMatchObject({
    'content-type': 'text/css; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'Accept-Encoding',
    'x-content-type-options': 'nosniff',
  });
  const tags = new Set<string>();
  for (const accepted of ['', 'gzip', 'br']) {
    const asked = { ...HTML, 'accept-encoding': accepted };
    const { etag = '' } = (await fetched(server, '/', { headers: asked })).headers;
    expect(etag).toMatch(/^"[\w-]+"$/);
    tags.add(etag);
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const headers = { ...asked, 'if-none-match': known };
      const { status, body, headers: named } = await fetched(server, '/', { headers });
      expect([status, body.length, named.etag]).toEqual([304, 0, etag]);
      expect(named.vary).toBe('Accept, Accept-Encoding');
    }
  }
  // Each form is other bytes, so a tag of one is not that of another.
  expect(tags.size).toBe(3);
  const [plain = ''] = tags;
  const asked = { ...HTML, 'accept-encoding': 'br', 'if-none-match': plain };
  expect((await fetched(server, '/', { headers: asked })).status).toBe(200);
  writePage({ ...FILES, 'index.html': '<p>new</p>' }, folder);
  const headers = { ...HTML, 'if-none-match': plain };
  expect(await answer(server, '/', { headers })).toEqual({ status: 200, text: '<p>new</p>' });
});

test('the document is held to the files of its server, and names those that it needs first', async () => {
  const server = await start();
  const { headers } = await fetched(server, '/', { headers: HTML });
  const policy = String(headers['content-security-policy']).split('; ');
  expect(policy).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data: https://secure.gravatar.com",
    "media-src 'self'",
    "connect-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types confab-message confab-worker',
  ]);
  expect(headers).toMatchObject({
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'permissions-policy': expect.stringContaining('camera=()'),
    link: '</assets/style-1.css>; rel=preload; as=style, </assets/main-2.js>; rel=modulepreload, </assets/part-3.js>; rel=modulepreload',
  });
});

test('avatars may come from the service that the operator has named, or from none', async () => {
  const images = async (server: TestServer) =>
    /img-src [^;]*/.exec(
      String((await fetched(server, '/', { headers: HTML })).headers['content-security-policy']),
    )?.[0];
  const own = await start({ CONFAB_GRAVATAR: '0' });
  expect(await images(own)).toBe("img-src 'self' blob: data:");
  const other = await start({ CONFAB_GRAVATAR: 'https://faces.example.com/of' });
  expect(await images(other)).toBe("img-src 'self' blob: data: https://faces.example.com");
});

test('CONFAB_WEB=0 turns it off, and nothing is left of it', async () => {
  const server = await start({ CONFAB_WEB: '0' });
  for (const path of ['/', '/inbox', '/assets/main-2.js']) {
    expect(await answer(server, path, { headers: HTML })).toEqual(notFound(path));
  }
});

test('a folder of a developer that has no page yet is a bug for browsers alone', async () => {
  const folder = writePage(FILES);
  const server = await startServer({ env: { CONFAB_WEB_DEV: folder } });
  rmSync(join(folder, 'manifest.json'));
  expect((await fetched(server, '/', { headers: HTML })).status).toBe(500);
  expect(server.bugs.splice(0)).toHaveLength(1);
  expect(await answer(server, '/', {})).toEqual(notFound('/'));
  expect((await server.get(null, '/server_settings')).status).toBe(200);
});

test('the server that people run serves what was built, each file as the list says', async () => {
  const server = await startProcess();
  const app = { app: { port: server.port() } };
  const built = join(inject('dist'), 'bundle', 'web');
  const manifest = JSON.parse(readFileSync(join(built, 'manifest.json'), 'utf8'));
  expect(Object.keys(manifest.files)).toEqual(
    expect.arrayContaining(['index.html', manifest.style, manifest.script, ...manifest.parts]),
  );
  const { body: document } = await fetched(app, '/', { headers: HTML });
  expect(document.toString()).toBe(readFileSync(join(built, 'index.html'), 'utf8'));
  for (const [name, { type, bytes, brotli, gzip }] of Object.entries<Record<string, unknown>>(
    manifest.files,
  )) {
    const path = name === 'index.html' ? '/' : `/${name}`;
    const hashes = [];
    for (const [accepted, length, unpack] of [
      ['', bytes, (body: Buffer) => body],
      ['br', brotli, brotliDecompressSync],
      ['gzip', gzip, gunzipSync],
    ] as const) {
      const headers = { ...HTML, 'accept-encoding': accepted };
      const { headers: named, body } = await fetched(app, path, { headers });
      expect([name, body.length, named['content-type']]).toEqual([name, length, type]);
      hashes.push(createHash('sha256').update(unpack(body)).digest('hex'));
    }
    expect(new Set(hashes).size).toBe(1);
    if (name === 'index.html') continue;
    const isNamed = [manifest.style, manifest.script, ...manifest.parts].includes(name);
    expect([name, document.toString().includes(path)]).toEqual([name, isNamed]);
  }
});
