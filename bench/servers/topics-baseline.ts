import { parseArgs } from 'node:util';
import { open } from 'lmdb';
import { socketLibrary } from '../../src/transport/library/sockets.ts';
import { channelsOfAll } from '../fixtures/mesh.ts';

const uWebSockets = socketLibrary();

// The least that a server on uWebSockets.js can do for many channels with few people each: a topic
// for each channel, and one publish of what is said to it. Nothing is checked. With --data two puts
// are awaited before, a message's and its event's; else nothing is stored.

const { values } = parseArgs({
  options: {
    channels: { type: 'string', default: '1000' },
    'per-channel': { type: 'string', default: '20' },
    'envelope-bytes': { type: 'string', default: '500' },
    data: { type: 'string' },
  },
});
const mesh = { channels: Number(values.channels), perChannel: Number(values['per-channel']) };
const envelopeBytes = Number(values['envelope-bytes']);

const BACKPRESSURE_BYTES_MAX = 64 * 1024 * 1024;
const topicsOfAll = channelsOfAll(mesh);

const app = uWebSockets.App();
const rows = values.data === undefined ? undefined : open<string, number[]>({ path: values.data });
// Up to where messages are published, and up to where they are on their way to the disk.
let head = 0;
let lastId = 0;
const stored = new Map<number, () => void>();

app.ws<{ readonly person: number }>('/api/v1/events/socket', {
  maxBackpressure: BACKPRESSURE_BYTES_MAX,
  idleTimeout: 120,
  upgrade: (response, request, context) => {
    const basic = request.getHeader('authorization').slice('Basic '.length);
    const [person] = Buffer.from(basic, 'base64').toString().split(':');
    response.upgrade(
      { person: Number(person) },
      request.getHeader('sec-websocket-key'),
      request.getHeader('sec-websocket-protocol'),
      request.getHeader('sec-websocket-extensions'),
      context,
    );
  },
  open: (socket) => {
    for (const topic of topicsOfAll[socket.getUserData().person] ?? []) socket.subscribe(topic);
    socket.send(`{"type":"hello","last_event_id":${head},"resumed":true}`);
  },
});

app.post('/api/v1/register', (response) => {
  response.end(`{"result":"success","queue_id":"queue","last_event_id":${head}}`);
});

app.post('/api/v1/messages', (response) => {
  const chunks: Buffer[] = [];
  response.onAborted(() => {});
  response.onData((chunk, isLast) => {
    chunks.push(Buffer.from(chunk.slice(0)));
    if (!isLast) return;
    const params = new URLSearchParams(Buffer.concat(chunks).toString());
    const id = ++lastId;
    const channel = params.get('to') ?? '';
    const bytes = frame(id, channel, params);
    const say = () => {
      response.cork(() => response.end(`{"result":"success","msg":"","id":${id}}`));
      app.publish(channel, bytes);
    };
    if (rows === undefined) return inOrder(id, say);
    void Promise.all([rows.put([1, id], bytes), rows.put([2, id], bytes)]).then(() =>
      inOrder(id, say),
    );
  });
});

/** LMDB does not promise that the puts of one commit settle in the order they were made. */
function inOrder(id: number, say: () => void): void {
  stored.set(id, say);
  for (let next = stored.get(head + 1); next !== undefined; next = stored.get(head + 1)) {
    head += 1;
    stored.delete(head);
    next();
  }
}

/** White space stands for what else confab tells of a message. */
function frame(id: number, channel: string, params: URLSearchParams): string {
  const content = JSON.stringify(params.get('content'));
  const to = `"display_recipient":"${channel}","subject":"${params.get('topic')}"`;
  const before = `{"type":"events","events":[{"id":${id},"type":"message","flags":[],"message":{"id":${id},${to},"content":`;
  const space = Math.max(0, envelopeBytes - before.length - '}}]}'.length);
  return `${before}${content}${' '.repeat(space)}}}]}`;
}

app.listen('127.0.0.1', 0, (token) => {
  if (!token) throw new Error('the baseline cannot listen');
  process.send?.({ port: uWebSockets.us_socket_local_port(token) });
});
process.on('disconnect', () => process.exit());
