import net from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  ANSWER_STALLED_MS_MAX,
  UNTAKEN_BYTES_MAX,
  UNTAKEN_BYTES_PER_READER_MAX,
} from '../../../src/domain/limits/requests.ts';
import * as botStorage from '../../../src/operations/bots/storage.ts';
import {
  goesOn,
  hold,
  release,
  type Untaken,
  untakenBytes,
} from '../../../src/transport/connections/untaken.ts';
import { basic } from '../../support/client.ts';
import { openRawSocket } from '../../support/requests/raw-socket.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

/**
 * Characters in the storage of a bot, of two bytes each: more than the kernel takes of an answer
 * that nobody reads.
 */
const STORED = 5_000_000;
const ANSWERS_MAX = Math.floor(UNTAKEN_BYTES_PER_READER_MAX / (2 * STORED + 100));
const MIB = 1024 * 1024;

const request = (path: string, as: Person | null) =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: test.localhost',
    ...(as === null ? [] : [`Authorization: ${basic(as)}`]),
    '\r\n',
  ].join('\r\n');

async function withLargeAnswer() {
  const server = await startServer();
  const { bot } = server.people;
  // Letters of different lengths in UTF-8, so that pieces end within some of them.
  const letters = 'aö€😀'.repeat(STORED / 5);
  await server.perform((tx) => botStorage.keep(tx, bot.id, new Map([['all', letters]])));
  return { server, bot, letters };
}

/** A connection that asks for something large and reads nothing of it until it is told to. */
function ask(server: TestServer, path: string, as: Person | null) {
  const socket = net.connect({ host: '127.0.0.1', port: server.app.port });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write(request(path, as));
  return {
    socket,
    /** Returns how many bytes come until there are so many, or the connection ends. */
    read: (bytesMax: number) =>
      new Promise<number>((resolve) => {
        let bytes = 0;
        socket.on('close', () => resolve(bytes));
        socket.on('data', (chunk) => {
          bytes += chunk.length;
          if (bytes >= bytesMax) resolve(bytes);
        });
      }),
  };
}

test('a large answer arrives whole, however slowly it is read, and the connection serves the next request', async () => {
  const { server, bot, letters } = await withLargeAnswer();
  const socket = await openRawSocket(server.app.port);
  for (let round = 0; round < 2; round++) {
    socket.write(request('/api/v1/bot_storage', bot));
    // The request was sent before any of the answer was read: the answer waits for its reader.
    const { status, headers, body } = await socket.answer();
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    expect(body.storage.all === letters).toBe(true);
  }
  socket.write(request('/api/v1/users/me', bot));
  expect((await socket.answer()).body.user_id).toBe(bot.id);
  socket.destroy();
  expect(untakenBytes()).toBe(0);
});

test('a large answer to a HEAD is its head, and a request behind it is served', async () => {
  const { server, bot } = await withLargeAnswer();
  const socket = await openRawSocket(server.app.port);
  const head = request('/api/v1/bot_storage', bot).replace('GET', 'HEAD');
  socket.write(head + request('/api/v1/users/me', bot));
  const { headers } = await socket.answer({ isHead: true });
  expect(Number(headers['content-length'])).toBeGreaterThan(STORED);
  expect((await socket.answer()).body.user_id).toBe(bot.id);
  socket.destroy();
});

test('a connection that is to close closes behind a large answer', async () => {
  const { server, bot, letters } = await withLargeAnswer();
  const socket = await openRawSocket(server.app.port);
  const bytes = request('/api/v1/bot_storage', bot);
  socket.write(bytes.replace('Host:', 'Connection: close\r\nHost:'));
  expect((await socket.answer()).body.storage.all === letters).toBe(true);
  await socket.closed();
});

test('what is behind an answer that is taken at once is answered next', async () => {
  const server = await startServer();
  const socket = await openRawSocket(server.app.port);
  // The kernel takes an answer of this length at once.
  socket.write(request('/api/v1/openapi.json', null) + request('/api/v1/users', null));
  expect((await socket.answer()).body.openapi).toBe('3.1.0');
  expect((await socket.answer()).status).toBe(401);
  socket.destroy();
});

