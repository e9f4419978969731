import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { gatewaysOf } from '../../support/gateways/lines.ts';
import {
  personOf,
  type ServerProcess,
  startProcess,
} from '../../support/processes/start-process.ts';
import { openRawSocket } from '../../support/requests/raw-socket.ts';
import { startServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const MESSAGE = { type: 'channel', to: 'general', topic: 'lunch' };
/** Connections are spread by the kernel: of so many, all but never all come to one gateway. */
const CONNECTIONS = 12;
/** A connection of its own. */
const APART = { connection: 'close' };

const withGateways = (env: Readonly<Record<string, string>> = {}) =>
  startProcess({ CONFAB_GATEWAYS: '2', ...env });

const send = (server: ServerProcess, as: Person, content: string) =>
  server.ask(as, {
    method: 'POST',
    path: '/messages',
    params: { ...MESSAGE, content },
    headers: APART,
  });

const read = (server: ServerProcess, as: Person, path: string, params = {}) =>
  server.ask(as, { method: 'GET', path, params, headers: APART });

test('a queue is listened to at any gateway, exactly, and only by the newest consumer', async () => {
  const server = await withGateways();
  const mel = personOf(server, 'mel');
  const max = personOf(server, 'max');
  const queue = await server.register(max, { event_types: ['message'] });
  const contents: string[] = [];
  for (let round = 0; round < 30; round++) {
    await send(server, mel, `round ${round}`);
    const { status, body } = await read(server, max, '/events', {
      queue_id: queue.id,
      last_event_id: queue.lastEventId,
    });
    expect(status).toBe(200);
    for (const event of body.events) {
      expect(event.id).toBeGreaterThan(queue.lastEventId);
      queue.lastEventId = event.id;
      contents.push(event.message.content);
    }
  }
  expect(contents).toEqual(Array.from({ length: 30 }, (_, round) => `round ${round}`));
  // The last of several sockets stays, at whichever gateways they are.
  const query = `?queue_id=${queue.id}&last_event_id=${queue.lastEventId}`;
  const sockets = [];
  for (let count = 0; count < CONNECTIONS; count++) {
    const socket = await server.socket(max, { query });
    expect(await socket.frame('hello')).toMatchObject({ resumed: true });
    sockets.push(socket);
  }
  const last = sockets.pop() ?? expect.fail();
  for (const socket of sockets) expect((await socket.closed()).code).toBe(4003);
  await send(server, mel, 'to the last one');
  const { events } = await last.frame('events');
  expect(events.map((event: { message: { content: string } }) => event.message.content)).toEqual([
    'to the last one',
  ]);
  await server.delete(max, '/events', { queue_id: queue.id });
  expect((await last.closed()).code).toBe(4002);
});

test('a request that cannot be passed on is refused, and ends no gateway', async () => {
  const server = await withGateways();
  const gateways = gatewaysOf(server);
  const mel = personOf(server, 'mel');
  const asked = async (lines: readonly string[], isHead = false) => {
    const socket = await openRawSocket(server.port());
    socket.write(`${[...lines, 'Host: demo.localhost'].join('\r\n')}\r\n\r\n`);
    const { status, headers } = await socket.answer({ isHead });
    socket.destroy();
    return [status, headers['content-type']];
  };
  for (let count = 0; count < CONNECTIONS; count++) {
    const upload = 'POST /api/v1/user_uploads HTTP/1.1';
    expect(await asked([upload, 'X-Name: \u007f', 'Content-Length: 0'])).toEqual([
      400,
      'application/json',
    ]);
    // A server that sends no mail says so on this page.
    const page = ['HEAD /accounts/password/reset/ HTTP/1.1'];
    expect(await asked(page, true)).toEqual([400, 'text/html; charset=utf-8']);
  }
  expect(gatewaysOf(server)).toEqual(gateways);
  expect((await read(server, mel, '/users/me')).status).toBe(200);
});

test('files, pages and log-ins of browsers pass through', async () => {
  const server = await withGateways();
  const mel = personOf(server, 'mel');
  const origin = `http://demo.localhost:${server.port()}`;
  const authorization = `Basic ${Buffer.from(`${mel.email}:${mel.apiKey}`).toString('base64')}`;
  const content = 'x'.repeat(3_000_000);
  const form = new FormData();
  form.append('file', new Blob([content]), 'large.txt');
  const url = `http://localhost:${server.port()}`;
  const uploaded = await fetch(`${url}/api/v1/user_uploads`, {
    method: 'POST',
    body: form,
    headers: { authorization },
  });
  const { url: path } = (await uploaded.json()) as { url: string };
  const file = await fetch(`${url}${path}`, { headers: { authorization } });
  expect(await file.text()).toBe(content);
  const page = await fetch(`${url}/join/nothing/`, { headers: { accept: 'text/html' } });
  expect(page.headers.get('content-type')).toContain('text/html');
  expect(page.headers.get('content-security-policy')).not.toBeNull();
  const demo = JSON.parse(readFileSync(`${server.data}/demo-credentials.json`, 'utf8')) as {
    users: { email: string; password: string }[];
  };
  const { password = '' } = demo.users.find(({ email }) => email === mel.email) ?? {};
  const loggedIn = await server.ask(null, {
    method: 'POST',
    path: '/sessions',
    params: { username: mel.email, password },
    headers: { origin, 'sec-fetch-site': 'same-origin' },
  });
  expect(loggedIn.status).toBe(200);
  const [cookie = ''] = loggedIn.headers['set-cookie'] ?? [];
  const own = { cookie: cookie.split(';')[0] ?? '', 'sec-fetch-site': 'same-origin', ...APART };
  for (let count = 0; count < CONNECTIONS; count++) {
    const { status, body } = await server.ask(null, {
      method: 'GET',
      path: '/users/me',
      params: {},
      headers: own,
    });
    expect(status).toBe(200);
    expect(body.email).toBe(mel.email);
  }
});

test('the server counts what its gateways do, and a stop tells their clients to come back', async () => {
  const server = await withGateways({ CONFAB_OPERATOR: '127.0.0.1:0', CONFAB_LOG_LEVEL: 'info' });
  const mel = personOf(server, 'mel');
  const found = /"url":"(http:[^"]+)","msg":"metrics/.exec(server.stderr());
  const linesOf = async (start: string) => {
    const text = await (await fetch(`${found?.[1]}/metrics`)).text();
    return text.split('\n').filter((line) => line.startsWith(start));
  };
  const socket = await server.socket(mel);
  for (let count = 0; count < 10; count++) await send(server, mel, `${count}`);
  const sends = 'confab_http_requests_total{endpoint="postMessages",code="2xx"}';
  await expect.poll(() => linesOf(sends)).toEqual([`${sends} 10`]);
  expect(await linesOf('confab_sockets ')).toEqual(['confab_sockets 1']);
  const queue = await server.register(mel, { event_types: ['message'] });
  const poll = queue.poll();
  await pause(200);
  const { code } = await server.end('SIGTERM');
  expect(code).toBe(0);
  expect((await poll).body.events).toEqual([]);
  const closed = await socket.closed();
  expect(closed.code).toBe(1001);
  expect(JSON.parse(closed.reason)).toHaveProperty('retry_after_ms');
});

