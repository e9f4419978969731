import uWebSockets from 'uWebSockets.js';
import { parseArgs } from 'node:util';
import { channelsOfAll } from '../stage/mesh.ts';

// The least that a server on uWebSockets.js can do for many channels with few people each: a topic
// for each channel, and one publish of what is said to it. Nothing is stored, nothing is checked.

const { values } = parseArgs({
  options: {
    channels: { type: 'string', default: '1000' },
    'per-channel': { type: 'string', default: '20' },
    'envelope-bytes': { type: 'string', default: '500' },
  },
});
const mesh = { channels: Number(values.channels), perChannel: Number(values['per-channel']) };
const envelopeBytes = Number(values['envelope-bytes']);

const BACKPRESSURE_BYTES_MAX = 64 * 1024 * 1024;
const topicsOfAll = channelsOfAll(mesh);

const app = uWebSockets.App();
let head = 0;

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
    const id = ++head;
    response.end(`{"result":"success","msg":"","id":${id}}`);
    const channel = params.get('to') ?? '';
    app.publish(channel, frame(id, channel, params));
  });
});

/** White space stands for what else confab tells of a message. */
function frame(id: number, channel: string, params: URLSearchParams): string {
  const content = JSON.stringify(params.get('content'));
  const to = `"display_recipient":"${channel}","subject":"${params.get('topic')}"`;
  const before = `{"type":"events","events":[{"id":${id},"type":"message","flags":[],"message":{"id":${id},${to},"content":`;
  const space = Math.max(0, envelopeBytes - before.length - '}}]}'.length);
  return `${before}${content}${' '.repeat(space)}}}]}`;
}

app.listen('127.0.0.1', 0, (token) => {
  if (!token) throw new Error('the floor cannot listen');
  process.send?.({ port: uWebSockets.us_socket_local_port(token) });
});
process.on('disconnect', () => process.exit());
