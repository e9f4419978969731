import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openStream } from '../../src/gateways/link/stream.ts';
import { temporaryFolder } from '../support/scratch.ts';

/** Returns the two ends of a socket. */
async function socketPair(): Promise<readonly [Socket, Socket]> {
  const path = join(temporaryFolder(), 'socket');
  const server: Server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const socket = connect(path);
  return [socket, await accepted];
}

/** A stream whose other end notes what it hears. */
async function openPair() {
  const [here, there] = await socketPair();
  const heard: unknown[] = [];
  const ends: (Error | null)[] = [];
  const chunks: number[] = [];
  there.on('data', ({ length }: Buffer) => chunks.push(length));
  openStream(there, { onFrame: (frame) => heard.push(frame), onEnd: (error) => ends.push(error) });
  const stream = openStream(here, { onFrame: () => undefined, onEnd: () => undefined });
  onTestFinished(() => stream.end());
  return { stream, here, heard, ends, chunks };
}

test('frames arrive whole, in order, with the values that they were sent with', async () => {
  const { stream, heard } = await openPair();
  const frames = [
    ['a', 1, null, undefined, true],
    ['b', { text: 'ä\u{1f600}', list: [1, [2, 3]] }],
    ['c', Buffer.from([0, 255])],
    ['d', 'x'.repeat(3_000_000)],
    ['e', 1_795_674_415_147.5],
  ];
  for (const frame of frames) {
    stream.send(frame);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect.poll(() => heard.length).toBe(frames.length);
  expect(heard).toEqual(frames);
});

test('the frames of a turn leave in one write', async () => {
  const { stream, heard, chunks } = await openPair();
  for (let count = 0; count < 100; count++) stream.send(['frame', count]);
  await expect.poll(() => heard.length).toBe(100);
  expect(chunks).toHaveLength(1);
  expect(heard.at(-1)).toEqual(['frame', 99]);
});

test('frames that come in pieces are put together', async () => {
  const [here, there] = await socketPair();
  const sent: Buffer[] = [];
  there.on('data', (chunk: Buffer) => sent.push(chunk));
  const stream = openStream(here, { onFrame: () => undefined, onEnd: () => undefined });
  stream.send(['first', 'x'.repeat(100)]);
  await new Promise((resolve) => setImmediate(resolve));
  stream.send(['second']);
  await expect.poll(() => Buffer.concat(sent).length).toBeGreaterThan(120);
  const bytes = Buffer.concat(sent);
  const [writer, reader] = await socketPair();
  const heard: unknown[] = [];
  openStream(reader, { onFrame: (frame) => heard.push(frame), onEnd: () => undefined });
  writer.setNoDelay(true);
  for (const byte of bytes) {
    writer.write(Buffer.from([byte]));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect.poll(() => heard).toEqual([['first', 'x'.repeat(100)], ['second']]);
  writer.end();
  stream.end();
});

test('a stream that is none is ended, and so is one whose other side ends', async () => {
  const broken = await openPair();
  broken.here.write(Buffer.from([0, 0, 0, 0, 1]));
  await expect.poll(() => broken.ends.length).toBe(1);
  expect(broken.ends[0]?.message).toBe('a write has 0 bytes');

  const ended = await openPair();
  ended.stream.send(['last']);
  ended.stream.end();
  await expect.poll(() => ended.ends).toEqual([null]);
  expect(ended.heard).toEqual([['last']]);
});