test('what somebody does not take is bounded, and what waited longest is cut off', async () => {
  const { server, bot } = await withLargeAnswer();
  const readers: ReturnType<typeof ask>[] = [];
  for (let index = 0; index < 2 * ANSWERS_MAX; index++) {
    readers.push(ask(server, '/api/v1/bot_storage', bot));
    const kept = Math.min(index + 1, ANSWERS_MAX);
    await vi.waitFor(() => expect(untakenBytes()).toBeGreaterThan(kept * 2 * STORED));
    expect(untakenBytes()).toBeLessThanOrEqual(UNTAKEN_BYTES_PER_READER_MAX);
    // Others are served meanwhile, so the server has the last of these requests when this one is
    // answered.
    expect((await server.get(server.people.mel, '/users/me')).status).toBe(200);
  }
  const whole: boolean[] = [];
  for (const { read } of readers) whole.push((await read(2 * STORED)) >= 2 * STORED);
  expect(whole).toEqual(readers.map((_, index) => index >= ANSWERS_MAX));
  await vi.waitFor(() => expect(untakenBytes()).toBe(0));
});

test('what was held for a reader who goes away is held no more', async () => {
  const { server, bot } = await withLargeAnswer();
  const { socket } = ask(server, '/api/v1/bot_storage', bot);
  await vi.waitFor(() => expect(untakenBytes()).toBeGreaterThan(2 * STORED));
  socket.destroy();
  await vi.waitFor(() => expect(untakenBytes()).toBe(0));
});

test('the bound of all readers holds as well, and a reader of something shared is not cut off for it', () => {
  const cut: string[] = [];
  const untaken = (reader: string, bytes: number): Untaken => ({
    reader,
    bytes,
    cut: () => void cut.push(`${reader} ${bytes}`),
  });
  const large = Array.from({ length: UNTAKEN_BYTES_MAX / MIB / 16 }, (_, index) =>
    untaken(`reader ${index}`, 16 * MIB),
  );
  const shared = untaken('reader of a document', 0);
  const last = untaken('last', 20 * MIB);
  const all = [shared, ...large, last];
  try {
    for (const answer of [shared, ...large]) hold(answer);
    expect(cut).toEqual([]);
    // A reader that takes something has waited for the shortest time.
    if (large[0] !== undefined) goesOn(large[0]);
    hold(last);
    expect(cut).toEqual([`reader 1 ${16 * MIB}`, `reader 2 ${16 * MIB}`]);
    expect(untakenBytes()).toBeLessThanOrEqual(UNTAKEN_BYTES_MAX);
  } finally {
    for (const answer of all) release(answer);
  }
  expect(untakenBytes()).toBe(0);
});

test('a single answer may be larger than the bound', () => {
  const cut: number[] = [];
  const snapshot = (bytes: number) => ({ reader: 'one', bytes, cut: () => void cut.push(bytes) });
  const [first, second] = [snapshot(2 * UNTAKEN_BYTES_MAX), snapshot(3 * UNTAKEN_BYTES_MAX)];
  hold(first);
  expect(cut).toEqual([]);
  hold(second);
  expect(cut).toEqual([first.bytes]);
  release(second);
  expect(untakenBytes()).toBe(0);
});

test('who takes nothing for a minute is cut off, who takes a little is not', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const cut: string[] = [];
  const [still, moving] = ['still', 'moving'].map((reader) => ({
    reader,
    bytes: 1,
    cut: () => void cut.push(reader),
  }));
  if (still === undefined || moving === undefined) throw new Error('there are two');
  hold(still);
  hold(moving);
  for (let passed = 0; passed < 2 * ANSWER_STALLED_MS_MAX; passed += 10_000) {
    vi.advanceTimersByTime(10_000);
    goesOn(moving);
    goesOn(still.reader === cut[0] ? still : moving);
  }
  expect(cut).toEqual(['still']);
  release(moving);
  expect(untakenBytes()).toBe(0);
});
