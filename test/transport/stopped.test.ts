import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { basic } from '../support/client.ts';
import { openRawSocket } from '../support/requests/raw-socket.ts';
import { startServer } from '../support/start-server.ts';

const PATHS = ['/users/me', '/server_settings', '/events?queue_id=none&last_event_id=0', '/none'];

test('a server that has stopped refuses what comes on connections that are still open', async () => {
  const server = await startServer();
  const socket = await openRawSocket(server.app.port);
  const ask = (head: string, body = '') => {
    const lines = [head, 'Host: test.localhost', `Authorization: ${basic(server.people.mel)}`];
    if (body !== '') lines.push(`Content-Length: ${body.length}`);
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
    return socket.answer();
  };
  expect((await ask('GET /api/v1/users/me HTTP/1.1')).status).toBe(200);
  await server.stop();
  for (const path of PATHS) {
    const { status, body } = await ask(`GET /api/v1${path} HTTP/1.1`);
    expect({ path, status, code: body.code }).toEqual({
      path,
      status: 503,
      code: 'SERVER_STOPPING',
    });
  }
  const sent = await ask('POST /api/v1/messages HTTP/1.1', 'type=channel&to=general&content=x');
  expect(sent).toMatchObject({ status: 503, body: { code: 'SERVER_STOPPING' } });
  for (const path of ['/login', '/user_uploads/1/a.txt', '/external_content/a/b']) {
    expect(await ask(`GET ${path} HTTP/1.1`)).toMatchObject({ status: 503 });
  }
  expect(server.bugs).toEqual([]);
});

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
