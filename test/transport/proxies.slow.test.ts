import net from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import WebSocket from 'ws';
import { basic } from '../support/client.ts';
import {
  type Asking,
  asked,
  behindProxy,
  form,
  HOST,
  PROXIES,
  startProxy,
} from '../support/processes/proxies.ts';

const CLIENT = '127.0.0.2';
const UPLOAD_BYTES = 25 * 1024 * 1024;

describe.each(PROXIES)('behind $name, with its file of docs/operating.md', (proxy) => {
  test('its timeouts are longer than a poll and than the silence of a socket', () => {
    const timeouts = proxy.timeouts();
    expect(timeouts.length).toBeGreaterThanOrEqual(2);
    // A poll may take 90 s, and a socket hears something every 120 s.
    expect(Math.min(...timeouts)).toBeGreaterThan(120);
  });

  test.skipIf(proxy.isMissing)(
    'polls, sockets, uploads and addresses of clients go through',
    async () => {
      const server = await behindProxy();
      const { https, http } = await startProxy(server, proxy.start);
      const { mel } = server.people;
      const authorization = basic(mel);
      const ask = (path: string, more: Partial<Asking> = {}) =>
        asked({ port: https, path, headers: { authorization }, ...more });

      const settings = await ask('/api/v1/server_settings');
      expect(settings.headers['strict-transport-security']).toBe('max-age=31536000');

      // A poll is answered when there is something, and not by the proxy before.
      const queue = JSON.parse(
        (await ask('/api/v1/register', form('event_types=["message"]'))).text,
      );
      const poll = ask(`/api/v1/events?queue_id=${queue.queue_id}&last_event_id=-1`);
      const socket = new WebSocket(`wss://127.0.0.1:${https}/api/v1/events/socket`, {
        rejectUnauthorized: false,
        headers: { authorization, host: HOST },
      });
      onTestFinished(() => socket.terminate());
      await new Promise((resolve, reject) => {
        socket.once('open', resolve);
        socket.once('error', reject);
      });
      const pong = new Promise<string>((resolve) => {
        socket.on('message', (data) => resolve(String(data)));
      });
      socket.send(JSON.stringify({ type: 'ping' }));
      expect(await pong).toContain('pong');

      const boundary = 'b0undary';
      const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n`;
      const body = Buffer.alloc(UPLOAD_BYTES, 'x');
      const uploaded = await ask('/api/v1/user_uploads', {
        method: 'POST',
        headers: { authorization, 'content-type': `multipart/form-data; boundary=${boundary}` },
        body: Buffer.concat([Buffer.from(head), body, Buffer.from(`\r\n--${boundary}--\r\n`)]),
      });
      expect(uploaded.status).toBe(200);

      await server.post(mel, '/messages', {
        type: 'channel',
        to: 'general',
        topic: 'lunch',
        content: 'soup',
      });
      const answer = await poll;
      expect(answer.status).toBe(200);
      expect(answer.text).toContain('soup');

      // Headers that clients write are not believed, and the address is their own.
      const logIn = (claimed: string, localAddress: string) =>
        ask('/api/v1/fetch_api_key', {
          ...form('username=nobody@example.com&password=wrong'),
          localAddress,
          headers: {
            'x-forwarded-for': claimed,
            forwarded: `for=${claimed};host=evil.example.org`,
          },
        });
      const statuses = ['1.1.1.1', '2.2.2.2', '3.3.3.3'].map(
        (claimed) => () => logIn(claimed, CLIENT),
      );
      const seen: number[] = [];
      for (const next of statuses) seen.push((await next()).status);
      expect(seen).toEqual([401, 401, 429]);
      expect((await logIn('4.4.4.4', '127.0.0.3')).status).toBe(401);

      const plain = await redirectAt(http);
      expect(plain).toMatch(/^HTTP\/1.1 308 /);
      expect(plain.toLowerCase()).toContain(`location: https://${HOST}`);
    },
    60_000,
  );
});

function redirectAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () =>
      socket.write(`GET /a HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`),
    );
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes.toString();
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}
