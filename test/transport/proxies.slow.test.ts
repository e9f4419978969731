import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import WebSocket from 'ws';
import { basic } from '../support/client.ts';
import { FORMER } from '../support/files/live-certificates.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

const PAGE = readFileSync('docs/operating.md', 'utf8');
const HOST = 'chat.example.com';
const CLIENT = '127.0.0.2';
const UPLOAD_BYTES = 25 * 1024 * 1024;

/** The file of docs/operating.md in a language. */
function blockOf(language: string): string {
  const [, block = ''] = new RegExp(`\n\`\`\`${language}\n(.*?)\n\`\`\`\n`, 's').exec(PAGE) ?? [];
  expect(block).not.toBe('');
  return block;
}

/** Replaces a text that has to be there. */
const put = (file: string, from: string, to: string) => {
  expect(file).toContain(from);
  return file.replaceAll(from, to);
};

interface Places {
  readonly folder: string;
  readonly upstream: number;
  readonly https: number;
  readonly http: number;
}

/** The files as they are on the page, with the ports and the certificates of the test. */
const PROXIES = [
  {
    name: 'nginx',
    isMissing: spawnSync('nginx', ['-v']).status !== 0,
    timeouts: () => secondsIn(blockOf('nginx'), /proxy_(?:read|send)_timeout (\d+)s;/g),
    start({ folder, upstream, https, http }: Places) {
      mkdirSync(join(folder, 'logs'));
      let file = put(blockOf('nginx'), '127.0.0.1:8080', `127.0.0.1:${upstream}`);
      file = put(file, 'listen 443 ssl', `listen 127.0.0.1:${https} ssl`);
      file = put(file, 'listen 80', `listen 127.0.0.1:${http}`);
      file = put(file, '/etc/letsencrypt/live/chat.example.com/fullchain.pem', FORMER.cert);
      file = put(file, '/etc/letsencrypt/live/chat.example.com/privkey.pem', FORMER.key);
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${join(folder, name)};`,
      );
      file = put(file, 'http {', `http { access_log off; ${paths.join(' ')}`);
      const config = join(folder, 'nginx.conf');
      const head = `daemon off; master_process off; error_log stderr; pid ${join(folder, 'pid')};`;
      writeFileSync(config, `${head}\n${file}`);
      return spawn('nginx', ['-p', folder, '-c', config], { stdio: 'ignore' });
    },
  },
  {
    name: 'haproxy',
    isMissing: spawnSync('haproxy', ['-v']).status !== 0,
    timeouts: () => secondsIn(blockOf('haproxy'), /timeout (?:client|server|tunnel) (\d+)s/g),
    start({ folder, upstream, https, http }: Places) {
      const pem = join(folder, 'site.pem');
      writeFileSync(pem, `${readFileSync(FORMER.cert)}${readFileSync(FORMER.key)}`);
      let file = put(blockOf('haproxy'), '127.0.0.1:8080', `127.0.0.1:${upstream}`);
      file = put(
        file,
        'bind :443 ssl crt /etc/haproxy/site.pem',
        `bind 127.0.0.1:${https} ssl crt ${pem}`,
      );
      file = put(file, 'bind :80', `bind 127.0.0.1:${http}`);
      const config = join(folder, 'haproxy.cfg');
      writeFileSync(config, `${file}\n`);
      return spawn('haproxy', ['-db', '-f', config], { stdio: 'ignore' });
    },
  },
  {
    name: 'caddy',
    isMissing: spawnSync('caddy', ['version']).status !== 0,
    timeouts: () => secondsIn(blockOf('caddyfile'), /(?:read|write)_timeout (\d+)s/g),
    start({ folder, upstream, https, http }: Places) {
      let file = put(blockOf('caddyfile'), '127.0.0.1:8080', `127.0.0.1:${upstream}`);
      // It would ask an authority for a certificate.
      file = put(
        file,
        `${HOST} {`,
        `${HOST} {\n\tbind 127.0.0.1\n\ttls ${FORMER.cert} ${FORMER.key}`,
      );
      const options = `admin off\n\thttp_port ${http}\n\thttps_port ${https}\n\tstorage file_system ${folder}`;
      const config = join(folder, 'Caddyfile');
      writeFileSync(config, `{\n\t${options}\n}\n${file}\n`);
      // biome-ignore lint/style/noProcessEnv: caddy is found there.
      const PATH = process.env['PATH'] ?? '';
      const env = { PATH, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
      const run = ['run', '--config', config, '--adapter', 'caddyfile'];
      return spawn('caddy', run, { stdio: 'ignore', env });
    },
  },
] as const;

const secondsIn = (block: string, expression: RegExp) =>
  Array.from(block.matchAll(expression), ([, seconds]) => Number(seconds));

async function startProxy(
  server: TestServer,
  start: (places: Places) => ChildProcess,
): Promise<Places> {
  const [https, http] = [await freePort(), await freePort()];
  const places = { folder: temporaryFolder(), upstream: server.app.port, https, http };
  const child = start(places);
  onTestFinished(() => void child.kill());
  await expect.poll(() => isUp(https), { timeout: 15_000 }).toBe(true);
  return places;
}

const behindProxy = () =>
  startServer({
    channels: ['general'],
    env: {
      CONFAB_PUBLIC_URL: `https://${HOST}`,
      CONFAB_TRUSTED_PROXIES: '127.0.0.1',
      CONFAB_LOGINS_PER_MINUTE: '2',
    },
  });

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
      const begun = performance.now();
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
      expect([answer.status, performance.now() - begun > 0]).toEqual([200, true]);
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

interface Asking {
  readonly port: number;
  readonly path: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer;
  readonly localAddress: string;
}

const form = (text: string) => ({ method: 'POST', body: text });

interface Reply {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly text: string;
}

function asked(asking: Partial<Asking>): Promise<Reply> {
  const { body, headers, ...rest } = asking;
  const kind =
    typeof body === 'string' ? { 'content-type': 'application/x-www-form-urlencoded' } : {};
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        servername: HOST,
        rejectUnauthorized: false,
        agent: false,
        ...rest,
        headers: { host: HOST, ...kind, ...length, ...headers },
      },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.on('end', () =>
          resolve({
            status: reply.statusCode ?? 0,
            headers: reply.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
        reply.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

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

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo; // an address of a TCP server has a port
      probe.close(() => resolve(port));
    });
  });
}

const isUp = (port: number) =>
  new Promise<boolean>((resolve) => {
    const probe = net.connect(port, '127.0.0.1', () => {
      probe.destroy();
      resolve(true);
    });
    probe.on('error', () => resolve(false));
  });
