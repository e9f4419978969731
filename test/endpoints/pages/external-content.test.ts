import { expect, test } from 'vitest';
import {
  EXTERNAL_CONTENT_SECONDS_KEPT,
  EXTERNAL_IMAGE_BYTES_MAX,
  REDIRECTS_MAX,
} from '../../../src/domain/limits/external-content.ts';
import { fetched, PNG, pathOf, showing } from '../../support/pages/external-content.ts';
import type { Serve } from '../../support/pages/site.ts';

const servePng: Serve = (_path, response) => {
  response.writeHead(200, { 'content-type': 'image/png', 'set-cookie': 'a=b' }).end(PNG);
};

const nothingAt = (path: string) => ({
  result: 'error',
  msg: `There is nothing at ${path}`,
  code: 'NOT_FOUND',
});

test('what a message shows of another site is fetched by this server, for whoever has the message', async () => {
  const { server, site } = await showing(servePng);
  const { mel, max } = server.people;
  const queue = await server.register(max, { event_types: ['message'], apply_markdown: true });
  const url = `${site.url}/a.png?x=1&y=%22`;
  await server.post(mel, '/messages', {
    type: 'channel',
    to: 'general',
    topic: 'tea',
    content: url,
  });
  const [event] = await queue.next();
  const escaped = url.replace('&', '&amp;');
  const hex = Buffer.from(url).toString('hex');
  expect(event?.['message'].content).toMatch(
    new RegExp(
      `^<div class="message_inline_image"><a href="${escaped.replace(/[?.]/g, '\\$&')}"><img src="/external_content/[0-9a-f]{64}/${hex}"></a></div>$`,
    ),
  );
  expect(site.requests).toEqual([]);

  const path = /src="([^"]+)"/.exec(event?.['message'].content)?.[1] ?? '';
  const { status, headers, body } = await fetched(server, path, { headers: { cookie: 'c=d' } });
  expect(status).toBe(200);
  expect(body).toEqual(PNG);
  expect(headers).toMatchObject({
    'content-type': 'image/png',
    'cache-control': `private, max-age=${EXTERNAL_CONTENT_SECONDS_KEPT}`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringMatching(/^default-src 'none'; .*sandbox$/),
    'referrer-policy': 'no-referrer',
  });
  expect(headers).not.toHaveProperty('set-cookie');
  expect(site.requests).toEqual(['/a.png?x=1&y=%22']);
  // Nothing of who asks.
  expect(Object.keys(site.headers()).sort()).toEqual(
    ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'].sort(),
  );
  expect(server.bugs).toEqual([]);
});

test('only URLs that the realm has signed are fetched', async () => {
  const { server, site } = await showing(servePng);
  const other = await server.addRealm('other');
  expect(other.admin.id).toBeGreaterThan(0);
  const path = await pathOf(server, `${site.url}/a.png`);
  const [, folder, signature = '', hex = ''] = path.split('/');
  const changed = signature.startsWith('0') ? `1${signature.slice(1)}` : `0${signature.slice(1)}`;
  const otherUrl = Buffer.from(`${site.url}/b.png`).toString('hex');
  for (const wrong of [
    `/${folder}/${changed}/${hex}`,
    `/${folder}/${signature}/${otherUrl}`,
    `/${folder}/${signature.slice(1)}/${hex}`,
    `/${folder}/${signature}/${hex.slice(1)}`,
    `/${folder}/${signature}/${hex}00`,
    `/${folder}/${signature}/`,
    `/${folder}/${signature}`,
    `/${folder}/`,
  ]) {
    const { status, body } = await fetched(server, wrong);
    expect([status, JSON.parse(body.toString())]).toEqual([404, nothingAt(wrong)]);
  }
  const elsewhere = await fetched(server, path, { host: 'other.localhost' });
  expect(elsewhere.status).toBe(404);
  expect(site.requests).toEqual([]);
  expect((await fetched(server, path)).status).toBe(200);
});

test('a realm signs the same way after a restart', async () => {
  const { server, site } = await showing(servePng);
  const path = await pathOf(server, `${site.url}/a.png`);
  await server.restart();
  expect((await fetched(server, path)).body).toEqual(PNG);
});

test('a server without previews fetches nothing, and its messages show links', async () => {
  const { server, site } = await showing(servePng, { CONFAB_PREVIEWS: '0' });
  const { mel } = server.people;
  const url = `${site.url}/a.png`;
  const state = await server.register(mel, { fetch_event_types: ['realm'] });
  expect(state.state).toMatchObject({
    server_inline_image_preview: false,
    server_inline_url_embed_preview: false,
    realm_inline_image_preview: true,
  });
  const { body } = await server.post(mel, '/messages', {
    type: 'channel',
    to: 'general',
    topic: 'tea',
    content: url,
  });
  const { message } = (await server.get(mel, `/messages/${body.id}`)).body;
  expect(message.content).toBe(`<p><a href="${url}">${url}</a></p>`);
  const path = await pathOf(server, url);
  expect((await fetched(server, path)).status).toBe(404);
  expect(site.requests).toEqual([]);
});

