import { expect, test } from 'vitest';
import { basic } from '../../support/client.ts';
import { openRawSocket } from '../../support/requests/raw-socket.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

// The commonest query has a path of its own; the same query in other words has to get the same
// answer.
const WORDINGS = {
  'as clients write it': (queueId: string, position: string) =>
    `queue_id=${queueId}&last_event_id=${position}`,
  'the other way round': (queueId: string, position: string) =>
    `last_event_id=${position}&queue_id=${queueId}`,
  'with a name encoded': (queueId: string, position: string) =>
    `queue%5Fid=${queueId}&last_event_id=${position}`,
  'with a third parameter': (queueId: string, position: string) =>
    `queue_id=${queueId}&last_event_id=${position}&dont_block=false`,
} as const;

test.each(Object.entries(WORDINGS))(
  'a poll %s is answered with what there is',
  async (_, query) => {
    const server = await startServer({ channels: ['general'] });
    const { max, mel } = server.people;
    const queue = await server.register(max, { event_types: ['message'], fetch_event_types: [] });
    const waiting = server.request('GET', `/events?${query(queue.id, '-1')}`, { as: max });
    await server.post(mel, '/messages', {
      type: 'channel',
      to: 'general',
      topic: 'é',
      content: 'ü',
    });
    const { status, headers, body } = await waiting;
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    expect(headers['cache-control']).toBe('private, no-store');
    expect(body).toEqual({
      result: 'success',
      msg: '',
      queue_id: queue.id,
      events: [
        expect.objectContaining({
          type: 'message',
          flags: [],
          message: expect.objectContaining({ subject: 'é', content: 'ü', sender_id: mel.id }),
        }),
      ],
    });
  },
);

test('each of those who wait for the same event is told its own queue', async () => {
  const server = await startServer({ channels: ['general'] });
  const { max, mia, mel } = server.people;
  const options = { event_types: ['message'], fetch_event_types: [] };
  const queues = [
    await server.register(max, options),
    await server.register(max, options),
    await server.register(mia, options),
  ];
  const polls = queues.map((queue) => queue.poll());
  await server.post(mel, '/messages', {
    type: 'channel',
    to: 'general',
    topic: 't',
    content: 'hi',
  });
  const answers = await Promise.all(polls);
  expect(answers.map(({ body }) => body.queue_id)).toEqual(queues.map(({ id }) => id));
  for (const { body } of answers) expect(body.events).toEqual(answers[0]?.body.events);
});

const REFUSED = {
  'a queue that is not there': {
    queueId: 'no-such-queue',
    position: '-1',
    code: 'BAD_EVENT_QUEUE_ID',
  },
  'a position ahead of the log': { position: '999999', code: 'BAD_REQUEST' },
  'a position that is no number': { position: '1e3', code: 'BAD_REQUEST' },
  'a position of 16 digits': { position: '9007199254740993', code: 'BAD_REQUEST' },
  'no position': { position: '', code: 'BAD_REQUEST' },
  'a queue of somebody else': { as: 'mia', position: '-1', code: 'BAD_EVENT_QUEUE_ID' },
  'a wrong key': { as: 'nobody', position: '-1', code: 'UNAUTHORIZED' },
} as const;

test.each(Object.entries(REFUSED))(
  '%s is refused in the same words however it is asked',
  async (_, request) => {
    const server = await startServer({ channels: ['general'] });
    const { max, mia } = server.people;
    const queue = await server.register(max, { fetch_event_types: [] });
    const as =
      'as' in request ? (request.as === 'mia' ? mia : { ...max, apiKey: 'x'.repeat(32) }) : max;
    const queueId = 'queueId' in request ? request.queueId : queue.id;
    const replies = await Promise.all(
      Object.values(WORDINGS).map((query) =>
        server.request('GET', `/events?${query(queueId, request.position)}`, { as }),
      ),
    );
    for (const { status, body } of replies) {
      expect(body).toEqual(replies[0]?.body);
      expect(status).toBe(replies[0]?.status);
      expect(body).toMatchObject({ result: 'error', code: request.code });
    }
  },
);

