import { expect, onTestFinished, test } from 'vitest';
import * as errors from '../../../src/domain/wire/errors.ts';
import { openDispatch } from '../../../src/endpoints/dispatch.ts';
import { endpoint } from '../../../src/endpoints/endpoint.ts';
import { ENDPOINTS } from '../../../src/endpoints/index.ts';
import { anyUser, rule } from '../../../src/endpoints/permissions.ts';
import { openRoutes } from '../../../src/endpoints/routes.ts';
import { NO_SESSIONS } from '../../../src/endpoints/sessions/cookies.ts';
import { standingHeaders } from '../../../src/transport/answers/standing-headers.ts';
import { listen } from '../../../src/transport/connections/listen.ts';
import { mountHttp } from '../../../src/transport/http.ts';
import { openSockets } from '../../../src/transport/websocket.ts';
import { withGateways } from '../../support/actors/consumers.ts';
import { testConsumer } from '../../support/actors/listening.ts';
import { atOnce } from '../../support/acts/at-once.ts';
import { type Client, openClient } from '../../support/client.ts';
import { recorded } from '../../support/requests/recorded.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

/** Endpoints that fail in every way an endpoint can, beside those that there are. */

const SECRET = 'what went wrong is nobody’s business';
const MESSAGE = { type: 'channel', to: 'general', topic: 'bugs', content: 'hello' };
const MESSAGES_ONLY = { event_types: ['message'], fetch_event_types: [] };

const said = { summary: 'Fails', params: {} };
const bug = (): never => {
  throw new TypeError(SECRET);
};

const BROKEN = [
  endpoint({ ...said, method: 'GET', path: '/broken/read', allow: anyUser, read: bug }),
  endpoint({
    ...said,
    method: 'GET',
    path: '/broken/rule',
    allow: rule('nobody', bug),
    read: () => ({}),
  }),
  endpoint({
    ...said,
    method: 'GET',
    path: '/broken/throws_nothing',
    allow: anyUser,
    read() {
      throw undefined;
    },
  }),
  endpoint({
    ...said,
    method: 'GET',
    path: '/broken/no_json',
    allow: anyUser,
    read: () => ({ id: 1n }),
  }),
  endpoint({ ...said, method: 'POST', path: '/broken/exchange', allow: anyUser, exchange: bug }),
  endpoint({ ...said, method: 'GET', path: '/broken/visit', visit: bug }),
  endpoint({
    ...said,
    method: 'POST',
    path: '/broken/later',
    visit: ({ answer, refuse }) => void Promise.resolve().then(bug).then(answer, refuse),
  }),
  endpoint({
    ...said,
    method: 'POST',
    path: '/broken/change',
    allow: anyUser,
    change(tx) {
      tx.channels.put([tx.nextId('channel')], tx.channels.get([1]) ?? bug());
      tx.nextId('message');
      tx.emit({ event: { type: 'heartbeat' }, audience: { everyone: true } });
      return bug();
    },
  }),
  endpoint({
    ...said,
    method: 'POST',
    path: '/broken/no_json_of_change',
    allow: anyUser,
    change: () => ({ id: 1n }),
  }),
  endpoint({
    ...said,
    method: 'POST',
    path: '/broken/refusal',
    allow: anyUser,
    change(tx) {
      tx.channels.put([tx.nextId('channel')], tx.channels.get([1]) ?? bug());
      tx.nextId('message');
      tx.emit({ event: { type: 'heartbeat' }, audience: { everyone: true } });
      throw errors.badRequest('No.');
    },
  }),
];

const CALLS = BROKEN.map(({ method, path }) => ({ method, path })).filter(
  ({ path }) => path !== '/broken/refusal',
);

interface Broken {
  readonly server: TestServer;
  readonly client: Client;
  readonly bugs: { readonly error: unknown; readonly where: string }[];
}

