import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openMemoryCluster } from '../../../src/cluster/log/memory/memory-cluster.ts';
import {
  type AnsweredMark,
  type AskedMark,
  marksSubject,
} from '../../../src/cluster/marks/frames.ts';
import { compareAt } from '../../../src/cluster/marks/verifying.ts';
import { packed, unpacked } from '../../../src/cluster/nodes/frames.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

type Answer = (asked: AskedMark) => AnsweredMark;

const stores = (hash: string, unknown: readonly number[] = []): AnsweredMark => [
  'stores',
  40,
  unknown.includes(1) ? [] : [[1, hash]],
  unknown,
];

const tables =
  (hash: string, ...rows: readonly (readonly [string, string])[]): Answer =>
  ([what]) =>
    what === 'stores' ? stores(hash) : ['tables', rows];

/** Compares what these nodes answer; `owner` writes the shard. */
async function compared(nodes: Readonly<Record<string, Answer | null>>) {
  const cluster = openMemoryCluster();
  for (const [name, answer] of Object.entries(nodes)) {
    if (answer === null) continue;
    cluster
      .openNode(name)
      .bus.serve(marksSubject(name), (body) =>
        Promise.resolve(packed(answer(unpacked<AskedMark>(body)))),
      );
  }
  const { bus } = cluster.openNode('asking');
  const names = Object.keys(nodes);
  const found = compareAt({ bus, shard: 3, sequence: 9, owner: 'owner', nodes: names });
  let isDone = false;
  void found.finally(() => {
    isDone = true;
  });
  while (!isDone) await vi.advanceTimersByTimeAsync(500);
  return await found;
}

test('nodes that do not answer, do not come to the mark, or end before they are done are named', async () => {
  let asks = 0;
  const found = await compared({
    owner: () => stores('x'),
    absent: null,
    behind: () => ['no such mark'],
    stuck: () => ['hashing', 2, 100],
    ending: () => (asks++ < 3 ? ['hashing', asks, 100] : ['no such mark']),
    blind: () => stores('x', [1]),
    slow: () => (performance.now() < 60_000 ? ['hashing', 0, performance.now()] : stores('x')),
  });
  expect(found).toMatchObject({
    shard: 3,
    sequence: 9,
    realms: 1,
    rows: 40,
    is_equal: false,
    agree: ['owner', 'slow'],
    differ: [],
  });
  expect(Object.fromEntries(found.not_compared.map(({ node, why }) => [node, why]))).toEqual({
    absent: 'it does not answer',
    behind: 'it has not come to the mark',
    stuck: 'it has stopped hashing its stores',
    ending: 'it ended meanwhile, or another mark came',
    blind: 'its store of realm 1 could not be read',
  });
});

test('what most nodes have is right; of two it is what the owner has', async () => {
  const own = tables('x', ['messages', 'm'], ['topics', 't']);
  const other = tables('y', ['messages', 'n'], ['users', 'u']);
  const differ = (node: string) => [
    { node, realm: 1, tables: ['messages', 'topics', 'users'], is_missing: false },
  ];
  expect(await compared({ owner: own, b: other })).toMatchObject({
    agree: ['owner'],
    differ: differ('b'),
  });
  expect(await compared({ owner: own, b: other, c: other })).toMatchObject({
    agree: ['b', 'c'],
    differ: differ('owner'),
  });
});

test('a realm that a node lacks is missing there', async () => {
  const found = await compared({
    owner: () => stores('x'),
    b: () => ['stores', 0, [], []],
    c: () => stores('x'),
  });
  expect(found).toMatchObject({
    is_equal: false,
    agree: ['c', 'owner'],
    differ: [{ node: 'b', realm: 1, tables: [], is_missing: true }],
  });
});
