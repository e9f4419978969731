import { parseArgs } from 'node:util';
import { open } from 'lmdb';
import { z } from 'zod';
import { type HttpResponse, socketLibrary } from '../../src/transport/library/sockets.ts';

const uWebSockets = socketLibrary();

// The least that any server on uWebSockets.js and LMDB can do for the same deliveries. Nothing is
// checked, nothing is remembered beyond what a poll needs, and every delivery has the same bytes.
//
//   POST /api/v1/messages  answers, then delivers; with --durable first authenticates, parses,
//                          checks the params with zod and waits for two synced puts, a message's
//                          and its event's; the same by a `request` frame of a socket
//   sockets                one publish to all
//   polls                  parked, and ended together with one body, once for each turn
//
// It speaks enough of the API for the same load generator: register, messages, events, socket.

const { values } = parseArgs({
  options: {
    'event-bytes': { type: 'string', default: '400' },
    durable: { type: 'boolean', default: false },
    data: { type: 'string', default: '' },
    email: { type: 'string', default: '' },
    'api-key': { type: 'string', default: '' },
  },
});
/** The size of a frame or a body with one event. */
let eventBytes = Number(values['event-bytes']);

const TOPIC = 'everyone';
const BACKPRESSURE_BYTES_MAX = 64 * 1024 * 1024;
// Polls are at most a few events behind; what is older than this is forgotten.
const LOG_EVENTS_MAX = 1024;

type Response = HttpResponse;

interface ParkedPoll {
  readonly response: Response;
  readonly lastEventId: number;
}

const app = uWebSockets.App();
const rows = values.durable ? open<string, number[]>({ path: values.data }) : undefined;
const users = new Map([[values.email, values['api-key']]]);
// Up to where events are delivered, and up to where they are on their way to the disk.
let head = 0;
let storedCount = 0;
let parked: ParkedPoll[] = [];
let isFlushPlanned = false;
let queueCount = 0;
const settled = new Set<number>();
const bodies = new Map<number, Buffer>();

app.ws<{ readonly hasQueue: boolean }>('/api/v1/events/socket', {
  maxBackpressure: BACKPRESSURE_BYTES_MAX,
  idleTimeout: 120,
  upgrade: (response, request, context) => {
    response.upgrade(
      { hasQueue: request.getQuery('queue_id') !== undefined },
      request.getHeader('sec-websocket-key'),
      request.getHeader('sec-websocket-protocol'),
      request.getHeader('sec-websocket-extensions'),
      context,
    );
  },
  open: (socket) => {
    // Without a queue it is for requests alone.
    if (!socket.getUserData().hasQueue) return;
    socket.subscribe(TOPIC);
    socket.send(`{"type":"hello","last_event_id":${head},"resumed":true}`);
  },
  message: (socket, message) => {
    const frame = JSON.parse(Buffer.from(message).toString()) as Frame;
    if (frame.type !== 'request') return;
    const reply = (id: number) =>
      socket.send(
        `{"type":"reply","id":${frame.id},"status":200,"body":{"result":"success","msg":"","id":${id}}}`,
      );
    if (!values.durable) {
      reply(head + 1);
      return deliver(head + 1);
    }
    void store(frame.params).then((id) => {
      reply(id);
      deliverInOrder(id);
    });
  },
});

interface Frame {
  readonly type: string;
  readonly id: number;
  readonly params: unknown;
}

// From now on events are as long as those that it is held against.
app.post('/api/v1/event-bytes/:bytes', (response, request) => {
  eventBytes = Number(request.getParameter(0));
  bodies.clear();
  response.end('{"result":"success","msg":""}');
});

app.post('/api/v1/register', (response) => {
  queueCount += 1;
  const reply = { result: 'success', queue_id: `queue-${queueCount}`, last_event_id: head };
  response.end(JSON.stringify(reply));
});

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
  const authorization = values.durable ? request.getHeader('authorization') : '';
  let isAborted = false;
  const chunks: Buffer[] = [];
  response.onAborted(() => {
    isAborted = true;
  });
  response.onData((chunk, isLast) => {
    if (values.durable) chunks.push(Buffer.from(chunk.slice(0)));
    if (!isLast) return;
    if (!values.durable) {
      answer(response, head + 1);
      return deliver(head + 1);
    }
    authenticate(authorization);
    const params = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
    void store(params).then((id) => {
      if (!isAborted) response.cork(() => answer(response, id));
      deliverInOrder(id);
    });
  });
});

function answer(response: Response, id: number): void {
  response.end(`{"result":"success","msg":"","id":${id}}`);
}

/** LMDB does not promise that the puts of one commit settle in the order they were made. */
function deliverInOrder(id: number): void {
  settled.add(id);
  while (settled.delete(head + 1)) deliver(head + 1);
}

function deliver(id: number): void {
  head = id;
  bodies.clear();
  app.publish(TOPIC, eventsFrame(id));
  if (isFlushPlanned) return;
  isFlushPlanned = true;
  setImmediate(flushPolls);
}

function authenticate(authorization: string): void {
  const [email = '', apiKey = ''] = Buffer.from(authorization.slice(6), 'base64')
    .toString()
    .split(':');
  if (users.get(email) !== apiKey) throw new Error('the baseline was given a wrong key');
}

const sendParams = z.object({
  type: z.enum(['stream', 'channel', 'direct', 'private']),
  to: z.string(),
  topic: z.string().max(60),
  content: z.string().min(1).max(10_000),
});

async function store(params: unknown): Promise<number> {
  const { content } = sendParams.parse(params);
  storedCount += 1;
  const id = storedCount;
  const row = content.padEnd(eventBytes);
  await Promise.all([rows?.put([1, id], row), rows?.put([2, id], row)]);
  return id;
}

/** Ends all parked polls with what came in this turn. */
function flushPolls(): void {
  isFlushPlanned = false;
  const due = parked;
  parked = [];
  for (const { response, lastEventId } of due) {
    const body = eventsBody(lastEventId);
    response.cork(() => response.end(body));
  }
}

function eventsFrame(id: number): Buffer {
  return padded('{"type":"events","events":[', [eventJson(id)], ']}', eventBytes);
}

/** Made once for each position, until the next event. */
function eventsBody(lastEventId: number): Buffer {
  const made = bodies.get(lastEventId);
  if (made !== undefined) return made;
  const first = Math.max(lastEventId + 1, head - LOG_EVENTS_MAX);
  const events = Array.from({ length: head - first + 1 }, (_, index) => eventJson(first + index));
  const body = padded('{"result":"success","msg":"","events":[', events, ']}', eventBytes);
  bodies.set(lastEventId, body);
  return body;
}

function eventJson(id: number): string {
  return `{"id":${id},"type":"message","flags":[],"message":{"id":${id},"content":""}}`;
}

/** JSON of at least the given length: white space counts on the wire as any other byte. */
function padded(before: string, events: readonly string[], behind: string, length: number): Buffer {
  const space = Math.max(0, length - before.length - behind.length - (events[0]?.length ?? 0));
  const json = before + events.join(`,${' '.repeat(space)}`) + ' '.repeat(space) + behind;
  return Buffer.from(json);
}

app.listen('127.0.0.1', 0, (token) => {
  if (!token) throw new Error('the baseline cannot listen');
  process.send?.({ port: uWebSockets.us_socket_local_port(token) });
});
process.on('disconnect', () => process.exit());
