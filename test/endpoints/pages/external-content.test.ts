import { createHash } from 'node:crypto';
import http from 'node:http';
import { expect, test } from 'vitest';
import {
  EXTERNAL_CONTENT_SECONDS_KEPT,
  EXTERNAL_CONTENTS_AT_ONCE_MAX,
  EXTERNAL_CONTENTS_PER_SITE_MAX,
  EXTERNAL_IMAGE_BYTES_MAX,
  REDIRECTS_MAX,
} from '../../../src/domain/limits.ts';
import { proxied } from '../../../src/operations/external-content.ts';
import { type Serve, startSite, type TestSite } from '../../support/site.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

interface Shown {
  readonly server: TestServer;
  readonly site: TestSite;
}

async function showing(serve: Serve, env: Record<string, string> = {}): Promise<Shown> {
  const site = await startSite(serve);
  const server = await startServer({
    channels: ['general'],
    env: { CONFAB_PREVIEW_PRIVATE_ADDRESSES: '1', ...env },
  });
  return { server, site };
}

/** The path by which this server hands out a URL. */
const pathOf = (server: TestServer, url: string) => server.perform((tx) => proxied(tx, url));

interface Options {
  readonly method?: string;
  readonly host?: string;
  readonly headers?: Record<string, string>;
}

/** As anybody's browser would, without an account. */
function open({ app }: TestServer, path: string, options: Options = {}) {
  const { method = 'GET', host = 'test.localhost', headers } = options;
  const { port } = app;
  return new Promise<http.IncomingMessage>((resolve, reject) => {
    http
      .request({
        host: '127.0.0.1',
        port,
        path,
        method,
        headers: { host, ...headers },
        agent: false,
      })
      .on('error', reject)
      .on('response', resolve)
      .end();
  });
}

async function fetched(server: TestServer, path: string, options: Options = {}) {
  const response = await open(server, path, options);
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  return {
    status: response.statusCode,
    headers: response.headers,
    body: Buffer.concat(chunks),
  };
}

const PNG = Buffer.from('\x89PNG\r\n\x1a\n and so on', 'latin1');

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
  expect(site.asked).toEqual([]);

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
  expect(site.asked).toEqual(['/a.png?x=1&y=%22']);
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
  expect(site.asked).toEqual([]);
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
  expect(site.asked).toEqual([]);
});

test('addresses of this machine and the networks around it are refused, however they are written', async () => {
  const { server, site } = await showing(servePng, { CONFAB_PREVIEW_PRIVATE_ADDRESSES: '0' });
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0']) {
    const path = await pathOf(server, `http://${host}:${site.port}/a.png`);
    expect([host, (await fetched(server, path)).status]).toEqual([host, 404]);
  }
  const file = await pathOf(server, 'file:///etc/passwd');
  expect((await fetched(server, file)).status).toBe(404);
  expect(site.asked).toEqual([]);
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
    expect(site.asked).toEqual(['/a.png']);
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
  expect(site.asked).toEqual(['/5', '/4', '/3', '/2', '/1', '/0']);
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
    expect(site.asked).toHaveLength(1);
  },
);

test('a picture is handed out up to its bound, which the site says or not', async () => {
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
  // What is under way already breaks off, so that nobody takes it for the whole.
  const unsaid = fetched(server, await pathOf(server, `${site.url}/unsaid/1`));
  await expect(unsaid).rejects.toThrow('aborted');
  expect(server.bugs).toEqual([]);
});

test('a part of a film is handed out as a part', async () => {
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
  expect(site.asked).toHaveLength(1);
});

test('of a client that reads nothing, no more is taken from the site', async () => {
  const bytes = EXTERNAL_IMAGE_BYTES_MAX - 1;
  const body = Buffer.alloc(bytes, 'something that repeats at no power of two');
  let source: http.ServerResponse | undefined;
  const { server, site } = await showing((_path, response) => {
    source = response;
    response.writeHead(200, { 'content-type': 'image/png' });
    response.write(body, () => undefined);
    response.end();
  });
  const response = await open(server, await pathOf(server, `${site.url}/a.png`));
  await untilStill(() => source?.socket?.bytesWritten ?? 0);
  expect(source?.writableFinished).toBe(false);
  const hash = createHash('sha256');
  for await (const chunk of response as AsyncIterable<Buffer>) hash.update(chunk);
  expect(hash.digest('hex')).toBe(createHash('sha256').update(body).digest('hex'));
});

/** As long as a number changes within some hundred turns of the loop that client, server and site share. */
async function untilStill(count: () => number) {
  for (let turns = 0, last = count(); turns < 500; turns += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (count() !== last) turns = 0;
    last = count();
  }
}

test.each(['before the site answers', 'on the way'])(
  'a client that goes away %s ends the fetch',
  async (when) => {
    let closed: () => void = () => undefined;
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    let reached: () => void = () => undefined;
    const isReached = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const { server, site } = await showing((_path, response) => {
      response.on('close', closed);
      if (when === 'on the way') {
        response.writeHead(200, { 'content-type': 'image/png' });
        response.write('begun');
      }
      reached();
    });
    const path = await pathOf(server, `${site.url}/a.png`);
    const request = http.request({
      host: '127.0.0.1',
      port: server.app.port,
      path,
      headers: { host: 'test.localhost' },
      agent: false,
    });
    request.on('error', () => undefined);
    const begun = new Promise<void>((resolve) => {
      request.on('response', (response) => response.once('data', () => resolve()));
    });
    request.end();
    await (when === 'on the way' ? begun : isReached);
    request.destroy();
    await isClosed;
    expect(server.bugs).toEqual([]);
  },
);

test('a site that breaks off breaks off the answer', async () => {
  const { server, site } = await showing((_path, response) => {
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': 100 });
    response.write('begun', () => response.destroy());
  });
  const path = await pathOf(server, `${site.url}/a.png`);
  await expect(fetched(server, path)).rejects.toThrow('aborted');
  expect(server.bugs).toEqual([]);
});

test('more than a bounded number at once are told to come again, of one site and of all', async () => {
  const waiting: http.ServerResponse[] = [];
  const { server, site } = await showing((_path, response) => void waiting.push(response));
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const untilAsked = async (count: number) => {
    while (waiting.length < count) await turn();
  };
  // Two names of the same site.
  const first = await pathOf(server, `${site.url}/a.png`);
  const second = await pathOf(server, `http://[::ffff:127.0.0.1]:${site.port}/a.png`);
  const many = (path: string) =>
    Array.from({ length: EXTERNAL_CONTENTS_PER_SITE_MAX }, () => fetched(server, path));
  const isBusy = async (path: string) => {
    const { status, headers } = await fetched(server, path);
    expect([status, headers['retry-after']]).toEqual([429, '1']);
  };
  const replies = many(first);
  await untilAsked(EXTERNAL_CONTENTS_PER_SITE_MAX);
  await isBusy(first);
  replies.push(...many(second));
  await untilAsked(EXTERNAL_CONTENTS_AT_ONCE_MAX);
  await isBusy(await pathOf(server, `http://localhost:${site.port}/a.png`));
  for (const response of waiting) {
    response.writeHead(200, { 'content-type': 'image/png' }).end(PNG);
  }
  for (const reply of await Promise.all(replies)) expect(reply.status).toBe(200);
  const again = fetched(server, first);
  await untilAsked(EXTERNAL_CONTENTS_AT_ONCE_MAX + 1);
  waiting.at(-1)?.writeHead(200, { 'content-type': 'image/png' }).end(PNG);
  expect((await again).status).toBe(200);
});
