import { expect, test } from 'vitest';
import { shown } from '../../src/command-line/output.ts';

const TERMINAL = { columns: 80, hasColours: false };
const HOLDERS = [
  { node: 'node2', lag: 31 },
  { node: 'node1', lag: 0 },
];
const SHARDS = [
  {
    shard: 0,
    owner: 'node1',
    epoch: 3,
    sequence: 120_034,
    holders: HOLDERS,
    state: 'owning',
    pinned_to: 'node2',
  },
  { shard: 1, owner: 'node2', epoch: 12, sequence: 7, holders: [], state: 'passing on' },
  { shard: 2, owner: null, epoch: 1, sequence: 0, holders: [], state: 'claiming' },
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
    is_drained: false,
  },
  {
    node: 'node2',
    address: '10.0.0.6:8090',
    version,
    shards_owned: 1,
    copies: 3,
    is_leaving: true,
    is_drained: true,
  },
];

test('a terminal shows the shards of a cluster, and its nodes', () => {
  expect(shown('cluster status', SHARDS, TERMINAL).split('\n')).toEqual([
    'shard  owner   epoch  newest record  holders             this node   pinned to',
    '    0  node1       3         120034  node1, node2 (-31)  owning      node2',
    '    1  node2      12              7  -                   passing on  -',
    '    2  nobody      1              0  -                   claiming    -',
    '',
  ]);
  expect(shown('cluster nodes', NODES, TERMINAL).split('\n')).toEqual([
    'node   address        version  shards owned  copies  takes shards',
    'node1  10.0.0.5:8090  1.2.3               1       3  yes',
    'node2  10.0.0.6:8090  1.2.3               1       3  no, drained',
    '',
  ]);
});

const EQUAL = {
  shard: 0,
  sequence: 120_035,
  realms: 3,
  rows: 1_204_511,
  is_equal: true,
  agree: ['node1', 'node2'],
  differ: [],
  not_compared: [],
};

test('a terminal shows whether copies are the same, and names those that differ', () => {
  const differing = {
    ...EQUAL,
    shard: 1,
    is_equal: false,
    agree: ['node1'],
    differ: [
      { node: 'node2', realm: 7, tables: ['messages', 'topics'], is_missing: false },
      { node: 'node2', realm: 9, tables: [], is_missing: true },
    ],
    not_compared: [{ node: 'node3', why: 'it does not answer' }],
  };
  const wide = { columns: 160, hasColours: false };
  expect(shown('cluster verify', [EQUAL, differing], wide).split('\n')).toEqual([
    'shard  is equal  realms     rows  agree         not the same',
    '    0  yes            3  1204511  node1, node2  -',
    '    1  no             3  1204511  node1         node2: realm 7, messages, topics; node2: realm 9 is missing; node3: it does not answer',
    '',
  ]);
});

test('a terminal shows what an upgrade has done', () => {
  const done = [
    { shard: 0, owner: 'node1', former_schema: 19, schema: 20 },
    { shard: 1, owner: null, former_schema: 20, schema: 20 },
  ];
  expect(shown('cluster upgrade', done, TERMINAL).split('\n')).toEqual([
    'shard  owner   schema  was',
    '    0  node1       20   19',
    '    1  nobody      20   20',
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
