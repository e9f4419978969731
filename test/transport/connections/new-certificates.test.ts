import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import WebSocket from 'ws';
import { isOlderLibrary } from '../../../src/transport/library/sockets.ts';
import { NEW, NEW_NAME, openLiveFolder } from '../../support/files/live-certificates.ts';
import { startServer } from '../../support/start-server.ts';

test('open connections go on, and new ones get the new certificate, also beside a bad one', async () => {
  const { files, link } = openLiveFolder();
  const server = await startServer({
    channels: ['general'],
    env: { CONFAB_TLS_KEY: files.key, CONFAB_TLS_CERT: files.cert },
  });
  const { port } = server.app;
  const former = await nameAt(port);
  const kept = await open(port);
  const { mel } = server.people;
  const authorization = `Basic ${Buffer.from(`${mel.email}:${mel.apiKey}`).toString('base64')}`;
  const socket = new WebSocket(`wss://127.0.0.1:${port}/api/v1/events/socket`, {
    rejectUnauthorized: false,
    headers: { authorization, host: 'test.localhost' },
  });
  onTestFinished(() => socket.terminate());
  await new Promise((resolve) => socket.once('open', resolve));

  link('key', NEW.key);
  await server.app.readTlsAgain();
  expect(server.bugs.join()).toMatch(/do not belong together/);
  expect(await nameAt(port)).toBe(former);
  link('cert', NEW.cert);
  await server.app.readTlsAgain();
  expect(server.app.tlsExpiresAt()).toBe(
    Date.parse(new X509Certificate(readFileSync(NEW.cert)).validTo) / 1000,
  );
  for (let time = 0; time < 20; time++) expect(await nameAt(port)).toBe(NEW_NAME);

  expect(await ask(kept)).toContain('"realm_name":"test"');
  const frame = new Promise<string>((resolve) => {
    socket.once('message', (data) => resolve(String(data)));
  });
  socket.send('no JSON');
  expect(await frame).toContain('The frame is not JSON');
  const stopped = new Promise<number>((resolve) => socket.once('close', resolve));
  await server.stop();
  expect(await stopped).toBe(1001);
  await expect(nameAt(port)).rejects.toThrow('ECONNREFUSED');
});

// The older build has to listen again, which costs those who wait to be accepted.
test.skipIf(isOlderLibrary())('nobody who comes meanwhile is turned away', async () => {
  const { files } = openLiveFolder();
  const server = await startServer({
    env: { CONFAB_TLS_KEY: files.key, CONFAB_TLS_CERT: files.cert },
  });
  const { port } = server.app;
  let isOver = false;
  let answeredCount = 0;
  const comers = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      expect(await statusAt(port)).toBe(200);
      answeredCount += 1;
    }
  });
  for (let time = 0; time < 10; time++) {
    await passed(50);
    await server.app.readTlsAgain();
  }
  isOver = true;
  await Promise.all(comers);
  expect(answeredCount).toBeGreaterThan(10);
});

const passed = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function open(port: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () =>
      resolve(socket),
    );
    socket.on('error', reject);
    onTestFinished(() => void socket.destroy());
  });
}

async function nameAt(port: number): Promise<string | undefined> {
  const socket = await open(port);
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return [CN].flat()[0];
}

function ask(socket: TLSSocket): Promise<string> {
  return new Promise((resolve) => {
    socket.once('data', (bytes) => resolve(bytes.toString()));
    socket.write('GET /api/v1/server_settings HTTP/1.1\r\nHost: test.localhost\r\n\r\n');
  });
}

function statusAt(port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        port,
        host: '127.0.0.1',
        path: '/api/v1/server_settings',
        headers: { host: 'test.localhost' },
        rejectUnauthorized: false,
        agent: false,
      },
      (reply) => {
        reply.resume();
        resolve(reply.statusCode);
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}