test('what came after a client went away while it waited is there for its next poll', async () => {
  const server = await startServer({ channels: ['general'] });
  const { max, mel } = server.people;
  const queue = await server.register(max, { event_types: ['message'], fetch_event_types: [] });
  const leaving = new AbortController();
  const path = `/events?${WORDINGS['as clients write it'](queue.id, String(queue.lastEventId))}`;
  const left = server.request('GET', path, { as: max, signal: leaving.signal });
  // By then the first has been parked: requests of a test come in the order they were made.
  await server.get(max, '/users/me');
  leaving.abort();
  await expect(left).rejects.toThrow();
  await server.post(mel, '/messages', {
    type: 'channel',
    to: 'general',
    topic: 't',
    content: 'hi',
  });
  expect(await queue.now()).toMatchObject([{ type: 'message' }]);
});

const polled = (
  server: TestServer,
  as: Person,
  { id, position }: { id: string; position: number },
) =>
  server.request('GET', `/events?${WORDINGS['as clients write it'](id, String(position))}`, { as });

const MESSAGE = { type: 'channel', to: 'general', topic: 't', content: 'hi' };

/**
 * Returns a queue that its owner has polled once, and the position that this has brought them to.
 */
async function polledOnce(server: TestServer, owner: Person) {
  const { id } = await server.register(owner, { event_types: ['message'], fetch_event_types: [] });
  const poll = polled(server, owner, { id, position: -1 });
  await server.post(server.people.mel, '/messages', MESSAGE);
  const { status, body } = await poll;
  expect(status).toBe(200);
  return { id, position: body.events[0].id as number };
}

test('without credentials nobody polls a queue that was not polled yet, also when the server was just started', async () => {
  const server = await startServer({ channels: ['general'] });
  const { max } = server.people;
  const { id, lastEventId } = await server.register(max, { fetch_event_types: [] });
  await server.restart();
  const path = `/events?${WORDINGS['as clients write it'](id, String(lastEventId))}`;
  expect(await server.request('GET', path, { as: null })).toMatchObject({
    status: 401,
    body: { code: 'UNAUTHORIZED' },
  });
});

test('an address that is taken back does not poll any more, though it did before', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada, max, mel } = server.people;
  const queue = await polledOnce(server, max);
  const email = 'max.elsewhere@example.com';
  expect((await server.patch(ada, `/users/${max.id}`, { new_email: email })).status).toBe(200);
  expect(await polled(server, max, queue)).toMatchObject({
    status: 401,
    body: { code: 'UNAUTHORIZED' },
  });
  const poll = polled(server, { ...max, email }, queue);
  await server.post(mel, '/messages', MESSAGE);
  expect(await poll).toMatchObject({ status: 200, body: { queue_id: queue.id } });
});

test('a queue that its owner polls is nobody else’s, and nobody’s when it is deleted', async () => {
  const server = await startServer({ channels: ['general'] });
  const { max, mia } = server.people;
  const queue = await polledOnce(server, max);
  const gone = { status: 400, body: { code: 'BAD_EVENT_QUEUE_ID', queue_id: queue.id } };
  expect(await polled(server, mia, queue)).toMatchObject(gone);
  await server.delete(max, '/events', { queue_id: queue.id });
  expect(await polled(server, max, queue)).toMatchObject(gone);
});

test.each([
  {
    why: 'two lengths that differ',
    headers: ['Content-Length: 0', 'Content-Length: 3'],
    status: 400,
  },
  { why: 'an empty length', headers: ['Content-Length: '], status: 400 },
  { why: 'an unknown encoding', headers: ['Transfer-Encoding: gzip'], status: 400 },
  { why: 'a head that is too large', headers: [`X: ${'x'.repeat(65_536)}`], status: 431 },
])('a poll is refused and the connection closed: $why', async ({ headers, status }) => {
  const server = await startServer({ channels: ['general'] });
  const { max } = server.people;
  const { id, position } = await polledOnce(server, max);
  const socket = await openRawSocket(server.app.port);
  socket.write(
    [
      `GET /api/v1/events?${WORDINGS['as clients write it'](id, String(position))} HTTP/1.1`,
      'Host: test.localhost',
      `Authorization: ${basic(max)}`,
      ...headers,
      '\r\n',
    ].join('\r\n'),
  );
  expect(await socket.answer()).toMatchObject({ status, headers: { connection: 'close' } });
  await socket.closed();
});

test('HEAD does not wait', async () => {
  const server = await startServer({ channels: ['general'] });
  const { max } = server.people;
  const { id, position } = await polledOnce(server, max);
  const path = `/events?${WORDINGS['as clients write it'](id, String(position))}`;
  expect((await server.request('HEAD', path, { as: max })).status).toBe(200);
});
