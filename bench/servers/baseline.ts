import { parseArgs } from 'node:util';
import { open } from 'lmdb';
import { z } from 'zod';
import type { HttpResponse } from '../../src/transport/library/sockets.ts';
import { BASELINE_SENDER, basicAuthorization } from '../load/api.ts';
import {
  app,
  hello,
  inOrder,
  sentReply,
  serve,
  serveRegistrations,
  socketsWith,
  TOPIC,
  whenWhole,
} from './bare-server.ts';

// The least that any server on uWebSockets.js and LMDB can do for the same deliveries. Nothing is
// checked, nothing is remembered beyond what a poll needs, and every delivery has the same bytes.
//
//   POST /api/v1/messages  answers, then delivers; with --durable first authenticates, parses,
//                          checks the params with zod and waits for two synced puts, a message's
//                          and its event's; the same by a `request` frame of a socket
//                          --rows=9 puts seven short rows more, each into a table of its own
//   sockets                one publish to all of a frame with so many events
//   polls                  parked, and ended together with one body of so many events
//
// A load that keeps W messages under way sends the next ones when the last are delivered, so that
// no server can write to a socket less often than once for W messages: `frames` says how many.
//
// It speaks enough of the API for the same load generator: register, messages, events, socket.

const { values } = parseArgs({
  options: {
    durable: { type: 'boolean', default: false },
    rows: { type: 'string', default: '2' },
    data: { type: 'string', default: '' },
  },
});
/** The size of a frame or a body with one event. */
let eventBytes = 500;
/** How many events wait for each other before they are sent. */
let eventsPerFrame = 1;
/** A frame that the load does not fill up, as at its end, is sent after so long. */
const WAIT_MS_MAX = 20;

// Polls are at most a few events behind; what is older than this is forgotten.
const LOG_EVENTS_MAX = 1024;

interface ParkedPoll {
  readonly response: HttpResponse;
  readonly lastEventId: number;
}

const rows = values.durable
  ? open<string, number[]>({ path: values.data, overlappingSync: false })
  : undefined;
/** Tables that a message has a short row in, as what lists messages by their place and sender. */
const lists = Array.from({ length: Number(values.rows) - 2 }, (_, nth) =>
  rows?.openDB<string, number[]>({ name: `list ${nth}` }),
);
const SHORT_ROW = 'a few bytes';

const authorization = basicAuthorization(BASELINE_SENDER);
const stored = inOrder(1);
// Up to where events are sent, and up to where messages are on their way to the disk.
let head = 0;
let lastId = 0;
/** Events that are to be sent. */
let ready: string[] = [];
let waiting: NodeJS.Timeout | undefined;
let parked: ParkedPoll[] = [];
const bodies = new Map<number, Buffer>();

app.ws<{ readonly hasQueue: boolean }>('/api/v1/events/socket', {
  ...socketsWith((request) => ({ hasQueue: request.getQuery('queue_id') !== undefined })),
  open: (socket) => {
    // Without a queue it is for requests alone.
    if (!socket.getUserData().hasQueue) return;
    socket.subscribe(TOPIC);
    socket.send(hello(head));
  },
  message: (socket, message) => {
    const frame = JSON.parse(Buffer.from(message).toString()) as Frame;
    if (frame.type !== 'request') return;
    take(frame.params, (body) => {
      socket.send(`{"type":"reply","id":${frame.id},"status":200,"body":${body}}`);
    });
  },
});

interface Frame {
  readonly type: string;
  readonly id: number;
  readonly params: unknown;
}

// From now on events are as long as those that it is held against, and so many share a frame.
app.post('/api/v1/frames', (response, request) => {
  eventBytes = Number(request.getQuery('event_bytes') ?? eventBytes);
  eventsPerFrame = Number(request.getQuery('events') ?? eventsPerFrame);
  bodies.clear();
  response.end('{"result":"success","msg":""}');
});

serveRegistrations(() => head);

app.get('/api/v1/events', (response, request) => {
  const lastEventId = Number(request.getQuery('last_event_id'));
  if (lastEventId < head) return void response.end(eventsBody(lastEventId));
  const poll: ParkedPoll = { response, lastEventId };
  response.onAborted(() => {
    parked = parked.filter((other) => other !== poll);
  });
  parked.push(poll);
});

app.post('/api/v1/messages', (response, request) => {
  if (values.durable && request.getHeader('authorization') !== authorization) {
    throw new Error('the baseline was given a wrong key');
  }
  whenWhole(response, (body, answer) =>
    take(values.durable && Object.fromEntries(new URLSearchParams(body)), answer),
  );
});

const sendParams = z.object({
  type: z.enum(['stream', 'channel', 'direct', 'private']),
  to: z.string(),
  topic: z.string().max(60),
  content: z.string().min(1).max(10_000),
});

/** Answers a send and delivers it: both once it is on disk, where anything is stored. */
function take(params: unknown, answer: (json: string) => void): void {
  lastId += 1;
  const id = lastId;
  if (rows === undefined) {
    answer(sentReply(id));
    deliver(id);
    return;
  }
  const { content } = sendParams.parse(params);
  const row = content.padEnd(eventBytes);
  const listed = lists.map((list) => list?.put([1, id], SHORT_ROW));
  void Promise.all([rows.put([1, id], row), rows.put([2, id], row), ...listed]).then(() => {
    answer(sentReply(id));
    stored(id, () => deliver(id));
  });
}

function deliver(id: number): void {
  ready.push(eventJson(id));
  if (ready.length < eventsPerFrame) waiting ??= setTimeout(sendAll, WAIT_MS_MAX);
  // Not at once: the library has one buffer to gather what it writes, and the answer to the sender
  // is in it until this turn ends; each poll would be answered in three writes.
  else if (ready.length === eventsPerFrame) setImmediate(sendAll);
}

/** Sends all events that are ready: one write for each socket, and the end of each parked poll. */
function sendAll(): void {
  clearTimeout(waiting);
  waiting = undefined;
  if (ready.length === 0) return;
  head += ready.length;
  bodies.clear();
  app.publish(TOPIC, padded('{"type":"events","events":[', ready, ']}'));
  ready = [];
  const due = parked;
  parked = [];
  for (const { response, lastEventId } of due) {
    const body = eventsBody(lastEventId);
    response.cork(() => response.end(body));
  }
}

/** Made once for each position, until the next event. */
function eventsBody(lastEventId: number): Buffer {
  const made = bodies.get(lastEventId);
  if (made !== undefined) return made;
  const first = Math.max(lastEventId + 1, head - LOG_EVENTS_MAX);
  const events = Array.from({ length: head - first + 1 }, (_, index) => eventJson(first + index));
  const body = padded('{"result":"success","msg":"","events":[', events, ']}');
  bodies.set(lastEventId, body);
  return body;
}

function eventJson(id: number): string {
  return `{"id":${id},"type":"message","flags":[],"message":{"id":${id},"content":""}}`;
}

/** JSON as long as those events are: white space counts on the wire as any other byte. */
function padded(before: string, events: readonly string[], behind: string): Buffer {
  const used = before.length + behind.length + (events[0]?.length ?? 0);
  const space = ' '.repeat(Math.max(0, eventBytes - used));
  return Buffer.from(before + events.join(`,${space}`) + space + behind);
}

serve();
