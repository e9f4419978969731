import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../../src/admin/commands.ts';
import { askForConsole } from '../../src/command-line/ask.ts';
import type {
  ActorsView,
  AuditView,
  ConnectionsView,
  Hello,
  RealmView,
} from '../../src/console/wire.ts';
import * as outbox from '../../src/operations/access/outbox.ts';
import { runConfab } from '../support/processes/run.ts';
import { fetched } from '../support/requests/fetched.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

const OPERATOR = { CONFAB_OPERATOR: '127.0.0.1:0' };

const start = (env: Readonly<Record<string, string>> = {}) =>
  startServer({ env: { ...OPERATOR, ...env }, channels: ['general'] });

async function addressOf({ data }: TestServer): Promise<string> {
  return ((await askForConsole(data)) as { url: string }).url;
}

/** A browser that has logged in, as far as the server sees one. */
async function loggedIn(server: TestServer) {
  const address = await addressOf(server);
  const { origin } = new URL(address);
  const reply = await fetch(address, { redirect: 'manual' });
  expect(reply.status).toBe(303);
  expect(reply.headers.get('location')).toBe('/console');
  const [set = ''] = reply.headers.getSetCookie();
  expect(set).toMatch(/^confab_console_\d+=[\w-]{43}; Path=\/console; HttpOnly; SameSite=Strict$/);
  const [cookie = ''] = set.split(';');
  const get = async <Value>(path: string) => {
    const answer = await fetch(`${origin}/console${path}`, { headers: { cookie } });
    return { status: answer.status, body: (await answer.json()) as Value };
  };
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${origin}/console${path}`, {
      method: 'POST',
      headers: { cookie, origin, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    // biome-ignore lint/suspicious/noExplicitAny: what a test expects of it is written in the test.
    return { status: answer.status, body: (await answer.json()) as any };
  };
  return { origin, cookie, get, post };
}

test('a one-time address lets one browser in: without its cookie everything is refused', async () => {
  const server = await start();
  const { origin, get } = await loggedIn(server);
  expect(await get('/api/server')).toMatchObject({ status: 200, body: { isReady: true } });
  for (const path of ['/api/server', '/api/realms', '/live', '/api/nothing']) {
    const reply = await fetch(`${origin}/console${path}`);
    expect(reply.status).toBe(401);
  }
  const act = {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: '{}',
  };
  expect((await fetch(`${origin}/console/api/act`, act)).status).toBe(401);
  expect((await fetch(`${origin}/console`, { method: 'DELETE' })).status).toBe(405);
  expect(await get('/api/nothing')).toMatchObject({ status: 404 });
  expect(server.bugs).toEqual([]);
});

test('a page of another origin can neither read nor act, and a name that leads here is refused', async () => {
  const server = await start();
  const { origin, cookie, get, post } = await loggedIn(server);
  const { port } = new URL(origin);
  const create = { command: 'realm create', args: { name: 'evil' } };
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'http://127.0.0.1:3000' },
    { origin: 'null' },
    { 'content-type': 'text/plain' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    expect(await post('/api/act', create, headers)).toMatchObject({ status: 403 });
  }
  const read = await fetch(`${origin}/console/api/realms`, {
    headers: { cookie, origin: 'http://127.0.0.1:3000' },
  });
  expect(read.status).toBe(403);
  const headers = { cookie, host: `evil.example:${port}` };
  const rebound = http.get({ port, path: '/console/api/realms', headers });
  const [reply] = (await once(rebound, 'response')) as [http.IncomingMessage];
  reply.resume();
  expect(reply.statusCode).toBe(403);
  const { body } = await get<RealmView[]>('/api/realms');
  expect(body.map(({ realm }) => realm)).toEqual(['test']);
});

test('realms are listed with their figures, made, deactivated and reactivated', async () => {
  const server = await start();
  const { get, post } = await loggedIn(server);
  const { mel } = server.people;
  await server.post(mel, '/messages', { type: 'stream', to: 'general', topic: 'a', content: 'hi' });
  const [only] = (await get<RealmView[]>('/api/realms')).body;
  expect(only).toMatchObject({
    realm: 'test',
    state: 'active',
    users: 7,
    channels: 1,
    messages: 1,
  });
  const act = (command: string, args: object) => post('/api/act', { command, args });
  expect(await act('realm create', { name: 'acme' })).toMatchObject({
    status: 200,
    body: { lines: [{ realm: 'acme' }] },
  });
  expect(await act('realm create', { name: 'acme' })).toMatchObject({ status: 400 });
  await act('realm deactivate', { realm: 'acme' });
  const stateOf = async () =>
    (await get<RealmView[]>('/api/realms')).body.find(({ realm }) => realm === 'acme')?.state;
  expect(await stateOf()).toBe('deactivated');
  await act('realm reactivate', { realm: 'acme' });
  expect(await stateOf()).toBe('active');
  expect((await act('realm delete', { name: 'acme', yes: true })).body).toEqual({
    refusal: 'The console has no such act',
  });
});

test('accounts are found by a part of their names, and changed', async () => {
  const server = await start();
  const { get, post } = await loggedIn(server);
  const found = async (q: string) => (await get(`/api/users?realm=test&q=${q}`)).body;
  expect(await found('MEL@')).toEqual({
    users: [
      {
        id: server.people.mel.id,
        email: 'mel@example.com',
        name: server.people.mel.fullName,
        role: 'member',
        isBot: false,
        isActive: true,
      },
    ],
    matching: 1,
  });
  const email = 'mel@example.com';
  await post('/api/act', {
    command: 'user role',
    args: { realm: 'test', email, role: 'moderator' },
  });
  await post('/api/act', { command: 'user deactivate', args: { realm: 'test', email } });
  expect(await found('mel@')).toMatchObject({ users: [{ role: 'moderator', isActive: false }] });
  expect(await found('nobody%20is%20so')).toEqual({ users: [], matching: 0 });
  expect((await get('/api/users?realm=nowhere')).status).toBe(400);
});

test('sockets and polls are counted by client and version, also after a restart', async () => {
  const server = await start();
  const { get } = await loggedIn(server);
  const { mel, max, ona } = server.people;
  const headers = { 'user-agent': 'Builds/2.1 (linux)' };
  await server.socket(mel, { headers });
  await server.socket(max, { headers });
  const registered = async (agent: string) => {
    const answer = await fetched(server, '/api/v1/register', {
      method: 'POST',
      as: ona,
      headers: { 'user-agent': agent },
      form: { event_types: '["realm"]' },
    });
    const { queue_id: id } = JSON.parse(String(answer.body)) as { queue_id: string };
    return server.queue(ona, id, -1);
  };
  const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0';
  const queues = [await registered('Builds/2.1'), await registered(browser), await registered('')];
  const polls = queues.map((queue) => queue.next());
  const clients = [
    { client: 'Builds', version: '2.1', sockets: 2, polls: 1 },
    { client: 'Firefox', version: '153.0', sockets: 0, polls: 1 },
    { client: 'unknown', version: '', sockets: 0, polls: 1 },
  ];
  await expect
    .poll(async () => (await get<ConnectionsView>('/api/connections')).body)
    .toEqual({ sockets: 2, polls: 3, pollsCounted: 3, clients, slow: [] });
  await server.restart();
  await Promise.all(polls);
  const again = queues.map((queue) => queue.next());
  const after = await loggedIn(server);
  const polled = clients.map((client) => ({ ...client, sockets: 0 }));
  await expect
    .poll(async () => (await after.get<ConnectionsView>('/api/connections')).body)
    .toEqual({ sockets: 0, polls: 3, pollsCounted: 3, clients: polled, slow: [] });
  await server.stop();
  await Promise.all(again);
});

test('the audit log is read page by page, newest first, by kind and by account', async () => {
  const server = await start();
  const { get } = await loggedIn(server);
  for (let number = 0; number < 101; number += 1) {
    const change = { realm: 'test', setting: 'description', value: `text ${number}` };
    await runCommand(server.app.realms, 'realm set', change);
  }
  await server.patch(server.people.ona, '/realm', { name: 'Renamed' });
  const page = async (query: object) => {
    const asked = new URLSearchParams({ realm: 'test', ...query });
    return (await get<AuditView>(`/api/audit?${asked}`)).body;
  };
  const first = await page({});
  expect(first).toMatchObject({ hasMore: true });
  expect(first.entries).toHaveLength(100);
  expect(first.entries[0]).toMatchObject({
    by: 'ona@example.com',
    kind: 'realm',
    op: 'update',
    changes: [{ name: 'name', before: 'test', after: 'Renamed' }],
  });
  expect(first.entries[1]).toMatchObject({
    by: 'operator',
    changes: [{ name: 'description', before: 'text 99', after: 'text 100' }],
  });
  const second = await page({ before: first.entries.at(-1)?.id, kind: 'realm' });
  expect(second.entries[0]?.changes).toMatchObject([{ after: 'text 1' }]);
  const own = await page({ user: 'ona@example.com', kind: '' });
  expect(own.entries.map(({ by }) => by)).toEqual(['ona@example.com']);
  const refused = await get('/api/audit?realm=test&kind=nothing');
  expect(refused).toMatchObject({
    status: 400,
    body: { refusal: expect.stringContaining('kind is none of') },
  });
  expect(server.bugs).toEqual([]);
});

test('an entry of the outbox that waits for its next attempt is tried at once', async () => {
  const server = await start();
  const { get, post } = await loggedIn(server);
  const dueAt = server.clock.now() + 3_600_000;
  await server.perform((tx) => outbox.post(tx, { kind: 'visit', content: {} }, dueAt));
  const { body } = await get<{ entries: { id: number }[] }>('/api/outbox');
  expect(body).toMatchObject({
    entries: [{ realm: 'test', kind: 'visit', attempts: 0, dueAt, state: 'waiting' }],
    isCut: false,
  });
  const [{ id = 0 } = {}] = body.entries;
  const retry = () => post('/api/outbox/retry', { realm: 'test', id, dueAt });
  expect((await retry()).status).toBe(200);
  expect(await retry()).toMatchObject({
    status: 400,
    body: { refusal: 'The entry is not waiting any more' },
  });
  const audited = await server.get(server.people.ada, '/realm/audit_log', { kind: 'outbox_entry' });
  expect(audited.body['entries']).toMatchObject([{ by: 'operator', op: 'update', target: id }]);
});

test('the tree has channels with listeners and attached queues, and what actors do is recorded on request', async () => {
  const server = await start();
  const { get, post } = await loggedIn(server);
  const { mel } = server.people;
  const queue = await server.register(mel, { event_types: ['message'] });
  const polled = queue.next();
  const tree = async () => (await get<ActorsView>('/api/actors')).body;
  await expect.poll(async () => (await tree()).realms[0]?.attachedCount).toBe(1);
  const seen = await tree();
  expect(seen).toMatchObject({
    state: 'ready',
    isRecording: false,
    inspected: [],
    realms: [
      {
        realm: 'test',
        state: expect.stringMatching(/^active \(housekeeping waiting, scheduler waiting\)$/),
        channels: [{ name: 'general', state: 'active', listeners: 1 }],
        queues: [{ id: queue.id, user: mel.fullName, consumer: 'poll' }],
        detachedCount: 0,
      },
    ],
  });
  await post('/api/recording', { isOn: true });
  await server.post(mel, '/messages', { type: 'stream', to: 'general', topic: 'a', content: 'hi' });
  await polled;
  const further = await server.register(mel, { event_types: ['message'] });
  void further.next();
  await expect.poll(async () => (await tree()).inspected.length).toBeGreaterThan(0);
  await post('/api/recording', { isOn: false });
  expect(await tree()).toMatchObject({ isRecording: false, inspected: [] });
  await post('/api/act', { command: 'realm deactivate', args: { realm: 'test' } });
});

test('the stream begins with all that was kept, and goes on with samples and records', async () => {
  const server = await start();
  const { origin, cookie } = await loggedIn(server);
  const leaving = new AbortController();
  const stream = await fetch(`${origin}/console/live`, {
    headers: { cookie },
    signal: leaving.signal,
  });
  expect(stream.headers.get('content-type')).toBe('text/event-stream');
  const frames: string[] = [];
  let text = '';
  for await (const piece of stream.body ?? []) {
    text += Buffer.from(piece).toString();
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    frames.push(...parts);
    if (frames.filter((frame) => frame.startsWith('event: sample')).length >= 2) break;
  }
  leaving.abort();
  const hello = JSON.parse((frames[0] ?? '').replace('event: hello\ndata: ', '')) as Hello;
  expect(hello.series.map(({ name }) => name)).toContain('sends');
  expect(hello.samples.every((sample) => sample.length === hello.series.length + 1)).toBe(true);
});

test('a program that has the token of the operator may ask, and acts without an origin', async () => {
  const tokenFile = join(temporaryFolder(), 'token');
  writeFileSync(tokenFile, 'a-long-secret\n');
  const server = await start({ CONFAB_OPERATOR_TOKEN_FILE: tokenFile });
  const asked = (path: string, token: string, init: RequestInit = {}) =>
    fetch(`${server.app.operatorUrl}/console/api/${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}` },
    });
  expect((await asked('realms', 'wrong-secret')).status).toBe(401);
  expect((await asked('realms', 'a-long-secret')).status).toBe(200);
  const body = JSON.stringify({ command: 'realm create', args: { name: 'acme' } });
  expect((await asked('act', 'wrong-secret', { method: 'POST', body })).status).toBe(401);
  expect((await asked('act', 'a-long-secret', { method: 'POST', body })).status).toBe(200);
  expect(server.app.realms.named('acme')).toBeDefined();
});

test('`confab console` needs a server, and a listener for its operator', async () => {
  const server = await startServer();
  expect(await runConfab(server.data, 'console')).toEqual({
    code: 69,
    stdout: '',
    stderr: expect.stringContaining('CONFAB_OPERATOR'),
  });
  await server.stop();
  expect(await runConfab(server.data, 'console')).toEqual({
    code: 69,
    stdout: '',
    stderr: expect.stringMatching(/^confab: no server runs on /),
  });
});
