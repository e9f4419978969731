import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { open as openRows } from 'lmdb';
import type { HttpResponse } from '../../src/transport/library/sockets.ts';
import { app, serve } from './bare-server.ts';

// The least that a server on uWebSockets.js can do to take and hand out files: it authenticates
// nobody, parses nothing, writes no row for a file and syncs no name. It syncs the bytes before it
// answers. With --durable it syncs the name at the same time, and then puts one row and awaits it:
// every server has to do that which still knows of the file when the power comes back.
//
//   POST /files         the body is a file; answered by its path
//   POST /begun         durable only: puts a row; answers the path that takes the file
//   PATCH /begun/{n}    the body is that file; answered by its path
//   GET /files/{n}      its bytes, as the client takes them

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '' },
    durable: { type: 'boolean', default: false },
  },
});

const CHUNK_BYTES = 128 * 1024;
/** As much of a body as confab holds before its client waits. */
const WAITING_BYTES_MAX = 1024 * 1024;

let count = 0;
await mkdir(values.data, { recursive: true });
const rows = values.durable
  ? openRows<{ readonly bytes: number | null }, string>({
      path: join(values.data, 'rows'),
      overlappingSync: false,
    })
  : undefined;

app.post('/files', (response) => {
  count += 1;
  const name = String(count);
  answer(response, receive(response, name), { url: `/files/${name}` });
});

app.post('/begun', (response) => {
  count += 1;
  const name = String(count);
  // Reads the body, which is empty, or the connection is of no more use.
  response.onData(() => undefined);
  answer(response, put(name, null), { url: `/begun/${name}` });
});

app.patch('/begun/:name', (response, request) => {
  const name = request.getParameter(0) ?? '';
  answer(response, receive(response, name), { url: `/files/${name}` });
});

function answer(response: HttpResponse, done: Promise<unknown>, body: object) {
  let isGone = false;
  response.onAborted(() => {
    isGone = true;
  });
  done.then(
    () => {
      if (!isGone) response.cork(() => response.end(JSON.stringify(body)));
    },
    () => response.close(),
  );
}

app.get('/files/:name', (response, request) => {
  const name = request.getParameter(0) ?? '';
  let isGone = false;
  response.onAborted(() => {
    isGone = true;
  });
  send(response, join(values.data, name), () => isGone).catch(() => response.close());
});

/** Chunks are written one after the other; a client that is faster than the disk waits. */
async function receive(response: HttpResponse, name: string): Promise<void> {
  let bytes = 0;
  const chunks: Buffer[] = [];
  let waitingBytes = 0;
  let isPaused = false;
  let isWhole = false;
  let wake: (() => void) | undefined;
  response.onData((chunk, isLast) => {
    chunks.push(Buffer.from(chunk.slice(0)));
    bytes += chunk.byteLength;
    waitingBytes += chunk.byteLength;
    isWhole = isLast;
    if (!isLast && !isPaused && waitingBytes >= WAITING_BYTES_MAX) {
      isPaused = true;
      response.pause();
    }
    wake?.();
  });
  const file = await open(join(values.data, name), 'w');
  try {
    for (;;) {
      const chunk = chunks.shift();
      if (chunk !== undefined) {
        waitingBytes -= chunk.length;
        if (isPaused && waitingBytes < WAITING_BYTES_MAX) {
          isPaused = false;
          response.resume();
        }
        await file.writeFile(chunk);
      } else if (isWhole) break;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
    await Promise.all([file.sync(), values.durable ? syncFolder() : undefined]);
  } finally {
    await file.close();
  }
  await put(name, bytes);
}

/** Awaited, it is synced. */
async function put(name: string, bytes: number | null): Promise<void> {
  await rows?.put(name, { bytes });
}

async function syncFolder(): Promise<void> {
  const folder = await open(values.data, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function send(response: HttpResponse, path: string, isGone: () => boolean): Promise<void> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    for (let at = 0; at < size && !isGone(); at += CHUNK_BYTES) {
      const bytes = await read(file, { position: at, length: Math.min(CHUNK_BYTES, size - at) });
      if (!isGone()) await sendChunk(response, bytes, size);
    }
  } finally {
    await file.close();
  }
}

async function read(file: FileHandle, at: { position: number; length: number }): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(at.length);
  const { bytesRead } = await file.read(bytes, 0, at.length, at.position);
  return bytes.subarray(0, bytesRead);
}

const sendChunk = (response: HttpResponse, bytes: Buffer, size: number): Promise<void> => {
  const start = response.getWriteOffset();
  return new Promise((resolve) => {
    const attempt = (from: number): boolean => {
      const [isTaken, isWhole] = response.tryEnd(bytes.subarray(from), size);
      if (isTaken || isWhole) resolve();
      return isTaken || isWhole;
    };
    response.onAborted(resolve);
    response.onWritable((offset) => attempt(offset - start));
    response.cork(() => void attempt(0));
  });
};

serve();
