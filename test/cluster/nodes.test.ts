import { expect, test, vi } from 'vitest';
import { copiesOf } from '../support/cluster/copies.ts';
import {
  caughtUp,
  makeTestRealm,
  openTestCluster,
  type TestNode,
} from '../support/cluster/nodes.ts';
import { download, uploaded } from '../support/files/uploads.ts';

/** Two or three nodes with a realm of people. */
async function started(...names: readonly string[]) {
  const cluster = openTestCluster();
  const nodes = await Promise.all(names.map((name) => cluster.start(name)));
  const people = await makeTestRealm(cluster);
  const owner = await cluster.owner();
  const followers = nodes.filter((node) => node !== owner);
  const [follower = owner] = followers;
  return { cluster, nodes, people, owner, follower, followers };
}

const DIRECT = { type: 'direct', content: 'hello' };

test('a node answers reads itself, and has the owner answer the rest', async () => {
  const { cluster, people, owner, follower } = await started('a', 'b');
  const { mel, max } = people;
  const reply = await follower.post(mel, '/messages', { ...DIRECT, to: [max.id] });
  expect(reply.body).toMatchObject({ result: 'success', id: expect.any(Number) });
  // They can read it at once, at the node where they wrote it too.
  for (const node of [follower, owner]) {
    const got = await node.get(max, `/messages/${reply.body.id}`);
    expect(got.body).toMatchObject({ message: { content: '<p>hello</p>' } });
  }
  await caughtUp(cluster);
  expect([...owner.errors, ...follower.errors]).toEqual([]);
});

test('a queue is registered and polled at either node, and ends at both', async () => {
  const { people, owner, follower } = await started('a', 'b');
  const { mel, max } = people;
  const queue = await follower.register(max, { event_types: ['message'] });
  await owner.post(mel, '/messages', { ...DIRECT, to: [max.id] });
  const [first] = await queue.next();
  expect(first).toMatchObject({ type: 'message' });
  const there = owner.queue(max, queue.id, queue.lastEventId);
  await follower.post(mel, '/messages', { ...DIRECT, to: [max.id], content: 'again' });
  const [second] = await there.next();
  expect(second).toMatchObject({ message: { content: 'again' } });
  const here = follower.queue(max, queue.id, there.lastEventId);
  await owner.post(mel, '/messages', { ...DIRECT, to: [max.id], content: 'third' });
  expect(await here.next()).toMatchObject([{ message: { content: 'third' } }]);
  await follower.delete(max, '/events', { queue_id: queue.id });
  for (const node of [owner, follower]) {
    const reply = await node.queue(max, queue.id, here.lastEventId).poll({ dont_block: true });
    expect(reply.body).toMatchObject({ code: 'BAD_EVENT_QUEUE_ID' });
  }
});

test('a poll that is ahead of a node which lags is refused for now, and one that is wrong for good', async () => {
  const { people, owner, follower } = await started('a', 'b');
  const { mel, max } = people;
  const queue = await owner.register(max, { event_types: ['message'] });
  // Nothing of the log reaches the other node.
  let catchUp = () => {};
  const held = new Promise<void>((resolve) => {
    catchUp = resolve;
  });
  follower.store.faults.onRecord = () => held;
  await owner.post(mel, '/messages', { ...DIRECT, to: [max.id] });
  await queue.next();
  const later = await owner.register(max, { event_types: ['message'] });
  for (const { id, lastEventId } of [queue, later]) {
    const reply = await follower.queue(max, id, lastEventId).poll({ dont_block: true });
    expect(reply).toMatchObject({ status: 503, body: { code: 'SERVER_STOPPING' } });
  }
  const path = { query: `?queue_id=${queue.id}&last_event_id=${queue.lastEventId}` };
  const socket = await follower.socket(max, path);
  // It is to come again.
  expect((await socket.closed()).code).toBe(1001);
  catchUp();
  const there = follower.queue(max, queue.id, queue.lastEventId);
  await owner.post(mel, '/messages', { ...DIRECT, to: [max.id] });
  expect(await there.next()).toMatchObject([{ type: 'message' }]);
  for (const node of [owner, follower]) {
    const wrong = await node.queue(max, queue.id, 999_999).poll({ dont_block: true });
    expect(wrong).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    const unknown = await node.queue(max, 'unknown', 1).poll({ dont_block: true });
    expect(unknown).toMatchObject({ status: 400, body: { code: 'BAD_EVENT_QUEUE_ID' } });
  }
});

