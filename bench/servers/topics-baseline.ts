import { parseArgs } from 'node:util';
import { open } from 'lmdb';
import { channelsOfAll } from '../fixtures/mesh.ts';
import {
  app,
  framed,
  hello,
  inOrder,
  messageEvent,
  sentReply,
  serve,
  serveRegistrations,
  socketsWith,
  whenWhole,
} from './bare-server.ts';

// The least that a server on uWebSockets.js can do for many channels with few people each: a topic
// for each channel, and one publish of what is said to it. Nothing is checked. With --durable two
// puts are awaited before, a message's and its event's; else nothing is stored.

const { values } = parseArgs({
  options: {
    channels: { type: 'string', default: '1000' },
    'per-channel': { type: 'string', default: '20' },
    'envelope-bytes': { type: 'string', default: '500' },
    durable: { type: 'boolean', default: false },
    data: { type: 'string', default: '' },
  },
});
const envelopeBytes = Number(values['envelope-bytes']) - framed([]).length;
const topicsOfAll = channelsOfAll({
  channels: Number(values.channels),
  perChannel: Number(values['per-channel']),
});
const rows = values.durable
  ? open<string, number[]>({ path: values.data, overlappingSync: false })
  : undefined;
const published = inOrder(1);
// Up to where messages are published, and up to where they are on their way to the disk.
let head = 0;
let lastId = 0;

app.ws<{ readonly person: number }>('/api/v1/events/socket', {
  ...socketsWith((request) => {
    const basic = request.getHeader('authorization').slice('Basic '.length);
    const [person] = Buffer.from(basic, 'base64').toString().split(':');
    return { person: Number(person) };
  }),
  open: (socket) => {
    for (const topic of topicsOfAll[socket.getUserData().person] ?? []) socket.subscribe(topic);
    socket.send(hello(head));
  },
});

serveRegistrations(() => head);

app.post('/api/v1/messages', (response) =>
  whenWhole(response, (body, answer) => {
    const params = new URLSearchParams(body);
    const id = ++lastId;
    const frame = framed([messageEvent(id, params, envelopeBytes)]);
    const publish = () =>
      published(id, () => {
        head = id;
        answer(sentReply(id));
        app.publish(params.get('to') ?? '', frame);
      });
    if (rows === undefined) publish();
    else void Promise.all([rows.put([1, id], frame), rows.put([2, id], frame)]).then(publish);
  }),
);

serve();
