import { expect, onTestFinished, test, vi } from 'vitest';
import { openHolderLinks } from '../../../src/cluster/passing/holder-links.ts';
import { startPlaced } from '../../support/cluster/placed.ts';

const DIRECT = { type: 'direct', content: 'hello' };
const WAIT = { timeout: 20_000, interval: 20 };

test('a socket at a node without a copy is closed when the holder goes, and resumes exactly', async () => {
  const placed = await startPlaced(['a', 'b', 'c', 'd']);
  const { mel, max } = placed.people;
  const [other = expect.fail()] = placed.others();
  const links = openHolderLinks({
    node: other.name,
    members: membersOf(placed.holders().map(({ name }) => name)),
  });
  onTestFinished(() => links.end());
  // The holder that this node always asks.
  const asked = links.holderOf(placed.shard)?.node;
  const holder = placed.holders().find(({ name }) => name === asked) ?? expect.fail();
  const queue = await other.register(max, { event_types: ['message'] });
  const socket = await other.socket(max, {
    query: `?queue_id=${queue.id}&last_event_id=${queue.lastEventId}`,
  });
  await other.post(mel, '/messages', { ...DIRECT, content: 'one', to: [max.id] });
  const first = await socket.frame('events');
  expect(first).toMatchObject({ events: [{ message: { content: 'one' } }] });
  const closing = socket.closed();
  await holder.kill();
  const { code, reason } = await closing;
  expect(code).toBe(1001);
  expect(JSON.parse(reason)).toMatchObject({ retry_after_ms: expect.any(Number) });
  // While the next owner opens the realm it refuses; a client repeats what has a key.
  await vi.waitFor(async () => {
    const params = { ...DIRECT, content: 'two', to: [max.id] };
    const headers = { 'idempotency-key': 'two' };
    const sent = await other.ask(mel, { method: 'POST', path: '/messages', params, headers });
    expect(sent.status).toBe(200);
  }, WAIT);
  const last = first['events'].at(-1).id;
  const resumed = await vi.waitFor(async () => {
    const again = await other.socket(max, { query: `?queue_id=${queue.id}&last_event_id=${last}` });
    const closed = again.closed().then(() => Promise.reject(new Error('not yet')));
    return await Promise.race([again.frame('events'), closed]);
  }, WAIT);
  expect(resumed['events']).toMatchObject([{ message: { content: 'two' } }]);
  expect(other.errors).toEqual([]);
});

const membersOf = (names: readonly string[]) => ({
  holdersOf: () => names.map((node) => ({ node, sequence: 0, isLeaving: false, serves: true })),
  addressOf: () => '127.0.0.1:1',
  beats: () => [],
});
