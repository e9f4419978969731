import { request } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { FORMER } from '../support/files/live-certificates.ts';
import { startServer } from '../support/start-server.ts';

const withRedirects = (env: Record<string, string> = {}) =>
  startServer({
    env: {
      CONFAB_TLS_KEY: FORMER.key,
      CONFAB_TLS_CERT: FORMER.cert,
      CONFAB_REDIRECT_PORT: '0',
      ...env,
    },
  });

type Server = Awaited<ReturnType<typeof startServer>>;

function asked(server: Server, host: string, path = '/api/v1/users/me?a=b', method = 'GET') {
  const port = server.app.redirectPort ?? expect.fail('there is no such port');
  return new Promise<{ status: number; location: string | undefined }>((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path, method, headers: { host }, agent: false },
      (reply) => {
        reply.resume();
        resolve({ status: reply.statusCode ?? 0, location: reply.headers.location });
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

test('own hosts are sent to the same path by HTTPS, whatever the method', async () => {
  const server = await withRedirects({ CONFAB_DOMAIN: 'chat.example.com' });
  const { port } = server.app;
  for (const host of ['chat.example.com', 'test.chat.example.com:80', 'localhost', '127.0.0.1:8']) {
    const hostname = host.replace(/:\d+$/, '');
    for (const method of ['GET', 'HEAD', 'POST']) {
      expect(await asked(server, host, '/api/v1/users/me?a=b', method)).toEqual({
        status: 308,
        location: `https://${hostname}:${port}/api/v1/users/me?a=b`,
      });
    }
  }
  expect((await asked(server, 'localhost', '//evil.example.org')).location).toBe(
    `https://localhost:${port}//evil.example.org`,
  );
});

test('with a public URL they are sent there', async () => {
  const server = await withRedirects({ CONFAB_PUBLIC_URL: 'https://chat.example.com' });
  const { location } = await asked(server, 'chat.example.com:80', '/');
  expect(location).toBe('https://chat.example.com/');
});

test.each([
  'evil.example.org',
  'test.evil.example.org',
  'nosuch.chat.example.com',
  '203.0.113.9',
  'a b',
])('no other host is sent anywhere: %s', async (host) => {
  const server = await withRedirects({ CONFAB_DOMAIN: 'chat.example.com' });
  expect(await asked(server, host)).toEqual({ status: 404, location: undefined });
});

test('nor is one in the request line, and there is no challenge that nobody has set', async () => {
  const server = await withRedirects();
  expect((await asked(server, 'localhost', 'http://evil.example.org/')).status).toBe(404);
  expect((await asked(server, 'localhost', '/.well-known/acme-challenge/x')).status).toBe(404);
});

test('the port is closed with the server, also to those who say nothing', async () => {
  const server = await withRedirects();
  const port = server.app.redirectPort ?? expect.fail();
  const silent = connect(port, '127.0.0.1');
  await new Promise((resolve) => silent.once('connect', resolve));
  const closed = new Promise((resolve) => silent.once('close', resolve));
  silent.on('error', () => undefined);
  await server.stop();
  await closed;
  await expect(asked({ ...server, app: server.app }, 'localhost')).rejects.toThrow('ECONNREFUSED');
});
