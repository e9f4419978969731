import { expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../support/start-server.ts';
import type { Person } from '../../../support/users.ts';

const MESSAGE = { type: 'channel', to: 'general', topic: 'lunch', content: 'soup?' };
const FORM = new URLSearchParams(MESSAGE).toString();
const DAY_MS = 86_400_000;

const sendWithKey = (server: TestServer, as: Person, key: string, body = FORM) =>
  server.request('POST', '/messages', { as, headers: { 'idempotency-key': key }, body });

const messages = (events: readonly { type: string }[]) =>
  events.filter(({ type }) => type === 'message');

test('the same Idempotency-Key twice is answered with the same id and sends once', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const queue = await server.register(max);
  const replies = [await sendWithKey(server, mel, 'k1'), await sendWithKey(server, mel, 'k1')];
  const other = await sendWithKey(server, mel, 'k2');
  expect(replies.map(({ body }) => body.id)).toEqual([1, 1]);
  expect(other.body.id).toBe(2);
  expect(messages(await queue.now())).toHaveLength(2);
});

test('repeats that arrive together send once', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const queue = await server.register(max);
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => sendWithKey(server, mel, 'same')),
  );
  expect(new Set(replies.map(({ body }) => body.id))).toEqual(new Set([1]));
  expect(messages(await queue.now())).toHaveLength(1);
});

test('a key belongs to its user: the same one of another sends', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const first = await sendWithKey(server, mel, 'same');
  const second = await sendWithKey(server, max, 'same');
  expect(second.body.id).not.toBe(first.body.id);
});

test('a key is known after a restart', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const first = await sendWithKey(server, mel, 'same');
  await server.restart();
  expect((await sendWithKey(server, mel, 'same')).body).toEqual(first.body);
});

test('a key is known for 24 hours and forgotten later', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  await sendWithKey(server, mel, 'same');
  server.clock.advance(DAY_MS - 60_000);
  expect((await sendWithKey(server, mel, 'same')).body.id).toBe(1);
  server.clock.advance(2 * 60_000);
  // The work of the sweep is committed before a later change is answered.
  await sendWithKey(server, mel, 'another');
  expect((await sendWithKey(server, mel, 'same')).body.id).toBe(3);
});

test('a refused send is not remembered', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const refused = new URLSearchParams({ ...MESSAGE, to: 'nowhere' }).toString();
  expect((await sendWithKey(server, mel, 'same', refused)).status).toBe(400);
  expect((await sendWithKey(server, mel, 'same')).body.id).toBe(1);
});

test('an Idempotency-Key has at most 255 characters', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  expect((await sendWithKey(server, mel, 'k'.repeat(255))).status).toBe(200);
  expect(await sendWithKey(server, mel, 'k'.repeat(256))).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: expect.stringContaining('Idempotency-Key') },
  });
});

test('the sending queue is told local_id; no other queue is, not even of the same user', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const own = await server.register(mel, { event_types: ['message'] });
  const others = [
    await server.register(mel, { event_types: ['message'] }),
    await server.register(max, { event_types: ['message'] }),
  ];
  await server.post(mel, '/messages', { ...MESSAGE, queue_id: own.id, local_id: '17.01' });
  expect((await own.next())[0]).toMatchObject({ local_id: '17.01', local_message_id: '17.01' });
  for (const queue of others) {
    const [event] = await queue.next();
    expect(event).not.toHaveProperty('local_id');
    expect(event).not.toHaveProperty('local_message_id');
  }
});

test('local_id is told to a queue that polls at the time, and again after a restart', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const queue = await server.register(mel, { event_types: ['message'] });
  const parked = queue.poll();
  await server.post(mel, '/messages', { ...MESSAGE, queue_id: queue.id, local_id: 'a "b"' });
  expect((await parked).body.events).toMatchObject([{ local_message_id: 'a "b"' }]);
  await server.restart();
  expect(await queue.now()).toMatchObject([{ local_message_id: 'a "b"' }]);
});

test('a queue of somebody else is told nothing by naming it', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const queue = await server.register(max, { event_types: ['message'] });
  const content = '@**Max Member**';
  const params = { ...MESSAGE, content, queue_id: queue.id, local_id: 'mine' };
  expect((await server.post(mel, '/messages', params)).status).toBe(200);
  const [event] = await queue.next();
  expect(event?.['flags']).toEqual(['mentioned']);
  expect(event).not.toHaveProperty('local_message_id');
});

test('the same queue_id and local_id twice send once, with an Idempotency-Key or without', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const queue = await server.register(mel, { event_types: ['message'] });
  const params = { ...MESSAGE, queue_id: queue.id, local_id: '17.01' };
  const first = await server.post(mel, '/messages', params);
  const second = await server.post(mel, '/messages', params);
  const form = new URLSearchParams(params).toString();
  const third = await sendWithKey(server, mel, 'a key as well', form);
  const fromMax = await server.post(max, '/messages', params);
  const renamed = await server.post(mel, '/messages', { ...params, local_id: '17.02' });
  const ids = [first, second, third, fromMax, renamed].map(({ body }) => body.id);
  expect(ids).toEqual([1, 1, 1, 2, 3]);
  expect(await queue.now()).toHaveLength(3);
});

test('a local_id without queue_id names nothing: both are sent', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const queue = await server.register(mel, { event_types: ['message'] });
  const params = { ...MESSAGE, local_id: '17.01' };
  await server.post(mel, '/messages', params);
  await server.post(mel, '/messages', params);
  const events = await queue.now();
  expect(events).toHaveLength(2);
  expect(events[0]).not.toHaveProperty('local_message_id');
});
