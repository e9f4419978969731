import { expect, onTestFinished, test } from 'vitest';
import { openMemoryCluster } from '../../../src/cluster/log/memory/memory-cluster.ts';
import { type Directory, openDirectory } from '../../../src/cluster/nodes/directory.ts';
import { packed } from '../../../src/cluster/nodes/frames.ts';
import { presentNodes } from '../../../src/cluster/nodes/present.ts';
import { placeBefore } from '../../../src/cluster/shards/log-start.ts';

test('what one node writes is read by those that live and those that start', async () => {
  const cluster = openMemoryCluster();
  const open = async (node: string): Promise<Directory> => {
    const directory = await openDirectory({ values: cluster.openNode(node).values, node });
    onTestFinished(() => directory.close());
    return directory;
  };
  const { values } = cluster.openNode('operator');
  await values.put('realm.7', packed({ by: 'a' }));
  const a = await open('a');
  const told: number[] = [];
  a.follow((realmId) => void told.push(realmId));
  await a.putNames(7, ['seven', 'sept']);
  await a.putPin(3, 'b');
  const b = await open('b');
  for (const directory of [a, b]) {
    await expect.poll(() => directory.namesOf(7)).toEqual(['seven', 'sept']);
    expect(directory.pinOf(3)).toBe('b');
    expect([...directory.realmIds()]).toEqual([7]);
    await expect.poll(() => [...directory.nodes()].sort()).toEqual(['a', 'b']);
  }
  expect(told).toContain(7);
  // Without its number a realm is gone.
  await values.remove('realm.7');
  await expect.poll(() => b.namesOf(7)).toBeUndefined();
  await b.putPin(3, null);
  await expect.poll(() => a.pinOf(3)).toBeUndefined();
  let changes = 0;
  a.whenDrained(() => {
    changes += 1;
  });
  await b.putDrained('a', true);
  await b.putDrained('c', true);
  expect(b.isDrained('a')).toBe(true);
  await expect
    .poll(() => [a.isDrained('a'), a.isDrained('c'), a.isDrained('b')])
    .toEqual([true, true, false]);
  await a.putDrained('a', false);
  await expect.poll(() => b.isDrained('a')).toBe(false);
  expect(changes).toBe(2);
});

test('a node is present until it was away for long, and all are while this one is new', () => {
  const now = performance.now();
  const present = (since: number, heard: Readonly<Record<string, number>>, isDrained = false) =>
    presentNodes({
      node: 'me',
      isDrained: (node) => isDrained && node === 'me',
      known: ['me', 'x', 'y'],
      members: {
        reachedSince: () => since,
        heardAt: (node) => heard[node],
        beats: () =>
          ['x', 'z'].map((node) => ({
            ...{ node, run: '', address: '', isLeaving: false },
            ...{ owns: [], follows: [], isDrained: node === 'z' },
          })),
      },
      absenceMs: 60_000,
    });
  expect(present(now - 1_000, {})).toEqual(['me', 'x', 'y']);
  const long = now - 200_000;
  expect(present(long, { x: now - 59_000, y: now - 61_000, z: now })).toEqual(['me', 'x']);
  expect(present(long, { x: now, y: now }, true)).toEqual(['x', 'y']);
});

test('a log is read from its first record, or from behind the first that is left', async () => {
  const cluster = openMemoryCluster();
  const log = await cluster.openNode('a').openLog(0);
  expect(await placeBefore(log)).toBeNull();
  for (let expected = 0; expected < 20; expected++) {
    const id = `id-${expected + 1}`;
    await log.append({ expected, id, epoch: 4, body: new Uint8Array([expected]) });
  }
  expect(await placeBefore(log)).toBeNull();
  for (const first of [2, 13, 20]) {
    await log.forgetBefore(first);
    expect(await placeBefore(log)).toEqual({ sequence: first, id: `id-${first}`, epoch: 4 });
  }
});
