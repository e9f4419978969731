import { readFileSync } from 'node:fs';
import net from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { basic, type TestSocket } from '../../support/client.ts';
import { type ServerProcess, startProcess } from '../../support/processes/start-process.ts';

const SOCKETS = 12;
const MESSAGES = 200;
/**
 * Quotes are six bytes each in HTML, so an event has 60 kB and each socket is due 12 MB. The kernel
 * takes some 5 MB of it; the rest, held for every socket, would be 85 MB besides the 65 that the
 * sends themselves take.
 */
const CONTENT = '"'.repeat(9_900);
const BYTES_MAX = 100 * 1024 * 1024;

test('7: sockets that do not read cost a bounded amount of memory and later get everything', async () => {
  const server = await startProcess();
  const mel = server.people['mel'] ?? expect.fail();
  const max = server.people['max'] ?? expect.fail();
  // The messages go to two channels by turns: a socket gets the part of a commit for each of them
  // in frames of its own.
  const channels = ['general', 'random'];
  const subscriptions = channels.map((name) => ({ name }));
  for (const as of [mel, max]) await server.post(as, '/users/me/subscriptions', { subscriptions });
  const sockets: TestSocket[] = [];
  for (let index = 0; index < SOCKETS; index++) sockets.push(await attached(server));
  for (const { ws } of sockets) ws.pause();
  const before = residentBytes(server);

  const ids: number[] = [];
  for (let sent = 0; sent < MESSAGES; sent += 20) {
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        server.post(mel, '/messages', {
          type: 'channel',
          to: channels[index % channels.length],
          topic: 'flood',
          content: CONTENT,
        }),
      ),
    );
    ids.push(...replies.map(({ body }) => body.id));
  }
  expect(residentBytes(server) - before).toBeLessThan(BYTES_MAX);
  expect((await server.get(max, '/users/me')).status).toBe(200);

  for (const socket of sockets) socket.ws.resume();
  ids.sort((one, other) => one - other);
  for (const socket of sockets) expect(await messageIds(socket, ids.length)).toEqual(ids);
});

/**
 * Each answer has ten million characters, of which the kernel takes four million: the rest of all
 * of them would be 300 MB.
 */
const READERS = 50;
const STORED = { keys: 10, length: 990_000 };
/**
 * The document of the API has 0.8 MB: so many answers are 6 MB more than the kernel takes, for each
 * reader.
 */
const READERS_OF_DOCUMENT = 100;
const DOCUMENTS = 12;
/**
 * Without a bound 900 MB would be held of their answers. The texts that are made on the way take
 * some of this.
 */
const ANSWERED_BYTES_MAX = 400 * 1024 * 1024;

test('7: answers that nobody reads cost a bounded amount of memory, and a document that all share costs none', async () => {
  const server = await startProcess();
  const bot = server.people['bot'] ?? expect.fail();
  for (let key = 0; key < STORED.keys; key++) {
    const storage = { [`key ${key}`]: 'x'.repeat(STORED.length) };
    expect((await server.put(bot, '/bot_storage', { storage })).status).toBe(200);
  }
  const requestFor = (path: string) =>
    `GET /api/v1${path} HTTP/1.1\r\nHost: demo.localhost\r\nAuthorization: ${basic(bot)}\r\n\r\n`;
  const before = residentBytes(server);
  for (let index = 0; index < READERS; index++) neverRead(server, requestFor('/bot_storage'));
  for (let index = 0; index < READERS_OF_DOCUMENT; index++) {
    neverRead(server, requestFor('/openapi.json').repeat(DOCUMENTS));
  }
  // Requests that came before are answered before.
  for (let index = 0; index < 3; index++) {
    expect((await server.get(bot, '/bot_storage')).status).toBe(200);
  }
  expect(residentBytes(server) - before).toBeLessThan(ANSWERED_BYTES_MAX);
});

function neverRead(server: ServerProcess, text: string) {
  const socket = net.connect({ host: '127.0.0.1', port: server.port() });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write(text);
}

async function attached(server: ServerProcess): Promise<TestSocket> {
  const socket = await server.socket(server.people['max'] ?? expect.fail());
  socket.send({ type: 'register', params: { event_types: ['message'], apply_markdown: true } });
  await socket.frame('registered');
  return socket;
}

async function messageIds(socket: TestSocket, count: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count) {
    const frame = await socket.frame('events');
    for (const { message } of frame['events']) ids.push(message.id);
  }
  return ids;
}

/** Returns the memory of the process, as the kernel counts it. */
function residentBytes(server: ServerProcess): number {
  const status = readFileSync(`/proc/${server.pid()}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