test('addresses of this machine and the networks around it are refused, however they are written', async () => {
  const { server, site } = await showing(servePng, { CONFAB_PREVIEW_PRIVATE_ADDRESSES: '0' });
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0']) {
    const path = await pathOf(server, `http://${host}:${site.port}/a.png`);
    expect([host, (await fetched(server, path)).status]).toEqual([host, 404]);
  }
  const file = await pathOf(server, 'file:///etc/passwd');
  expect((await fetched(server, file)).status).toBe(404);
  expect(site.requests).toEqual([]);
});

test.each([
  ['image/svg+xml', {}],
  ['text/html', {}],
  ['application/octet-stream', {}],
  ['', {}],
  ['image/png', { status: 404 }],
  ['image/png', { status: 500 }],
  ['image/png', { packed: 'gzip' }],
])(
  'an answer of type "%s" is not handed out with %o',
  async (type, { status = 200, packed }: { status?: number; packed?: string }) => {
    const { server, site } = await showing((_path, response) => {
      response.writeHead(status, {
        ...(type === '' ? {} : { 'content-type': type }),
        ...(packed === undefined ? {} : { 'content-encoding': packed }),
      });
      response.end('<svg onload="alert(1)"/>');
    });
    const path = await pathOf(server, `${site.url}/a.png`);
    const { status: given, body, headers } = await fetched(server, path);
    expect([given, JSON.parse(body.toString())]).toEqual([404, nothingAt(path)]);
    expect(headers['cache-control']).toBe('private, no-store');
    expect(site.requests).toEqual(['/a.png']);
    expect(server.bugs).toEqual([]);
  },
);

test('it goes where a site sends it to, a bounded number of times', async () => {
  const { server, site } = await showing((path, response, request) => {
    const left = Number(path.slice(1));
    if (left === 0) servePng(path, response, request);
    else response.writeHead(302, { location: `/${left - 1}` }).end();
  });
  const path = await pathOf(server, `${site.url}/${REDIRECTS_MAX}`);
  expect((await fetched(server, path)).body).toEqual(PNG);
  expect(site.requests).toEqual(['/5', '/4', '/3', '/2', '/1', '/0']);
  const further = await pathOf(server, `${site.url}/${REDIRECTS_MAX + 1}`);
  expect((await fetched(server, further)).status).toBe(404);
});

test.each(['file:///etc/passwd', 'http://', 'gopher://127.0.0.1/'])(
  'it does not go to %s',
  async (location) => {
    const { server, site } = await showing((_path, response) => {
      response.writeHead(302, { location }).end();
    });
    const path = await pathOf(server, `${site.url}/a.png`);
    expect((await fetched(server, path)).status).toBe(404);
    expect(site.requests).toHaveLength(1);
  },
);

test('an image is handed out up to its bound, which the site says or not', async () => {
  const { server, site } = await showing((path, response) => {
    const bytes = EXTERNAL_IMAGE_BYTES_MAX + Number(path.slice(-1));
    response.setHeader('content-type', 'image/png');
    if (path.startsWith('/said')) response.setHeader('content-length', bytes);
    response.write(Buffer.alloc(bytes, 7));
    response.end();
  });
  const whole = await fetched(server, await pathOf(server, `${site.url}/unsaid/0`));
  expect(whole.body.length).toBe(EXTERNAL_IMAGE_BYTES_MAX);
  const said = await fetched(server, await pathOf(server, `${site.url}/said/1`));
  expect(said.status).toBe(404);
  // An answer that is under way is aborted, so that the client does not take it for the whole.
  const unsaid = fetched(server, await pathOf(server, `${site.url}/unsaid/1`));
  await expect(unsaid).rejects.toThrow('aborted');
  expect(server.bugs).toEqual([]);
});

test('a part of a video is handed out as a part', async () => {
  const { server, site } = await showing((_path, response, { headers }) => {
    if (headers.range === undefined) response.writeHead(200, { 'content-type': 'video/mp4' });
    else {
      response.writeHead(206, { 'content-type': 'video/mp4', 'content-range': 'bytes 2-4/10' });
    }
    response.end(headers.range === undefined ? '0123456789' : '234');
  });
  const path = await pathOf(server, `${site.url}/a.mp4`);
  const part = await fetched(server, path, { headers: { range: 'bytes=2-4' } });
  expect(part).toMatchObject({
    status: 206,
    headers: { 'content-type': 'video/mp4', 'content-range': 'bytes 2-4/10' },
    body: Buffer.from('234'),
  });
  const odd = await fetched(server, path, { headers: { range: 'bytes=2-4, 6-7' } });
  expect([odd.status, odd.body.toString()]).toEqual([200, '0123456789']);
  expect(odd.headers).not.toHaveProperty('content-range');
});

test('it can only be read', async () => {
  const { server, site } = await showing((_path, response) => {
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': PNG.length });
    response.end(PNG);
  });
  const path = await pathOf(server, `${site.url}/a.png`);
  const head = await fetched(server, path, { method: 'HEAD' });
  expect(head).toMatchObject({
    status: 200,
    headers: { 'content-type': 'image/png', 'content-length': String(PNG.length) },
  });
  expect(head.body.length).toBe(0);
  const options = await fetched(server, path, { method: 'OPTIONS' });
  expect([options.status, options.headers['allow']]).toEqual([204, 'GET, HEAD, OPTIONS']);
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const { status, headers } = await fetched(server, path, { method });
    expect([method, status, headers['allow']]).toEqual([method, 405, 'GET, HEAD']);
  }
  expect(site.requests).toHaveLength(1);
});