/** A second door to the realms of a server, behind which are the broken endpoints. */
async function withBroken(): Promise<Broken> {
  const server = await startServer({ channels: ['general'] });
  const bugs: { error: unknown; where: string }[] = [];
  const { realms } = server.app;
  const mounted = {
    ...recorded(),
    dispatch: openDispatch(realms, openRoutes([...ENDPOINTS, ...BROKEN])),
    limitRequest: null,
    sessions: NO_SESSIONS,
    limitPoll: null,
    standing: standingHeaders({ isTls: false }),
    proxies: null,
    deployment: realms,
    onBug(error: unknown, { method, path }: { method: string; path: string }) {
      bugs.push({ error, where: `${method} ${path}` });
      return `request ${bugs.length}`;
    },
  };
  const door = await listen({ host: '127.0.0.1', port: 0, tls: null }, (app) => {
    openSockets(mounted).mount(app);
    mountHttp(app, {
      ...mounted,
      web: null,
      holdsSecret: () => false,
      pages: () => undefined,
      content: noContent,
      files: noContent,
      uploads: noContent,
      isStreamed: () => false,
      bodyLimit: () => 64 * 1024,
      quickPoll: () => undefined,
    });
  });
  onTestFinished(door.close);
  return { server, client: openClient(() => door.port, 'test.localhost'), bugs };
}

const noContent = () => Promise.reject(new Error('there is none'));

const bare = (count: number) => ({
  result: 'error',
  msg: 'Internal server error',
  request_id: `request ${count}`,
});

test.each(CALLS)(
  '9: an unexpected exception is a bare 500, logged with its endpoint, and the server goes on: $method $path',
  async ({ method, path }) => {
    const { server, client, bugs } = await withBroken();
    const { mel, max } = server.people;
    const queue = await client.register(max, MESSAGES_ONLY);
    const poll = queue.poll();
    const reply = await client.request(method, path, { as: mel });
    expect(reply.status).toBe(500);
    expect(reply.body).toEqual(bare(1));
    expect(bugs.map(({ where }) => where)).toEqual([`${method} ${path}`]);

    const socket = await client.socket(mel);
    socket.send({ type: 'request', id: 1, method, path });
    expect(await socket.frame()).toEqual({ type: 'reply', id: 1, status: 500, body: bare(2) });
    expect(bugs.map(({ where }) => where)).toEqual([`${method} ${path}`, `${method} ${path}`]);

    expect((await client.post(mel, '/messages', MESSAGE)).status).toBe(200);
    expect((await poll).body.events).toMatchObject([{ message: { content: 'hello' } }]);
    socket.send({ type: 'ping' });
    expect(await socket.frame()).toEqual({ type: 'pong' });
    // The realm was not restarted for it.
    expect(server.bugs).toEqual([]);
  },
);

test('9: of a commit only what failed is undone, and its numbers are given to the next', async () => {
  const { server } = await withBroken();
  const { mel, max } = server.people;
  const queue = await server.register(max, MESSAGES_ONLY);
  const realm = server.app.realms.named('test') ?? expect.fail();
  const channels = [...realm.reader.channels.keys({})];
  const { post } = atOnce(server, [...ENDPOINTS, ...BROKEN]);
  const replies = await Promise.all([
    post(mel, '/messages', { ...MESSAGE, content: 'first' }),
    post(mel, '/broken/change'),
    post(mel, '/messages', { ...MESSAGE, content: 'second' }),
    post(mel, '/broken/refusal'),
    post(mel, '/messages', { ...MESSAGE, content: 'third' }),
    post(mel, '/broken/change'),
  ]);
  expect(replies.map(({ status }) => status)).toEqual([200, 500, 200, 400, 200, 500]);
  expect(replies[1]?.body).toEqual({ ...bare(1), request_id: expect.any(String) });
  expect(replies.map(({ body }) => body.id)).toEqual([1, undefined, 2, undefined, 3, undefined]);
  const heard = await queue.now();
  expect(heard.map(({ message }) => [message.id, message.content])).toEqual([
    [1, 'first'],
    [2, 'second'],
    [3, 'third'],
  ]);
  const ids = heard.map(({ id }) => id);
  expect(ids).toEqual([0, 1, 2].map((index) => (ids[0] ?? 0) + index));
  expect([...realm.reader.channels.keys({})]).toEqual(channels);
  expect(realm.reader.head()).toBe(ids.at(-1));
  await server.restart();
  expect((await queue.poll({ dont_block: true })).body.events).toEqual([]);
  expect((await server.post(mel, '/messages', MESSAGE)).body.id).toBe(4);
});

