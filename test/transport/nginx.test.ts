import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../bench/servers/free-port.ts';
import { isOlderLibrary } from '../../src/transport/library/sockets.ts';
import { basic } from '../support/client.ts';
import { isUp } from '../support/processes/ports.ts';
import { openRawSocket } from '../support/requests/raw-socket.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { startServer } from '../support/start-server.ts';

const hasNginx = spawnSync('nginx', ['-v']).status === 0;

/** An nginx in front of the server, with these lines besides `proxy_pass`. */
async function startNginx(upstream: number, lines: readonly string[]): Promise<number> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'logs'));
  const port = await freePort();
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const config = `daemon off; master_process off; error_log stderr; pid ${join(folder, 'pid')};
    events {}
    http { map $http_upgrade $upgrading { default upgrade; '' ''; }
      access_log off; ${paths.join(' ')}
      server { listen 127.0.0.1:${port};
        location / { proxy_pass http://127.0.0.1:${upstream}; ${lines.join(' ')} } } }`;
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, config);
  const child = spawn('nginx', ['-p', folder, '-c', file], { stdio: 'ignore' });
  onTestFinished(() => void child.kill());
  await expect.poll(() => isUp(port), { timeout: 10_000 }).toBe(true);
  return port;
}

/** The lines that docs/settings.md tells operators to write. */
const LINES = linesFrom(readFileSync('docs/settings.md', 'utf8'));

function linesFrom(page: string): readonly string[] {
  const [, block = ''] = /\n```nginx\n(.*?)\n```\n/s.exec(page) ?? [];
  return block.split('\n');
}

// Without nginx there is nothing to be tried.
test.skipIf(!hasNginx)(
  'behind nginx, with the lines of docs/settings.md, requests and sockets go through',
  async () => {
    const server = await startServer({ channels: ['general'] });
    const socket = await openRawSocket(await startNginx(server.app.port, LINES));
    const head = ['Host: test.localhost', `Authorization: ${basic(server.people.mel)}`];
    const form = 'type=channel&to=general&topic=lunch&content=soup';
    const send = ['POST /api/v1/messages HTTP/1.1', ...head, `Content-Length: ${form.length}`];
    socket.write(`${send.join('\r\n')}\r\n\r\n${form}`);
    expect(await socket.answer()).toMatchObject({ status: 200, body: { id: 1 } });
    const upgrade = [
      'GET /api/v1/events/socket HTTP/1.1',
      ...head,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ];
    socket.write(`${upgrade.join('\r\n')}\r\n\r\n`);
    expect((await socket.answer()).status).toBe(101);
    socket.destroy();
  },
  30_000,
);

test.skipIf(!hasNginx)(
  'what nginx says of whoever asks it counts where it is trusted, and what they say does not',
  async () => {
    const server = await startServer({
      env: { CONFAB_TRUSTED_PROXIES: '127.0.0.1', CONFAB_LOGINS_PER_MINUTE: '2' },
    });
    const socket = await openRawSocket(await startNginx(server.app.port, LINES), '127.0.0.2');
    const head = ['Host: test.localhost', 'X-Forwarded-Host: evil.example.com'];
    socket.write(`GET /api/v1/server_settings HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
    const { body } = await socket.answer();
    expect(body.realm_url).toBe('http://test.localhost');
    const logIn = async (claimed: string) => {
      const form = 'username=nobody@example.com&password=wrong';
      const headers = [...head, `X-Forwarded-For: ${claimed}`, `Content-Length: ${form.length}`];
      socket.write(`POST /api/v1/fetch_api_key HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
      socket.write(form);
      return (await socket.answer()).status;
    };
    expect(await logIn('1.1.1.1')).toBe(401);
    expect(await logIn('2.2.2.2')).toBe(401);
    expect(await logIn('3.3.3.3')).toBe(429);
    // The proxy itself has another address.
    expect((await server.post(null, '/fetch_api_key', WRONG)).status).toBe(401);
    socket.destroy();
  },
  30_000,
);

const WRONG = { username: 'nobody@example.com', password: 'wrong' };

test.skipIf(!hasNginx)(
  'as nginx is by default, it speaks HTTP/1.0 to the server, and hands on that this is refused',
  async () => {
    const server = await startServer();
    const port = await startNginx(server.app.port, []);
    const socket = await openRawSocket(port);
    socket.write('GET /api/v1/server_settings HTTP/1.1\r\nHost: test.localhost\r\n\r\n');
    // The older build of the socket library does not answer.
    expect((await socket.answer()).status).toBe(isOlderLibrary() ? 502 : 505);
    socket.destroy();
  },
  30_000,
);
