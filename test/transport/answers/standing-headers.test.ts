import { readFileSync } from 'node:fs';
import https from 'node:https';
import { join, resolve } from 'node:path';
import { connect } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';

import { basic } from '../../support/client.ts';
import { uploaded } from '../../support/files/uploads.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const FIXTURES = resolve(import.meta.dirname, '../../fixtures');
const TLS = {
  CONFAB_TLS_KEY: join(FIXTURES, 'test-only-key.pem'),
  CONFAB_TLS_CERT: join(FIXTURES, 'test-only-cert.pem'),
};

test('every answer says that it is nothing but what it says it is', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const queue = await server.register(mel);
  const url = await uploaded(server, mel);
  const authorization = basic(mel);
  const requests: readonly [string, string, Record<string, string>?][] = [
    ['GET', '/api/v1/server_settings'],
    ['HEAD', '/api/v1/server_settings'],
    ['GET', '/api/v1/users/me', { authorization }],
    ['GET', '/api/v1/users/me'],
    ['GET', '/api/v1/nothing'],
    ['POST', '/api/v1/server_settings'],
    ['OPTIONS', '/api/v1/server_settings'],
    [
      'GET',
      `/api/v1/events?queue_id=${queue.id}&last_event_id=-1&dont_block=true`,
      { authorization },
    ],
    ['GET', '/api/v1/events/socket', { authorization }],
    ['GET', '/api/v1/openapi.json'],
    ['OPTIONS', '/api/v1/tus'],
    ['POST', '/api/v1/tus'],
    ['GET', '/static/realm-icon.png'],
    ['GET', '/static/emoji-data.json'],
    ['GET', url, { authorization }],
    ['HEAD', url, { authorization }],
    ['GET', url, { authorization, range: 'bytes=0-1' }],
    ['GET', url, { authorization, range: 'bytes=900-' }],
    ['GET', url],
    ['GET', '/avatar/1', { authorization }],
    ['GET', '/join/nothing/'],
    ['GET', '/nothing'],
  ];
  for (const [method, path, headers] of requests) {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: headers ?? {},
      redirect: 'manual',
    });
    const told = response.headers.get('x-content-type-options');
    expect.soft({ method, path, told }).toEqual({ method, path, told: 'nosniff' });
    expect.soft(response.headers.get('strict-transport-security'), path).toBeNull();
    await response.arrayBuffer();
  }
});

test('an answer over TLS says that nothing else is to be used from then on', async () => {
  const server = await startServer({ env: TLS });
  for (const path of ['/api/v1/server_settings', '/api/v1/users/me', '/static/realm-icon.png']) {
    expect((await headersOverTls(server, path))['strict-transport-security']).toBe(
      'max-age=31536000',
    );
  }
});

test.each([
  { suite: 'ECDHE-ECDSA-AES128-SHA', maxVersion: 'TLSv1.2', protocol: null },
  { suite: 'ECDHE-ECDSA-AES256-SHA384', maxVersion: 'TLSv1.2', protocol: null },
  { suite: 'ECDHE-ECDSA-AES128-GCM-SHA256', maxVersion: 'TLSv1.2', protocol: 'TLSv1.2' },
  { suite: 'ECDHE-ECDSA-CHACHA20-POLY1305', maxVersion: 'TLSv1.2', protocol: 'TLSv1.2' },
  { suite: 'TLS_AES_128_GCM_SHA256', maxVersion: 'TLSv1.3', protocol: 'TLSv1.3' },
  { suite: 'ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0', maxVersion: 'TLSv1.1', protocol: null },
] as const)('over $suite of $maxVersion at most a client gets $protocol', async (wanted) => {
  const server = await startServer({ env: TLS });
  expect(await protocolOver(server, wanted)).toBe(wanted.protocol);
});

function protocolOver(
  { app: { port } }: TestServer,
  { suite, maxVersion }: { suite: string; maxVersion: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3' },
): Promise<string | null> {
  return new Promise((fulfil) => {
    const socket = connect({
      host: '127.0.0.1',
      port,
      ciphers: suite,
      minVersion: 'TLSv1.1',
      maxVersion,
      rejectUnauthorized: false,
    });
    onTestFinished(() => void socket.destroy());
    socket.on('secureConnect', () => fulfil(socket.getProtocol()));
    socket.on('error', () => fulfil(null));
  });
}

function headersOverTls({ app: { port } }: TestServer, path: string) {
  return new Promise<Record<string, unknown>>((fulfil, reject) => {
    const request = {
      host: '127.0.0.1',
      port,
      path,
      rejectUnauthorized: false,
      ca: readFileSync(TLS.CONFAB_TLS_CERT),
    };
    https.get(request, (response) => fulfil(response.resume().headers)).on('error', reject);
  });
}