test('9: a bug is in the log of the server, with its endpoint and its trace', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const realm = server.app.realms.named('test') ?? expect.fail();
  const { body } = await server.post(mel, '/messages', MESSAGE);
  await realm.perform((tx) => {
    const row = tx.messages.get([body.id]) ?? expect.fail();
    tx.messages.put([body.id], { ...row, senderId: 999 });
  });
  const path = `/messages/${body.id}`;
  const reply = await server.get(mel, path);
  expect([reply.status, reply.body]).toEqual([
    500,
    { result: 'error', msg: 'Internal server error', request_id: expect.any(String) },
  ]);
  expect(reply.headers['x-request-id']).toBe(reply.body.request_id);
  // A gateway answers and hands the line over.
  await expect.poll(() => server.bugs).toHaveLength(1);
  expect(server.bugs.map((line) => JSON.parse(line) as object)).toMatchObject([
    {
      requestId: reply.body.request_id,
      endpoint: 'GET /messages/{message_id}',
      realm: 'test',
      userId: mel.id,
      err: {
        message: expect.stringContaining('has no sender'),
        stack: expect.stringContaining('    at '),
      },
    },
  ]);
  // The id of a request that has one is that of its bug.
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const traced = await server.request('GET', path, { as: mel, headers: { traceparent } });
  expect(traced.headers['x-request-id']).toBe(traced.body.request_id);
  await expect.poll(() => server.bugs).toHaveLength(2);
  expect(JSON.parse(server.bugs[1] ?? '')).toMatchObject({
    requestId: traced.body.request_id,
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  });
});

// Gateways go on to read a realm that starts again.
test.skipIf(withGateways())(
  '9: while a realm starts again after a bug, each host is told so, also one that nobody has called yet',
  async () => {
    const server = await startServer({ channels: ['general'] });
    const { mel, max } = server.people;
    const queue = await server.register(max, MESSAGES_ONLY);
    const realm = server.app.realms.named('test') ?? expect.fail();
    const found = realm.queues.find(queue.id, max.id) ?? expect.fail();
    realm.queues.attach(found, queue.lastEventId, testConsumer({ answer: bug }));
    await server.post(mel, '/messages', MESSAGE);
    await expect.poll(() => realm.isOpen()).toBe(false);

    const hosts = ['test.localhost', 'another.localhost'];
    const clients = hosts.map((host) => openClient(() => server.app.port, host));
    const replies = await Promise.all(clients.map((client) => client.get(mel, '/users')));
    const stopping = [503, 'SERVER_STOPPING'];
    expect(replies.map(({ status, body }) => [status, body.code])).toEqual(
      hosts.map(() => stopping),
    );
    expect(server.app.inspect.tree().realms).toMatchObject([{ name: 'test', state: 'failed' }]);

    const isOpenLater = () => {
      server.clock.advance(1_000);
      return server.app.realms.named('test')?.isOpen();
    };
    await expect.poll(isOpenLater).toBe(true);
    for (const client of clients) {
      expect((await client.get(mel, '/users')).status).toBe(200);
    }
    // The site that was shown while the realm could not be read is not remembered.
    const siteOf = (host: string) => server.app.realms.at(`${host}:${server.app.port}`).site;
    expect(hosts.map((host) => siteOf(host).host)).toEqual(['test.localhost', 'test.localhost']);
    expect(server.bugs.map((line) => JSON.parse(line) as object)).toMatchObject([
      { err: { message: SECRET } },
    ]);
  },
);
