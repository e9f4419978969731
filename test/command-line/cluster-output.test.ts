import { expect, test } from 'vitest';
import { shown } from '../../src/command-line/output.ts';

const TERMINAL = { columns: 80, hasColours: false };
const holders = [
  { node: 'node1', lag: 0, lag_ms: 0 },
  { node: 'node2', lag: 12, lag_ms: 300 },
];
const SHARDS = [
  { shard: 0, owner: 'node1', epoch: 3, sequence: 120_034, state: 'owning', holders },
  { shard: 1, owner: 'node2', epoch: 12, sequence: 7, state: 'following', holders: [] },
  { shard: 2, owner: null, epoch: 1, sequence: 0, state: 'claiming', holders: [] },
];
const version = '1.2.3';
const NODES = [
  {
    node: 'node1',
    address: '10.0.0.5:8090',
    version,
    shards_owned: 1,
    copies: 3,
    is_leaving: false,
  },
  {
    node: 'node2',
    address: '10.0.0.6:8090',
    version,
    shards_owned: 1,
    copies: 3,
    is_leaving: true,
  },
];

test('a terminal shows the shards of a cluster, and its nodes', () => {
  expect(shown('cluster status', SHARDS, TERMINAL).split('\n')).toEqual([
    'shard  owner   epoch  newest record  this node  copies  behind',
    '    0  node1       3         120034  owning          2      12',
    '    1  node2      12              7  following       0       0',
    '    2  nobody      1              0  claiming        0       0',
    '',
  ]);
  expect(shown('cluster nodes', NODES, TERMINAL).split('\n')).toEqual([
    'node   address        version  shards owned  copies  takes shards',
    'node1  10.0.0.5:8090  1.2.3               1       3  yes',
    'node2  10.0.0.6:8090  1.2.3               1       3  no',
    '',
  ]);
});

test('the status of a node counts the nodes, and the shards that are its own', () => {
  const status = { is_running: true, is_ready: true, node: 'node1', nodes: NODES, shards: SHARDS };
  expect(shown('status', [status], TERMINAL).split('\n')).toEqual([
    'is ready      yes',
    'node          node1',
    'nodes         2',
    'shards owned  1 of 3',
    '',
  ]);
});
