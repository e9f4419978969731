import http from 'node:http';
import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { codeOf, namesOf } from '../../src/domain/rules/texts/emoji.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

interface Fetched {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Fetches a file without an account, as any browser would. */
const fetchFile = ({ app }: TestServer, path: string, method = 'GET') =>
  new Promise<Fetched>((resolve, reject) => {
    const { port } = app;
    const headers = { host: `test.localhost:${port}` };
    const request = http.request({ host: '127.0.0.1', port, path, method, headers, agent: false });
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode = 0 } = response;
        resolve({ status: statusCode, headers: response.headers, body: Buffer.concat(chunks) });
      });
    });
    request.end();
  });

/** Width, height and the raw rows of a PNG. */
function pngOf(body: Buffer) {
  expect(body.subarray(1, 4).toString()).toBe('PNG');
  const [width, height] = [body.readUInt32BE(16), body.readUInt32BE(20)];
  const rows = inflateSync(body.subarray(41, 41 + body.readUInt32BE(33)));
  return { width, height, rows };
}

test('server_emoji_data_url gives the names of every emoji to anyone, and may be kept for a day', async () => {
  const server = await startServer();
  const { state } = await server.register(server.people.mel);
  const { status, headers, body } = await fetchFile(
    server,
    new URL(state.server_emoji_data_url).pathname,
  );
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'cache-control': 'public, max-age=86400',
  });
  const { code_to_names: names, ...rest } = JSON.parse(body.toString());
  expect(rest).toEqual({});
  expect(Object.keys(names).length).toBeGreaterThan(1_500);
  const code = codeOf('tada') ?? expect.fail('it is an emoji');
  expect(names[code]).toEqual(namesOf(code));
});

test('every image that the server has of its own is there', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, gus } = server.people;
  const { state } = await server.register(mel);
  await server.set('can_access_all_users_group', 3);
  await server.delete(gus, '/users/me/subscriptions', { subscriptions: ['general'] });
  const hidden = (await server.register(gus)).state.realm_users;
  const sent = { type: 'channel', to: 'general', topic: 'tea', content: ':service:' };
  const { id } = (await server.post(mel, '/messages', sent)).body;
  const { content } = (await server.get(mel, `/messages/${id}`)).body.message;
  const urls: string[] = [
    state.realm_icon_url,
    state.cross_realm_bots[0].avatar_url,
    state.realm_logo_url,
    state.realm_night_logo_url,
    hidden.find(({ user_id }: { user_id: number }) => user_id === mel.id).avatar_url,
    /src="([^"]+)"/.exec(content)?.[1] ?? expect.fail('the emoji is an image'),
  ];
  const images = new Set<string>();
  for (const url of urls) {
    const { status, headers, body } = await fetchFile(server, new URL(url, server.url).pathname);
    expect([status, headers['content-type']], url).toEqual([200, 'image/png']);
    const { width, height, rows } = pngOf(body);
    expect(rows.length).toBe(height * (1 + width * 4));
    images.add(body.toString('base64'));
  }
  expect(images.size).toBe(urls.length);
});

test('a file is asked for with GET or HEAD, and no other file of the server is given', async () => {
  const server = await startServer();
  const path = '/static/emoji-data.json';
  const whole = await fetchFile(server, path);
  const head = await fetchFile(server, path, 'HEAD');
  expect([head.status, head.body.length]).toEqual([200, 0]);
  expect(head.headers['content-length']).toBe(String(whole.body.length));
  const options = await fetchFile(server, path, 'OPTIONS');
  expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
  const refused = await fetchFile(server, path, 'POST');
  expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD']);
  for (const other of [
    '/static/',
    '/static/x.png',
    '/static/../package.json',
    '/static/toString',
    '/static/avatars/',
    '/static/avatars/0123456789abcde.png',
    '/static/avatars/0123456789ABCDEF.png',
    '/static/avatars/0123456789abcdef-large.png',
    '/static/avatars/../avatars/0123456789abcdef.png',
  ]) {
    expect((await fetchFile(server, other)).status, other).toBe(404);
  }
});
