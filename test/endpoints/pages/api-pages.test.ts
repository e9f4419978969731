import { expect, test } from 'vitest';
import { openApiDocument } from '../../../src/endpoints/documents/openapi.ts';
import { ENDPOINTS } from '../../../src/endpoints/index.ts';
import { operationId } from '../../../src/endpoints/operation-id.ts';
import { openPage } from '../../support/pages/page.ts';
import { run } from '../../support/processes/run.ts';
import { startServer } from '../../support/start-server.ts';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

test('the page of the API leads to a page of each operation, with all that the document says of it', async () => {
  const server = await startServer();
  const index = await openPage(`${server.url}/api`);
  expect([index.status, index.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  const linked = new Set(Array.from(index.text.matchAll(/href="\/api\/(\w+)"/g), ([, id]) => id));
  const { paths } = openApiDocument(ENDPOINTS);
  for (const endpoint of ENDPOINTS) {
    const id = operationId(endpoint);
    expect(linked).toContain(id);
    const { status, text } = await openPage(`${server.url}/api/${id}`);
    expect(status).toBe(200);
    expect(text).toContain(`<h1>${escaped(endpoint.summary)}</h1>`);
    const path = endpoint.path.replace('...}', '}');
    expect(text).toContain(`<code>/api/v1${path}</code>`);
    for (const name of Object.keys(endpoint.params)) {
      expect(text).toContain(`<code class="name">${name}</code>`);
    }
    for (const name of Object.keys(endpoint.reply ?? {}).filter((field) => field !== 'msg')) {
      expect(text).toContain(`<code class="name">${name}</code>`);
    }
    for (const code of endpoint.refuses ?? []) {
      if (!GENERAL.includes(code)) expect(text).toContain(`<code>${code}</code>`);
    }
    const operation = paths[path]?.[endpoint.method.toLowerCase()];
    for (const type of operation?.['x-events'] ?? [])
      expect(text).toContain(`#event-${anchor(type)}`);
  }
  expect(server.bugs).toEqual([]);
});

const GENERAL: readonly string[] = [
  'PAYLOAD_TOO_LARGE',
  'HEADERS_TOO_LARGE',
  'RATE_LIMIT_HIT',
  'SERVER_STOPPING',
  'STORAGE_FULL',
  'REALM_NOT_SERVED',
  'FILES_AWAY',
  'UNAUTHORIZED',
  'NONEXISTENT_SUBDOMAIN',
];

const anchor = (type: string) => type.toLowerCase();

const escaped = (text: string) => text.replaceAll("'", '&#39;');

test('every link of the pages leads to a page, and to a place on it', async () => {
  const server = await startServer();
  const pages = new Map<string, string>();
  const open = async (path: string) => {
    const known = pages.get(path);
    if (known !== undefined) return known;
    const { status, text } = await openPage(`${server.url}${path}`);
    expect([path, status]).toEqual([path, 200]);
    pages.set(path, text);
    return text;
  };
  const operations = ENDPOINTS.map((endpoint) => `/api/${operationId(endpoint)}`);
  for (const path of ['/api', '/api/events', '/api/objects', '/api/errors', ...operations]) {
    const links = (await open(path)).matchAll(/<a (?:class="\w+" )?href="([^"#]*)(?:#([^"]*))?"/g);
    for (const [, target = '', place] of links) {
      if (target === '/api/v1/openapi.json') continue;
      const text = await open(target === '' ? path : target);
      if (place !== undefined) expect(text, `${path} links ${place}`).toContain(`id="${place}"`);
    }
  }
  expect(pages.size).toBe(ENDPOINTS.length + 4);
});

test('the pages allow files of the server alone, and have nothing inline', async () => {
  const server = await startServer();
  for (const path of ['/api', '/api/', '/api/postMessages', '/api/events', '/api/nothing']) {
    const { headers, text } = await openPage(`${server.url}${path}`);
    expect(headers).toMatchObject({
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-cache',
    });
    expect(text).not.toMatch(
      /<style|<script>| on\w+="|style="|javascript:|<(?:script|link)[^>]*http/,
    );
  }
});

test('scripts and styles are kept by browsers for ever, as their addresses change with them', async () => {
  const server = await startServer();
  const { text } = await openPage(`${server.url}/api`);
  const linked = Array.from(text.matchAll(/(?:src|href)="(\/static\/[^"]+)"/g), ([, at]) => at);
  const folder = /^\/static\/api-[\w-]{12}\//.exec(linked[0] ?? '')?.[0] ?? expect.fail();
  const names = ['frame.css', 'content.css', 'controls.css', 'page.js'];
  expect(linked).toEqual(names.map((name) => `${folder}${name}`));
  for (const name of [...names, 'elements.js', 'trying.js']) {
    const { status, headers, text } = await openPage(`${server.url}${folder}${name}`);
    const type = name.endsWith('.css') ? 'text/css' : 'text/javascript';
    expect([status, headers['content-type']]).toEqual([200, `${type}; charset=utf-8`]);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    for (const [, other] of text.matchAll(/from '\.\/([\w.]+)'/g)) {
      expect((await openPage(`${server.url}${folder}${other}`)).status).toBe(200);
    }
  }
  expect((await openPage(`${server.url}/static/api-0/page.js`)).status).toBe(404);
});

test('a page that a browser has is not sent again', async () => {
  const server = await startServer();
  const first = await fetch(`${server.url}/api/getMessages`);
  const tag = first.headers.get('etag') ?? '';
  const headers = { 'if-none-match': tag };
  const again = await fetch(`${server.url}/api/getMessages`, { headers });
  expect([again.status, await again.text()]).toEqual([304, '']);
  const other = await fetch(`${server.url}/api/postMessages`, { headers });
  expect(other.status).toBe(200);
});

test('programs see what they saw before: below /api/v1 there is the API, and nothing else', async () => {
  const server = await startServer();
  const nowhere = await openPage(`${server.url}/api/v1`);
  expect([nowhere.status, nowhere.headers['content-type']]).toEqual([404, 'application/json']);
  const unknown = await openPage(`${server.url}/api/v1/postMessages`);
  expect([unknown.status, unknown.headers['content-type']]).toEqual([404, 'application/json']);
  const document = await openPage(`${server.url}/api/v1/openapi.json`);
  expect(JSON.parse(document.text)).toMatchObject({ externalDocs: { url: '/api' } });
});

test('a page that is not there says so, as do other methods and hosts without an organization', async () => {
  const server = await startServer();
  const unknown = await openPage(`${server.url}/api/getNothing`);
  expect(unknown.status).toBe(404);
  expect(unknown.text).toContain('<h1>No such operation</h1>');
  expect((await openPage(`${server.url}/api`, { method: 'POST', form: {} })).status).toBe(405);
  const head = await openPage(`${server.url}/api`, { method: 'HEAD' });
  expect([head.status, head.text]).toEqual([200, '']);
  await server.addRealm('acme');
  const elsewhere = await openPage(`${server.url}/api`, { host: 'nobody.localhost' });
  expect(elsewhere.status).toBe(404);
});

test('the JavaScript of a page does what it says, at the address of the organization', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const program = async (id: string) => {
    const { text } = await openPage(`${server.url}/api/${id}`);
    const [, code = ''] =
      /data-tab="JavaScript">.*?<pre[^>]*><code>(.*?)<\/code>/s.exec(text) ?? [];
    return unescaped(code)
      .replace('you@example.com', mel.email)
      .replace('YOUR_API_KEY', mel.apiKey);
  };
  const answers = [];
  for (const id of ['postMessages', 'getMessages', 'getOpenapiJson', 'postUserUploads']) {
    const code = await program(id);
    expect(code).toContain(server.url);
    const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', code]);
    expect(stderr).toBe('');
    answers.push(stdout);
  }
  expect(answers[0]).toMatch(/result: 'success'[\s\S]*id: 1/);
  expect(answers[1]).toContain('Soup at noon?');
  expect(answers[2]).toContain("openapi: '3.1.0'");
  expect(answers[3]).toContain("result: 'success'");
});

const unescaped = (text: string) =>
  text
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
