import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { open } from 'lmdb';
import type { WebSocket } from '../../src/transport/library/sockets.ts';
import {
  app,
  framed,
  hello,
  inOrder,
  library,
  messageEvent,
  sentReply,
  serve,
  serveRegistrations,
  socketsWith,
  TOPIC,
  whenWhole,
} from './bare-server.ts';

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

const rows = open<Said, number>({ path: values.data, overlappingSync: false });
const idOfKey = new Map<string, number>();
/** The messages of the channel, in order. */
const log: { readonly id: number; readonly event: string }[] = [];
// Up to where messages are published, and up to where they are on their way to the disk.
let head = 0;
for (const { key, value } of rows.getRange()) note(key, value);
let lastId = head;
const stored = inOrder(head + 1);
const frames = new Map<number, string>();
const sockets = new Set<WebSocket<Resumed>>();

interface Resumed {
  readonly position: number;
}

app.ws<Resumed>('/api/v1/events/socket', {
  ...socketsWith((request) => ({ position: Number(request.getQuery('last_event_id')) })),
  open: (socket) => {
    const { position } = socket.getUserData();
    sockets.add(socket);
    socket.subscribe(TOPIC);
    socket.send(hello(position));
    const missed = missedAfter(position);
    if (missed !== '') socket.send(missed);
  },
  close: (socket) => {
    sockets.delete(socket);
  },
});

serveRegistrations(() => head);

app.post('/api/v1/messages', (response, request) => {
  const idempotencyKey = request.getHeader('idempotency-key');
  whenWhole(response, (body, answer) => {
    const known = idOfKey.get(idempotencyKey);
    if (known !== undefined) return answer(sentReply(known));
    const params = new URLSearchParams(body);
    const id = ++lastId;
    const event = messageEvent(id, params, envelopeBytes);
    const said = { channel: params.get('to') ?? '', event, idempotencyKey };
    void rows.put(id, said).then(() =>
      stored(id, () => {
        answer(sentReply(id));
        note(id, said);
        frames.clear();
        if (said.channel === channel) app.publish(TOPIC, framed([event]));
      }),
    );
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
  const frame = missed.length === 0 ? '' : framed(missed.map(({ event }) => event));
  frames.set(position, frame);
  return frame;
}

const listening = serve(Number(values.port), LISTENING_SOCKETS);
process.once('SIGTERM', () => {
  for (const token of listening) library.us_listen_socket_close(token);
  for (const socket of [...sockets]) {
    const retryAfterMs = randomInt(RETRY_MS_MIN, RETRY_MS_MAX);
    socket.end(1001, JSON.stringify({ retry_after_ms: retryAfterMs }));
  }
  setTimeout(() => process.exit(), LINGER_MS);
});
