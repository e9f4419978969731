import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { open } from 'lmdb';
import {
  socketLibrary,
  type us_listen_socket,
  type WebSocket,
} from '../../src/transport/library/sockets.ts';

const uWebSockets = socketLibrary();

// The least that a server on uWebSockets.js and LMDB can do that is ended, started again and
// resumed from. Nobody is authenticated and nothing is checked; a socket says itself where it was.
//
//   POST /api/v1/messages  puts the message and its Idempotency-Key, awaits, publishes
//                          what is said in --channel
//   sockets                upgraded, greeted and sent all that was missed, in one write
//   SIGTERM                each socket is told when to come back, within the time that confab says

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '' },
    port: { type: 'string', default: '' },
    channel: { type: 'string', default: 'load' },
    'envelope-bytes': { type: 'string', default: '500' },
  },
});
const { channel } = values;
const envelopeBytes = Number(values['envelope-bytes']);

const TOPIC = 'everyone';
const BACKPRESSURE_BYTES_MAX = 64 * 1024 * 1024;
const RETRY_MS_MIN = 200;
const RETRY_MS_MAX = 3_000;
const LINGER_MS = 50;
// As many as confab has: with one the kernel drops most of those who come at once.
const LISTENING_SOCKETS = 16;

interface Said {
  readonly channel: string;
  /** As it is sent, without the frame around it. */
  readonly event: string;
  readonly idempotencyKey: string;
}

const app = uWebSockets.App();
const rows = open<Said, number>({ path: values.data });
const idOfKey = new Map<string, number>();
/** The messages of the channel, in order. */
const log: { readonly id: number; readonly event: string }[] = [];
// Up to where messages are published, and up to where they are on their way to the disk.
let head = 0;
for (const { key, value } of rows.getRange()) note(key, value);
let lastId = head;
let queueCount = 0;
const stored = new Map<number, () => void>();
const frames = new Map<number, string>();
const sockets = new Set<WebSocket<Resumed>>();

interface Resumed {
  readonly position: number;
}

app.ws<Resumed>('/api/v1/events/socket', {
  maxBackpressure: BACKPRESSURE_BYTES_MAX,
  idleTimeout: 120,
  upgrade: (response, request, context) => {
    response.upgrade(
      { position: Number(request.getQuery('last_event_id')) },
      request.getHeader('sec-websocket-key'),
      request.getHeader('sec-websocket-protocol'),
      request.getHeader('sec-websocket-extensions'),
      context,
    );
  },
  open: (socket) => {
    const { position } = socket.getUserData();
    sockets.add(socket);
    socket.subscribe(TOPIC);
    socket.send(`{"type":"hello","last_event_id":${position},"resumed":true}`);
    const missed = missedAfter(position);
    if (missed !== '') socket.send(missed);
  },
  close: (socket) => {
    sockets.delete(socket);
  },
});

app.post('/api/v1/register', (response) => {
  queueCount += 1;
  response.end(`{"result":"success","queue_id":"queue-${queueCount}","last_event_id":${head}}`);
});

app.post('/api/v1/messages', (response, request) => {
  const idempotencyKey = request.getHeader('idempotency-key');
  const chunks: Buffer[] = [];
  let isAborted = false;
  response.onAborted(() => {
    isAborted = true;
  });
  const answer = (id: number) => {
    if (!isAborted) response.cork(() => response.end(`{"result":"success","msg":"","id":${id}}`));
  };
  response.onData((chunk, isLast) => {
    chunks.push(Buffer.from(chunk.slice(0)));
    if (!isLast) return;
    const known = idOfKey.get(idempotencyKey);
    if (known !== undefined) return answer(known);
    const params = new URLSearchParams(Buffer.concat(chunks).toString());
    const id = ++lastId;
    const said = { channel: params.get('to') ?? '', event: eventOf(id, params), idempotencyKey };
    void rows.put(id, said).then(() => {
      stored.set(id, () => {
        answer(id);
        note(id, said);
        frames.clear();
        if (said.channel === channel) app.publish(TOPIC, frameOf([said]));
      });
      for (let next = stored.get(head + 1); next !== undefined; next = stored.get(head + 1)) {
        stored.delete(head + 1);
        next();
      }
    });
  });
});

function note(id: number, said: Said): void {
  head = id;
  idOfKey.set(said.idempotencyKey, id);
  if (said.channel === channel) log.push({ id, event: said.event });
}

/** Made once for each position, until more is said. */
function missedAfter(position: number): string {
  const made = frames.get(position);
  if (made !== undefined) return made;
  const missed = log.slice(log.findLastIndex(({ id }) => id <= position) + 1);
  const frame = missed.length === 0 ? '' : frameOf(missed);
  frames.set(position, frame);
  return frame;
}

const frameOf = (events: readonly { readonly event: string }[]): string =>
  `{"type":"events","events":[${events.map(({ event }) => event).join(',')}]}`;

/** White space stands for what else confab tells of a message. */
function eventOf(id: number, params: URLSearchParams): string {
  const content = JSON.stringify(params.get('content'));
  const place = `"display_recipient":"${params.get('to')}","subject":"${params.get('topic')}"`;
  const before = `{"id":${id},"type":"message","flags":[],"message":{"id":${id},${place},"content":`;
  return `${before}${content}${' '.repeat(Math.max(0, envelopeBytes - before.length))}}}`;
}

const listening: us_listen_socket[] = [];
for (let count = 0; count < LISTENING_SOCKETS; count++) {
  app.listen('127.0.0.1', Number(values.port), (token) => {
    if (!token) throw new Error('the baseline cannot listen');
    listening.push(token);
  });
}
process.send?.({ port: Number(values.port) });
process.on('disconnect', () => process.exit());
process.once('SIGTERM', () => {
  for (const token of listening) uWebSockets.us_listen_socket_close(token);
  for (const socket of [...sockets]) {
    const retryAfterMs = randomInt(RETRY_MS_MIN, RETRY_MS_MAX);
    socket.end(1001, JSON.stringify({ retry_after_ms: retryAfterMs }));
  }
  setTimeout(() => process.exit(), LINGER_MS);
});
