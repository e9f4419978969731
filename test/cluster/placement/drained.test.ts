import { expect, test, vi } from 'vitest';
import type { TestNode } from '../../support/cluster/nodes.ts';
import { startPlaced } from '../../support/cluster/placed.ts';

const WAIT = { timeout: 20_000, interval: 20 };

/** Returns a node as another one sees it. */
const seen = (at: TestNode, name: string) =>
  at.app.node?.describe().nodes.find(({ node }) => node === name);

const pinOf = ({ app }: TestNode, shard: number) => app.node?.describe().shards[shard]?.pinned_to;

test('a node that was drained stays so when it is started again, until it is taken back', async () => {
  const placed = await startPlaced(['a', 'b', 'c']);
  const { cluster, shard } = placed;
  const owner = await placed.owner();
  const { name } = owner;
  // Any node is told of it.
  const [other = expect.fail()] = cluster.running().filter((node) => node !== owner);
  await other.app.node?.drain(name);
  await vi.waitFor(() => expect(seen(other, name)).toMatchObject({ copies: 0 }), WAIT);
  expect(seen(other, name)).toMatchObject({ is_drained: true, is_leaving: true });
  await owner.stop();
  const again = await cluster.start(name);
  await vi.waitFor(() => expect(seen(other, name)).toMatchObject({ is_drained: true }), WAIT);
  // As many looks as would make it copy.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(seen(again, name)).toMatchObject({ is_drained: true, copies: 0, shards_owned: 0 });
  expect(again.app.node?.describe().shards[shard]?.wanted).not.toContain(name);
  await other.app.node?.undrain(name);
  await vi.waitFor(() => expect(seen(again, name)?.copies).toBeGreaterThan(0), WAIT);
  await vi.waitFor(() => expect(seen(other, name)).toMatchObject({ is_drained: false }), WAIT);
  await placed.settled();
  expect(again.errors).toEqual([]);
});

test('a drained node of two writes on only if the other one is gone', async () => {
  const placed = await startPlaced(['a', 'b']);
  const owner = await placed.owner();
  const [other = expect.fail()] = placed.nodes.filter((node) => node !== owner);
  await owner.app.node?.drain(owner.name);
  expect((await placed.owner()).name).toBe(other.name);
  // There would be one copy without it.
  expect(placed.holders().length).toBe(2);
  await other.kill();
  expect((await placed.owner()).name).toBe(owner.name);
  const { mel } = placed.people;
  expect((await owner.get(mel, '/users/me')).status).toBe(200);
  // It gives the shard back to a node that is not drained.
  await placed.cluster.start(other.name);
  await vi.waitFor(async () => expect((await placed.owner()).name).toBe(other.name), WAIT);
});

test('a move pins a shard to a node that would not keep it, and to no other', async () => {
  const placed = await startPlaced(['a', 'b', 'c']);
  const { shard } = placed;
  const owner = await placed.owner();
  const [holder = expect.fail()] = placed.holders().filter((node) => node !== owner);
  const [other = expect.fail()] = placed.others();
  await owner.app.node?.move(shard, holder.name);
  expect((await placed.owner()).name).toBe(holder.name);
  expect(pinOf(holder, shard)).toBeNull();
  await holder.app.node?.move(shard, other.name);
  await vi.waitFor(async () => expect((await placed.owner()).name).toBe(other.name), WAIT);
  for (const node of placed.cluster.running()) {
    await vi.waitFor(() => expect(pinOf(node, shard)).toBe(other.name), WAIT);
  }
  await placed.settled();
  expect(placed.holders()).toContain(other);
  // Without the pin it goes to those that hold it by themselves.
  await owner.app.node?.unpin(shard);
  await vi.waitFor(async () => {
    expect([owner.name, holder.name]).toContain((await placed.owner()).name);
    expect(placed.holders()).not.toContain(other);
  }, WAIT);
  await placed.settled();
  expect(pinOf(other, shard)).toBeNull();
});
