import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { isOlderLibrary } from '../../src/transport/library/sockets.ts';
import { basic } from '../support/client.ts';
import { openRawSocket } from '../support/requests/raw-socket.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

const PATHS = ['/users/me', '/server_settings', '/events?queue_id=none&last_event_id=0', '/none'];

/** Opens a connection that has had an answer, as clients keep it for the next request. */
async function kept(server: TestServer, headers: readonly string[] = []) {
  const socket = await openRawSocket(server.app.port);
  const ask = (head: string, body = '') => {
    const lines = [
      head,
      'Host: test.localhost',
      `Authorization: ${basic(server.people.mel)}`,
      ...headers,
    ];
    if (body !== '') lines.push(`Content-Length: ${body.length}`);
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
    return socket.answer({ isHead: head.startsWith('HEAD') });
  };
  const first = await ask('GET /api/v1/users/me HTTP/1.1');
  expect([first.status, first.headers['connection']]).toEqual([200, undefined]);
  return { ask, closed: socket.closed };
}

test('a server that has stopped refuses what comes on connections that are still open', async () => {
  const server = await startServer();
  const asked = [
    ...PATHS.map((path) => [`GET /api/v1${path} HTTP/1.1`, 'SERVER_STOPPING', ''] as const),
    ['POST /api/v1/messages HTTP/1.1', 'SERVER_STOPPING', 'type=channel&to=general&content=x'],
    ...['/login', '/user_uploads/1/a.txt', '/external_content/a/b'].map(
      (path) => [`GET ${path} HTTP/1.1`, undefined, ''] as const,
    ),
  ] as const;
  const connections = await Promise.all(asked.map(() => kept(server)));
  await server.stop();
  for (const [index, [head, code, body]] of asked.entries()) {
    const answer = await connections[index]?.ask(head, body);
    expect({ head, ...answer }).toMatchObject({ head, status: 503 });
    if (code !== undefined) expect(answer?.body).toMatchObject({ code });
    await connections[index]?.closed();
  }
  expect(server.bugs).toEqual([]);
});

const STOPPING = 503;
const FORWARDED = ['X-Forwarded-For: 10.1.2.3', 'X-Forwarded-Proto: https'];

test.each([
  { by: 'nobody', env: {}, headers: [] },
  { by: 'a proxy', env: { CONFAB_TRUSTED_PROXIES: '127.0.0.1' }, headers: FORWARDED },
])(
  'a server that drains ends each connection with its next answer, forwarded by $by',
  async ({ env, headers }) => {
    const server = await startServer({
      channels: ['general'],
      env: { CONFAB_DRAIN_MS: '1000', ...env },
    });
    const asked: readonly (readonly [head: string, status: number, body?: string])[] = [
      ['GET /api/v1/users/me HTTP/1.1', 200],
      ['HEAD /api/v1/users/me HTTP/1.1', 200],
      ['OPTIONS /api/v1/users/me HTTP/1.1', 204],
      ['POST /api/v1/messages HTTP/1.1', 200, 'type=channel&to=general&topic=a&content=x'],
      ['GET /api/v1/none HTTP/1.1', 404],
      ['GET /static/realm-icon.png HTTP/1.1', 200],
      ['GET /livez HTTP/1.1', 200],
      ['GET /readyz HTTP/1.1', 503],
    ];
    const connections = await Promise.all(asked.map(() => kept(server, headers)));
    const large = await kept(server, headers);
    const waiting = await kept(server, headers);
    const { id } = await server.register(server.people.mel, { event_types: ['realm'] });
    const parked = waiting.ask(`GET /api/v1/events?queue_id=${id}&last_event_id=-1 HTTP/1.1`);
    const stopping = server.stop();
    const answers = asked.map(async ([head, status, body], index) => {
      const answer = await connections[index]?.ask(head, body);
      expect({ head, ...answer }).toMatchObject({ head, headers: { connection: 'close' } });
      // On a machine that is very busy it has drained meanwhile.
      expect([status, STOPPING]).toContain(answer?.status);
      // The older library leaves it to the client, which the answer tells to do so.
      if (!isOlderLibrary()) await connections[index]?.closed();
    });
    await Promise.all(answers);
    // It is sent in pieces, with which the library cannot end a connection: the client does.
    const { status, body, headers: fields } = await large.ask('GET /api/v1/openapi.json HTTP/1.1');
    expect(fields['connection']).toBe('close');
    expect(status === STOPPING ? 'stopping' : body.openapi).toBeOneOf(['3.1.0', 'stopping']);
    expect(await parked).toMatchObject({ headers: { connection: 'close' }, body: { events: [] } });
    if (!isOlderLibrary()) await waiting.closed();
    await stopping;
    expect(server.bugs).toEqual([]);
  },
);

test('a server that has stopped does not stay in memory', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const queue = await server.register(mel);
  const parked = queue.poll();
  const socket = await server.socket(mel);
  socket.send({ type: 'ping' });
  await socket.frame('pong');
  const former = new WeakRef(server.app.realms);
  await server.restart();
  await Promise.all([parked, socket.closed()]);
  await expect
    .poll(() => {
      collectGarbage();
      return former.deref() === undefined;
    })
    .toBe(true);
});

setFlagsFromString('--expose_gc');
const collectGarbage: () => void = runInNewContext('gc');
setFlagsFromString('--no-expose_gc');
