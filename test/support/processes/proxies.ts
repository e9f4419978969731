import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { freePort } from '../../../bench/servers/free-port.ts';
import { FORMER } from '../files/live-certificates.ts';
import { temporaryFolder } from '../scratch.ts';
import { startServer, type TestServer } from '../start-server.ts';
import { isUp } from './ports.ts';

const PAGE = readFileSync('docs/operating.md', 'utf8');
/** The name that the server has behind a proxy. */
export const HOST = 'chat.example.com';

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
export const PROXIES = [
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

/** Starts a proxy in front of a server; it ends with the test. */
export async function startProxy(
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

/** Starts a server with the settings that docs/operating.md names for proxies. */
export const behindProxy = () =>
  startServer({
    channels: ['general'],
    env: {
      CONFAB_PUBLIC_URL: `https://${HOST}`,
      CONFAB_TRUSTED_PROXIES: '127.0.0.1',
      CONFAB_LOGINS_PER_MINUTE: '2',
    },
  });

export interface Asking {
  readonly port: number;
  readonly path: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer;
  readonly localAddress: string;
}

/** Describes a request that posts a form. */
export const form = (text: string) => ({ method: 'POST', body: text });

interface Reply {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly text: string;
}

/** Sends a request to a proxy by HTTPS. */
export function asked(asking: Partial<Asking>): Promise<Reply> {
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