test('files are uploaded and read at either node', async () => {
  const { people, owner, follower } = await started('a', 'b');
  const { mel } = people;
  for (const node of [owner, follower]) {
    const url = await uploaded(node, mel, { content: `from ${node.name}` });
    for (const other of [owner, follower]) {
      const { bytes } = await download(other, url, { as: mel });
      expect(String(bytes)).toBe(`from ${node.name}`);
    }
  }
  expect([...owner.errors, ...follower.errors]).toEqual([]);
});

test('when the owner is killed, another node takes over with all that was acknowledged', async () => {
  const { cluster, people, owner, followers } = await started('a', 'b', 'c');
  const { mel, max } = people;
  const queue = await owner.register(max, { event_types: ['message'] });
  const sent = await owner.post(mel, '/messages', { ...DIRECT, to: [max.id] });
  await owner.kill();
  const next = await cluster.owner();
  expect(followers).toContain(next);
  for (const node of followers) {
    const got = await node.get(max, `/messages/${sent.body.id}`);
    expect(got.body).toMatchObject({ result: 'success' });
  }
  const [other = next] = followers.filter((node) => node !== next);
  const resumed = other.queue(max, queue.id, queue.lastEventId);
  expect(await resumed.next()).toMatchObject([{ message: { content: 'hello' } }]);
  const again = await cluster.start(owner.name);
  await other.post(mel, '/messages', { ...DIRECT, to: [max.id], content: 'after' });
  expect(await again.queue(max, queue.id, resumed.lastEventId).next()).toMatchObject([
    { message: { content: 'after' } },
  ]);
  await caughtUp(cluster);
  const copies = await copiesOf(cluster);
  expect(copies.size).toBe(4);
  expect(new Set(copies.values()).size).toBe(1);
});

test('a shard moves to the node that is named, and requests go on', async () => {
  const { cluster, people, owner, follower } = await started('a', 'b');
  const { mel, max } = people;
  await owner.app.node?.move(0, follower.name);
  const next: TestNode = await cluster.owner();
  expect(next.name).toBe(follower.name);
  const reply = await owner.post(mel, '/messages', { ...DIRECT, to: [max.id] });
  expect(reply.body).toMatchObject({ result: 'success' });
  expect([...owner.errors, ...follower.errors]).toEqual([]);
});

test('an owner that is cut off answers nobody, is deposed, and follows when it is back', async () => {
  const { cluster, people, owner, followers } = await started('a', 'b', 'c');
  const { mel, max } = people;
  const sent = await owner.post(mel, '/messages', { ...DIRECT, to: [max.id] });
  owner.store.cut('both');
  const lost = owner.post(mel, '/messages', { ...DIRECT, to: [max.id], content: 'lost' });
  await vi.waitFor(
    async () => {
      const refused = await owner.get(max, `/messages/${sent.body.id}`);
      expect(refused).toMatchObject({ status: 503, body: { code: 'SERVER_STOPPING' } });
    },
    { timeout: 10_000 },
  );
  const [first, second] = followers;
  const next = first ?? expect.fail();
  const later = await next.post(mel, '/messages', { ...DIRECT, to: [max.id], content: 'later' });
  expect(later.body).toMatchObject({ result: 'success' });
  owner.store.heal();
  expect(await lost).toMatchObject({ status: 503, body: { code: 'SERVER_STOPPING' } });
  await caughtUp(cluster);
  // It takes its own beats for a sign first.
  await vi.waitFor(
    async () => {
      const range = { anchor: 'newest', num_before: 10, num_after: 0 };
      const { body } = await owner.get(max, '/messages', range);
      const contents = body.messages?.map(({ content }: { content: string }) => content);
      expect(contents ?? [body, owner.app.node?.describe(), owner.errors]).toEqual([
        '<p>hello</p>',
        '<p>later</p>',
      ]);
    },
    { timeout: 8_000 },
  );
  expect(second?.errors).toEqual([]);
  const copies = await copiesOf(cluster);
  expect(copies.size).toBe(4);
  expect(new Set(copies.values()).size).toBe(1);
});
