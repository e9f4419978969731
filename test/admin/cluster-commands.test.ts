import { expect, test } from 'vitest';
import { type OperatedNode, runOnNode } from '../../src/admin/commands/cluster-commands.ts';

/** Node a, which owns shard 0 of three, and what it was told to do. */
function operated({ keeps = false } = {}) {
  const done: string[] = [];
  let pinned: number | undefined;
  const owners = ['a', 'b', null];
  const node: OperatedNode = {
    name: 'a',
    describe: () => ({
      nodes: [nodeLine('a'), nodeLine('b'), { ...nodeLine('c'), is_leaving: true }],
      shards: owners.map((owner, shard) => ({
        shard,
        owner,
        epoch: 1,
        sequence: 1,
        schema: 20,
        state: owner === 'a' ? 'owning' : 'following',
        holders: [],
        wanted: [],
        pinned_to: shard === pinned ? 'b' : null,
        last_change: null,
      })),
    }),
    async move(shard, to) {
      done.push(`move ${shard} to ${to}`);
      if (to === 'b') pinned = shard;
      return to === 'b';
    },
    upgrade: () => expect.fail('it is not asked for'),
    async verify(shard) {
      done.push(`verify ${shard}`);
      return owners[shard] === null ? undefined : { shard, is_equal: true };
    },
    async unpin(shard) {
      done.push(`unpin ${shard}`);
      pinned = undefined;
    },
    knows: (node) => ['a', 'b', 'c', 'gone'].includes(node),
    async drain(node) {
      done.push(`drain ${node}`);
      if (!keeps) owners[0] = 'b';
    },
    async undrain(node) {
      done.push(`undrain ${node}`);
    },
    async snapshot() {
      done.push('snapshot');
      return [
        { shard: 1, realm: 7, place: { sequence: 9 }, bytes: 100 },
        { shard: 2, realm: 8, place: null, bytes: 50 },
      ];
    },
  };
  const run = (command: string, args: object = {}) => runOnNode(node, { command, args });
  return { done, run };
}

const nodeLine = (node: string) => ({
  node,
  address: `${node}:1`,
  shards_owned: 1,
  copies: 2,
  is_leaving: false,
  is_drained: false,
  version: null,
  since: null,
  cpu: null,
  rss_bytes: null,
});

test('a shard is moved by its owner, to a node that takes shards', async () => {
  const { done, run } = operated();
  const move = (shard: string, to: string) => run('cluster move', { shard, to });
  const of0 = { shard: 0, from: 'a' };
  expect(await move('0', 'a')).toEqual([{ ...of0, to: 'a', is_moved: false, is_pinned: false }]);
  expect(await move('0', 'b')).toEqual([{ ...of0, to: 'b', is_moved: true, is_pinned: true }]);
  await expect(move('0', 'c')).rejects.toThrow(/^Node 'c' takes no shards/);
  await expect(move('0', 'd')).rejects.toThrow("There is no node 'd' that lives");
  await expect(move('1', 'b')).rejects.toThrow('Node b owns shard 1: run the command there');
  await expect(move('2', 'b')).rejects.toThrow('No node owns shard 2 at the moment');
  await expect(move('3', 'b')).rejects.toThrow('There is no shard 3');
  await expect(move('x', 'b')).rejects.toThrow(/^Usage: confab cluster move/);
  expect(await run('cluster unpin', { shard: '0' })).toEqual([{ shard: 0, was_pinned_to: 'b' }]);
  expect(await run('cluster unpin', { shard: '1' })).toEqual([{ shard: 1, was_pinned_to: null }]);
  await expect(run('cluster unpin', { shard: '3' })).rejects.toThrow('There is no shard 3');
  await expect(run('cluster unpin')).rejects.toThrow(/^Usage: confab cluster unpin/);
  expect(done).toEqual(['move 0 to a', 'move 0 to b', 'unpin 0', 'unpin 1']);
});

test('any node that was ever started can be drained and taken back at another one', async () => {
  const { done, run } = operated();
  await run('cluster drain', { node: 'gone' });
  expect(await run('cluster undrain', { node: 'gone' })).toEqual([
    { node: 'gone', is_drained: false },
  ]);
  await run('cluster undrain');
  await expect(run('cluster drain', { node: 'd' })).rejects.toThrow("There is no node 'd'");
  await expect(run('cluster undrain', { node: 7 })).rejects.toThrow(/^Usage/);
  expect(done).toEqual(['drain gone', 'undrain gone', 'undrain a']);
});

test('a drain says whether the node owns shards afterwards', async () => {
  expect(await operated().run('cluster drain')).toEqual([
    { node: 'a', is_drained: true, shards_owned: 0, copies: 2 },
  ]);
  expect(await operated({ keeps: true }).run('cluster drain')).toEqual([
    { node: 'a', is_drained: false, shards_owned: 1, copies: 2 },
  ]);
});

test('the copies of one shard are compared, or those of all, one after the other', async () => {
  const { done, run } = operated();
  expect(await run('cluster verify', { shard: '1' })).toEqual([{ shard: 1, is_equal: true }]);
  await expect(run('cluster verify')).rejects.toThrow('No node owns shard 2 at the moment');
  await expect(run('cluster verify', { shard: 3 })).rejects.toThrow('There is no shard 3');
  await expect(run('cluster verify', { shard: 'x' })).rejects.toThrow(/^Usage: confab cluster ver/);
  expect(done).toEqual(['verify 1', 'verify 0', 'verify 1', 'verify 2']);
});

test('snapshots that are asked for are listed with the records that they are of', async () => {
  const { done, run } = operated();
  expect(await run('cluster snapshot')).toEqual([
    { shard: 1, realm: 7, sequence: 9, bytes: 100 },
    { shard: 2, realm: 8, sequence: 0, bytes: 50 },
  ]);
  expect(done).toEqual(['snapshot']);
});

test('a server that is no node refuses the commands of a cluster', async () => {
  await expect(runOnNode(null, { command: 'cluster status', args: {} })).rejects.toThrow(
    'This server is no node of a cluster',
  );
});
