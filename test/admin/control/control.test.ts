import net from 'node:net';
import { expect, test } from 'vitest';
import { controlSocketPath } from '../../../src/admin/data-directory.ts';
import { SERVICE_VERSION } from '../../../src/domain/version.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

test('a command over the socket is answered with its lines', async () => {
  const server = await startServer();
  const request = { command: 'realm list', args: {} };
  expect(await ask(server, `${JSON.stringify(request)}\n`)).toEqual({
    lines: [{ realm_id: 1, realm: 'test' }],
  });
});

test('a refusal is answered in words', async () => {
  const server = await startServer();
  const request = { command: 'realm create', args: { name: 'test' } };
  expect(await ask(server, `${JSON.stringify(request)}\n`)).toEqual({
    refusal: "There is a realm 'test' already",
    exit_code: 4,
  });
});

test.each([
  { why: 'a realm that is not there', args: { realm: 'acme' }, exitCode: 3 },
  { why: 'a wrong argument', args: { realm: 7 }, exitCode: 2 },
])('a refusal has the exit code of its kind: $why', async ({ args, exitCode }) => {
  const server = await startServer();
  const request = { command: 'user list', args };
  expect(await ask(server, `${JSON.stringify(request)}\n`)).toMatchObject({ exit_code: exitCode });
});

test('the status has the address of the server, its realms and its open sockets', async () => {
  const server = await startServer();
  const request = `${JSON.stringify({ command: 'status', args: {} })}\n`;
  const expected = {
    is_running: true,
    state: 'ready',
    is_ready: true,
    reasons: [],
    version: SERVICE_VERSION,
    pid: process.pid,
    started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    url: server.app.url,
    realms: 1,
    realms_not_served: 0,
    realms_closed: 0,
    sockets: 0,
    oldest_commit_ms: 0,
    disk_free_share: null,
    loop_delay_p99_ms: expect.any(Number),
  };
  expect(await ask(server, request)).toEqual({ lines: [expected] });
  await server.socket(server.people.mel);
  expect(await ask(server, request)).toEqual({ lines: [{ ...expected, sockets: 1 }] });
});

test('a command that comes in pieces is one command, and only the first one of a connection counts', async () => {
  const server = await startServer();
  const request = JSON.stringify({ command: 'realm list', args: {} });
  const create = JSON.stringify({ command: 'realm create', args: { name: 'acme' } });
  const socket = net.connect(controlSocketPath(server.data));
  const answered = text(socket);
  socket.write(request.slice(0, 10));
  await new Promise((resolve) => setImmediate(resolve));
  socket.write(`${request.slice(10)}\n${create}\n`);
  expect(JSON.parse(await answered)).toEqual({ lines: [{ realm_id: 1, realm: 'test' }] });
  expect(server.app.realms.named('acme')).toBeUndefined();
});

test.each(['not JSON', '[]', '"text"', '{"command":7,"args":{}}', '{}', 'null'])(
  'what is no command is refused and does no harm: %s',
  async (line) => {
    const server = await startServer();
    expect(await ask(server, `${line}\n`)).toEqual({
      refusal: 'That is no command',
      exit_code: 2,
    });
    expect(server.bugs).toEqual([]);
    expect((await server.get(server.people.mel, '/users/me')).status).toBe(200);
  },
);

test('a client that connects and goes away does no harm', async () => {
  const server = await startServer();
  const socket = net.connect(controlSocketPath(server.data));
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write('{"command":"realm cre');
  socket.destroy();
  expect(await ask(server, '{"command":"realm list","args":{}}\n')).toHaveProperty('lines');
  expect(server.bugs).toEqual([]);
});

async function ask(server: TestServer, line: string): Promise<unknown> {
  const socket = net.connect(controlSocketPath(server.data));
  const answered = text(socket);
  socket.write(line);
  return JSON.parse(await answered);
}

function text(socket: net.Socket): Promise<string> {
  let received = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    received += chunk;
  });
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}
