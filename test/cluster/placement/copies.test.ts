import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { copiesOf } from '../../support/cluster/copies.ts';
import type { TestNode } from '../../support/cluster/nodes.ts';
import { type PlacedCluster, startPlaced } from '../../support/cluster/placed.ts';

const DIRECT = { type: 'direct' };
const FIVE = ['a', 'b', 'c', 'd', 'e'];
const WAIT = { timeout: 20_000, interval: 20 };

/** Sends without a pause at nodes by turns, each message with a key, until it is acknowledged. */
function startSending({ people: { mel, max }, cluster }: PlacedCluster) {
  const acked: string[] = [];
  let isOver = false;
  let turn = 0;
  async function sendOne(content: string) {
    for (;;) {
      const nodes = cluster.running();
      const node = nodes[turn++ % nodes.length] as TestNode;
      const reply = await node
        .ask(mel, {
          method: 'POST',
          path: '/messages',
          params: { ...DIRECT, content, to: [max.id] },
          headers: { 'idempotency-key': content },
        })
        .catch(() => undefined);
      if (reply?.status === 200) return void acked.push(content);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }
  const done = (async () => {
    for (let number = 0; !isOver; number++) await sendOne(`message ${number}`);
  })();
  return {
    acked,
    async stop() {
      isOver = true;
      await done;
    },
  };
}

/** Takes all events of a queue at a node, and returns the contents of its messages. */
async function drained(queue: { now: () => Promise<readonly { readonly type: string }[]> }) {
  const contents: string[] = [];
  for (;;) {
    const events = await queue.now();
    if (events.length === 0) return contents;
    for (const event of events) {
      const { message } = event as { message?: { content: string } };
      if (message !== undefined) contents.push(message.content);
    }
  }
}

test('a holder is killed: another node copies, no send is lost, and queues are exact', async () => {
  const placed = await startPlaced(FIVE);
  const { cluster, people } = placed;
  const owner = await placed.owner();
  const [holder = expect.fail()] = placed.holders().filter((node) => node !== owner);
  const [other = expect.fail()] = placed.others();
  const queue = await other.register(people.max, { event_types: ['message'] });
  const sending = startSending(placed);
  await vi.waitFor(() => expect(sending.acked.length).toBeGreaterThan(10), WAIT);
  await holder.kill();
  const before = sending.acked.length;
  await vi.waitFor(() => expect(placed.holders().length).toBe(2), WAIT);
  await vi.waitFor(() => expect(sending.acked.length).toBeGreaterThan(before + 10), WAIT);
  await sending.stop();
  await placed.settled();
  expect(await drained(queue)).toEqual(sending.acked);
  // It takes its place again when it is back, and only then another one goes.
  await cluster.start(holder.name);
  await placed.settled([owner.name, holder.name]);
  const copies = await copiesOf(cluster, placed);
  expect([...copies.keys()].sort()).toEqual([owner.name, holder.name, 'the log'].sort());
  expect(new Set(copies.values()).size).toBe(1);
});

test('the owner is killed: the other holder takes over', async () => {
  const placed = await startPlaced(FIVE);
  const owner = await placed.owner();
  const [holder = expect.fail()] = placed.holders().filter((node) => node !== owner);
  const [other = expect.fail()] = placed.others();
  const queue = await other.register(placed.people.max, { event_types: ['message'] });
  const sending = startSending(placed);
  await vi.waitFor(() => expect(sending.acked.length).toBeGreaterThan(5), WAIT);
  await owner.kill();
  const next = await placed.owner();
  expect(next.name).toBe(holder.name);
  await sending.stop();
  expect(await drained(queue)).toEqual(sending.acked);
});

test('a node that is added takes its part, and those that gave it up have no copy left', async () => {
  const placed = await startPlaced(['a', 'b']);
  const { cluster } = placed;
  const sending = startSending(placed);
  const c = await cluster.start('c');
  const d = await cluster.start('d');
  await vi.waitFor(() => {
    const { shards = [] } = c.app.node?.describe() ?? {};
    for (const { holders, wanted } of shards) {
      expect(holders.map(({ node }) => node).sort()).toEqual([...wanted].sort());
    }
  }, WAIT);
  await sending.stop();
  await placed.settled();
  for (const node of placed.others()) {
    expect(existsSync(join(node.data, 'realms', String(placed.realmId)))).toBe(false);
  }
  expect([...c.errors, ...d.errors]).toEqual([]);
  const copies = await copiesOf(cluster, placed);
  expect(new Set(copies.values()).size).toBe(1);
  expect(copies.size).toBe(3);
});

test('a node that is drained gives its copies away, once others have them', async () => {
  const placed = await startPlaced(['a', 'b', 'c']);
  const owner = await placed.owner();
  const sending = startSending(placed);
  await owner.app.node?.drain(owner.name);
  const least: number[] = [];
  await vi.waitFor(() => {
    least.push(placed.holders().length);
    expect(owner.app.node?.describe().nodes.find(({ node }) => node === owner.name)).toMatchObject({
      copies: 0,
    });
  }, WAIT);
  expect(Math.min(...least)).toBeGreaterThanOrEqual(2);
  await sending.stop();
  await placed.settled();
  expect(placed.holders()).not.toContain(owner);
  // It serves on: what it is asked it passes on.
  const { mel } = placed.people;
  expect((await owner.get(mel, '/users/me')).status).toBe(200);
});

test('a shard moves to a node without a copy, which copies it first', async () => {
  const placed = await startPlaced(['a', 'b', 'c']);
  const owner = await placed.owner();
  const [other = expect.fail()] = placed.others();
  expect(await owner.app.node?.move(placed.shard, other.name)).toBe(false);
  await vi.waitFor(async () => expect((await placed.owner()).name).toBe(other.name), WAIT);
  await placed.settled();
  expect(placed.holders().length).toBe(2);
});
