import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { basic } from '../support/client.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

interface Line {
  readonly msg: string;
  readonly requestId: string;
  readonly [name: string]: unknown;
}

/** A server whose requests are logged, though its log has nothing but errors. */
const withLog = (env: Record<string, string> = {}) =>
  startServer({ channels: ['general'], env: { CONFAB_ACCESS_LOG: '1', ...env } });

const linesOf = ({ bugs }: TestServer) => bugs.map((line) => JSON.parse(line) as Line);

/** Waits until there is a line of this endpoint, and returns the newest. */
async function lineOf(server: TestServer, endpoint: string): Promise<Line> {
  const newest = () => linesOf(server).findLast((line) => line['endpoint'] === endpoint);
  await expect.poll(newest).toBeDefined();
  return newest() ?? expect.fail();
}

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`;
const ID = 'x-request-id';

test('without the setting nothing is logged, and no answer has an id', async () => {
  const server = await startServer();
  const reply = await server.get(server.people.mel, '/users/me');
  expect(reply.status).toBe(200);
  expect(reply.headers[ID]).toBeUndefined();
  expect(server.bugs).toEqual([]);
});

test('each request leaves one line: its id, realm, account, endpoint, status and time', async () => {
  const server = await withLog();
  const { mel } = server.people;
  const reply = await server.get(mel, '/users/me');
  const refused = await server.patch(mel, '/realm', { name: 'Mine' });
  await server.get(null, '/users/me');
  const [first, second, third] = linesOf(server);
  expect(first).toEqual({
    level: 30,
    time: expect.any(Number),
    requestId: reply.headers[ID],
    method: 'GET',
    endpoint: 'getUsersMe',
    realm: 'test',
    userId: mel.id,
    status: 200,
    ms: expect.any(Number),
    msg: 'request',
    ...(first !== undefined && 'pid' in first
      ? { pid: first['pid'], hostname: first['hostname'] }
      : {}),
  });
  expect(second).toMatchObject({ requestId: refused.headers[ID], method: 'PATCH', status: 400 });
  expect(third).toMatchObject({ realm: 'test', status: 401 });
  expect(third).not.toHaveProperty('userId');
  expect(new Set(linesOf(server).map(({ requestId }) => requestId)).size).toBe(3);
});

test('a poll that has waited, and a client that has gone, are told apart', async () => {
  const server = await withLog();
  const { mel, max } = server.people;
  const queue = await server.register(mel, { event_types: ['message'] });
  const consumer = () => {
    const found = server.app.realms.named('test')?.queues.all().get(queue.id);
    return found !== undefined && 'consumer' in found ? found.consumer : null;
  };
  const waiting = queue.next();
  await expect.poll(consumer).not.toBeNull();
  const content = { type: 'channel', to: 'general', topic: 'tea', content: 'hi' };
  await server.post(max, '/messages', content);
  await waiting;
  expect(await lineOf(server, 'getEvents')).toMatchObject({ status: 200, hasWaited: true });

  const gone = new AbortController();
  const query = `queue_id=${queue.id}&last_event_id=${queue.lastEventId}`;
  const left = server.request('GET', `/events?${query}`, { as: mel, signal: gone.signal });
  left.catch(() => undefined);
  await expect.poll(consumer).not.toBeNull();
  gone.abort();
  await expect
    .poll(() => linesOf(server).some(({ status, hasWaited }) => status === null && hasWaited))
    .toBe(true);
});

test('requests in frames of a socket are logged like others', async () => {
  const server = await withLog();
  const { mel } = server.people;
  const socket = await server.socket(mel);
  socket.send({ type: 'request', id: 1, method: 'GET', path: '/users/me' });
  await socket.frame('reply');
  expect(await lineOf(server, 'getUsersMe')).toMatchObject({
    isFrame: true,
    realm: 'test',
    userId: mel.id,
    method: 'GET',
    status: 200,
  });
});

test('nothing that is secret gets into a line: no query, path, header, body or cookie', async () => {
  const server = await withLog();
  const { mel, ona } = server.people;
  const secrets = ['correct horse battery', 'k3yofaninvitationxyz', 'a-cookie-of-a-session'];
  const [password = '', key = '', cookie = ''] = secrets;
  const headers = { cookie: `session=${cookie}`, 'x-hub-signature-256': 'a-signature-of-a-body' };
  await server.request('GET', `/users/me?api_key=${key}`, { as: mel, headers });
  await server.post(null, '/fetch_api_key', { username: mel.email, password });
  await server.post(mel, `/external/json?api_key=${key}`, { payload: 'what they wrote' });
  await server.request('GET', `/nowhere/${key}`, { headers });
  await server.patch(ona, '/settings', { old_password: password, new_password: password });
  await fetch(`${server.url}/join/${key}/`, { headers: { host: 'test.localhost' } });
  await fetch(`${server.url}/user_uploads/1/ab/${key}/x.txt?api_key=${key}`);
  await fetch(`${server.url}/${key}`);
  await expect.poll(() => linesOf(server).length).toBe(8);
  const log = server.bugs.join('\n');
  const hidden = [
    ...secrets,
    mel.apiKey,
    ona.apiKey,
    basic(mel).split(' ')[1] ?? '',
    'a-signature-of-a-body',
    'what they wrote',
    mel.email,
    '/join/',
    '?',
  ];
  expect(hidden.filter((text) => text === '' || log.includes(text))).toEqual([]);
});

test('a request that brings an id or a trace is answered with its id, also without the log', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const asked = async (headers: Record<string, string>, path = '/users/me') =>
    (await server.request('GET', path, { as: mel, headers })).headers[ID];
  const ids = [
    await asked({ [ID]: 'mine' }),
    await asked({ traceparent: TRACEPARENT }),
    await asked({ [ID]: 'mine' }, '/nowhere'),
  ];
  expect(ids.every((id) => /^[\w-]{8}-[0-9a-z]+$/.test(String(id)))).toBe(true);
  expect(new Set(ids).size).toBe(3);
  const queue = await server.register(mel, { event_types: ['message'] });
  const poll = `/events?queue_id=${queue.id}&last_event_id=${queue.lastEventId}&dont_block=true`;
  expect(await asked({ [ID]: 'mine' }, poll)).toMatch(/^[\w-]+$/);
  expect(server.bugs).toEqual([]);
});

test('the id of a trusted proxy is taken over, if it is one', async () => {
  const server = await withLog({ CONFAB_TRUSTED_PROXIES: '127.0.0.1' });
  const { mel } = server.people;
  const asked = async (id: string) =>
    (await server.request('GET', '/users/me', { as: mel, headers: { [ID]: id } })).headers[ID];
  expect(await asked('7b1f-of-the-proxy')).toBe('7b1f-of-the-proxy');
  expect(linesOf(server).at(-1)?.requestId).toBe('7b1f-of-the-proxy');
  for (const wrong of ['with space', '"quoted"', 'x'.repeat(129), 'ü']) {
    expect(await asked(wrong)).not.toBe(wrong);
    expect(linesOf(server).at(-1)?.requestId).toMatch(/^[\w-]{8}-[0-9a-z]+$/);
  }
});

test('a trace is in the line of its request', async () => {
  const server = await withLog();
  const headers = { traceparent: TRACEPARENT };
  await server.request('GET', '/users/me', { as: server.people.mel, headers });
  expect(await lineOf(server, 'getUsersMe')).toMatchObject({ traceId: TRACE_ID });
  await server.get(server.people.mel, '/users');
  expect(await lineOf(server, 'getUsers')).not.toHaveProperty('traceId');
});

test('docs/operating.md shows a line with the fields that a line has', async () => {
  const server = await withLog();
  const sent = { type: 'channel', to: 'general', topic: 'tea', content: 'hi' };
  await server.post(server.people.mel, '/messages', sent);
  const page = readFileSync('docs/operating.md', 'utf8');
  const [, shown = ''] = /\n```json\n(.*?\n)```\n/s.exec(page) ?? [];
  // The log of a test has no name of the program.
  const { name: _, pid: __, ...fields } = JSON.parse(shown) as Line & { name: string; pid: number };
  const { pid, hostname, ...line } = await lineOf(server, String(fields['endpoint']));
  expect(Object.keys(line).sort()).toEqual(Object.keys(fields).sort());
});