test('operators see the queues, channels and sockets of all gateways', async () => {
  const server = await startServer({
    channels: ['general'],
    env: { CONFAB_GATEWAYS: '2', CONFAB_WEB: '0' },
  });
  const { mel } = server.people;
  const sockets = [];
  for (let count = 0; count < CONNECTIONS; count++) {
    const { id, lastEventId } = await server.register(mel, { event_types: ['message'] });
    const socket = await server.socket(mel, {
      query: `?queue_id=${id}&last_event_id=${lastEventId}`,
    });
    await socket.frame('hello');
    sockets.push(socket);
  }
  const treeOf = () => server.app.inspect.tree().realms[0];
  await expect.poll(() => treeOf()?.queues.length).toBe(CONNECTIONS);
  expect(treeOf()?.channels).toMatchObject([{ listeners: CONNECTIONS }]);
  expect(treeOf()?.detachedQueues).toBe(0);
  for (const socket of sockets) socket.close();
  await server.stop();
});

test('a limit of requests is that of the server, and not of each gateway', async () => {
  const LIMIT = 40;
  const server = await withGateways({ CONFAB_REQUESTS_PER_MINUTE: String(LIMIT) });
  const mel = personOf(server, 'mel');
  let allowed = 0;
  for (let count = 0; count < 3 * LIMIT; count++) {
    const { status } = await read(server, mel, '/users/me');
    if (status === 200) allowed += 1;
    // Within this time a gateway hears of what the other one has let through.
    if (count % 5 === 4) await pause(150);
  }
  expect(allowed).toBeGreaterThanOrEqual(LIMIT);
  expect(allowed).toBeLessThan(1.5 * LIMIT);
});
