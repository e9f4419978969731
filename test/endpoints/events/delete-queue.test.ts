import { expect, test } from 'vitest';
import { startServer } from '../../support/start-server.ts';

test('a deleted queue is gone, also after a restart', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const queue = await server.register(mel, { fetch_event_types: [] });
  const { status, body } = await server.delete(mel, '/events', { queue_id: queue.id });
  expect(status).toBe(200);
  expect(body).toEqual({ result: 'success', msg: '' });
  const bad = { status: 400, body: { code: 'BAD_EVENT_QUEUE_ID', queue_id: queue.id } };
  expect(await queue.poll()).toMatchObject(bad);
  expect(await server.delete(mel, '/events', { queue_id: queue.id })).toMatchObject(bad);
  await server.restart();
  expect(await queue.poll()).toMatchObject(bad);
});

test('deleting a queue first ends the poll that waits on it', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const queue = await server.register(mel, { fetch_event_types: [] });
  const poll = queue.poll();
  await server.get(mel, '/users/me');
  expect((await server.delete(mel, '/events', { queue_id: queue.id })).status).toBe(200);
  expect(await poll).toMatchObject({ status: 200, body: { events: [], queue_id: queue.id } });
});

test('of two deletions at once one succeeds', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const queue = await server.register(mel, { fetch_event_types: [] });
  const params = { queue_id: queue.id };
  const replies = await Promise.all([
    server.delete(mel, '/events', params),
    server.delete(mel, '/events', params),
  ]);
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
  expect(server.bugs).toEqual([]);
});

test('the queue is named in the body or in the query', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const queue = await server.register(mel, { fetch_event_types: [] });
  const path = `/events?queue_id=${queue.id}`;
  expect((await server.request('DELETE', path, { as: mel })).status).toBe(200);
  expect(await server.delete(mel, '/events')).toMatchObject({
    status: 400,
    body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'queue_id' },
  });
});
