import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { TestQueue } from '../../support/client.ts';
import { type ServerProcess, startProcess } from '../../support/processes/start-process.ts';
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

const personOf = ({ people }: ServerProcess, name: string): Person =>
  people[name] ?? expect.fail(`there is no ${name}`);

const send = (server: ServerProcess, as: Person, content: string) =>
  server.ask(as, {
    method: 'POST',
    path: '/messages',
    params: { ...MESSAGE, content },
    headers: APART,
  });

const read = (server: ServerProcess, as: Person, path: string, params = {}) =>
  server.ask(as, { method: 'GET', path, params, headers: APART });

/** Returns the processes that a server has started. */
function gatewaysOf(server: ServerProcess): number[] {
  const children: number[] = [];
  for (const task of readdirSync(`/proc/${server.pid()}/task`)) {
    const line = readFileSync(`/proc/${server.pid()}/task/${task}/children`, 'utf8');
    children.push(...line.split(' ').filter(Boolean).map(Number));
  }
  return children;
}

test('what was answered is read at once on any connection, and a key that was replaced is refused', async () => {
  const server = await withGateways();
  expect(gatewaysOf(server)).toHaveLength(2);
  const mel = personOf(server, 'mel');
  for (let round = 0; round < 20; round++) {
    const { body } = await send(server, mel, `round ${round}`);
    const newest = { anchor: 'newest', num_before: 1, num_after: 0 };
    const answers = await Promise.all(
      Array.from({ length: CONNECTIONS }, () => read(server, mel, '/messages', newest)),
    );
    for (const { body: seen } of answers) expect(seen.messages.at(-1).id).toBe(body.id);
  }
  const { body } = await server.post(mel, '/users/me/api_key/regenerate');
  const asked = (as: Person) =>
    Promise.all(Array.from({ length: CONNECTIONS }, () => read(server, as, '/users/me')));
  for (const { status } of await asked(mel)) expect(status).toBe(401);
  for (const { status } of await asked({ ...mel, apiKey: body.api_key })) expect(status).toBe(200);
});

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

/** Polls a queue for as long as it takes to get so many events, whatever becomes of connections. */
async function insist(queue: TestQueue, count: number): Promise<string[]> {
  const contents: string[] = [];
  let last = queue.lastEventId;
  let inOrder = true;
  while (contents.length < count) {
    try {
      for (const { id, message } of await queue.next()) {
        inOrder &&= id > last;
        last = id;
        contents.push(message.content);
      }
    } catch (error) {
      // The queue must never be gone.
      if (String(error).includes('BAD_EVENT_QUEUE_ID')) throw error;
      await pause(100);
    }
  }
  expect(inOrder).toBe(true);
  return contents;
}

/** Sends until it is acknowledged, with a key by which it is stored once. */
async function insistOnSending(server: ServerProcess, as: Person, content: string) {
  for (;;) {
    try {
      const headers = { 'idempotency-key': content };
      const params = { ...MESSAGE, content };
      const { status } = await server.ask(as, {
        method: 'POST',
        path: '/messages',
        params,
        headers,
      });
      if (status === 200) return;
    } catch {
      // The connection has ended: the outcome is not known.
    }
    await pause(50);
  }
}

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

test.each([
  ['gateways are', (server: ServerProcess) => gatewaysOf(server)[0]],
  ['the writer is', (server: ServerProcess) => server.pid()],
])('nothing is lost or repeated when %s killed', async (_, victim) => {
  const server = await withGateways();
  const mel = personOf(server, 'mel');
  const max = personOf(server, 'max');
  const COUNT = 120;
  const SENDERS = 6;
  const queues = await Promise.all(
    Array.from({ length: 8 }, () => server.register(max, { event_types: ['message'] })),
  );
  const listening = queues.map((queue) => insist(queue, COUNT));
  const sending = Array.from({ length: SENDERS }, async (_, sender) => {
    for (let count = 0; count < COUNT / SENDERS; count++) {
      await insistOnSending(server, mel, `${sender} ${count}`);
    }
  });
  for (let kills = 0; kills < 2; kills++) {
    await pause(300);
    const pid = victim(server);
    if (pid === server.pid()) await server.kill();
    else if (pid !== undefined) process.kill(pid, 'SIGKILL');
    await expect.poll(() => gatewaysOf(server).length).toBe(2);
  }
  await Promise.all(sending);
  const heard = await Promise.all(listening);
  for (const contents of heard) {
    expect(contents).toHaveLength(COUNT);
    expect(new Set(contents).size).toBe(COUNT);
    expect(contents).toEqual(heard[0]);
  }
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
