import { expect, onTestFinished, test } from 'vitest';
import { openMemoryCluster } from '../../src/cluster/log/memory/memory-cluster.ts';
import { openMembers } from '../../src/cluster/nodes/members.ts';

const ABOUT = { version: '1', since: 0, cpu: 0, rssBytes: 0, behind: [], changes: [] };
const BEATEN = { timeout: 5_000, interval: 20 };

/** Members of one cluster, and the addresses of their twins. */
function openTested() {
  const cluster = openMemoryCluster();
  return (node: string, address: string) => {
    const twins: string[] = [];
    const owners: string[] = [];
    const members = openMembers({
      bus: cluster.openNode(node).bus,
      node,
      address: () => address,
      silenceMs: 60_000,
      owned: () => [[0, 1, 1]],
      followed: () => [[2, 7]],
      unreadable: () => [],
      isDrained: () => false,
      rememberMs: 60_000,
      isLeaving: () => false,
      about: () => ABOUT,
      schema: 19,
      onOwner: (other) => void owners.push(other),
      onTwin: (other) => void twins.push(other),
    });
    onTestFinished(() => members.close());
    return { members, twins, owners };
  };
}

test('of two processes with one name the one that was started later hears of it', async () => {
  const open = openTested();
  const first = open('a', 'host1:1');
  await new Promise((resolve) => setTimeout(resolve, 5));
  const second = open('a', 'host2:2');
  const other = open('b', 'host3:3');
  await expect.poll(() => second.twins[0], BEATEN).toBe('host1:1');
  await expect.poll(() => first.owners[0], BEATEN).toBe('b');
  expect(first.twins).toEqual([]);
  expect(other.twins).toEqual([]);
});

test('a node knows the others, where they are and what they own', async () => {
  const open = openTested();
  const { members } = open('a', 'host1:1');
  open('b', 'host2:2');
  await expect.poll(() => members.alive(), BEATEN).toEqual(['a', 'b']);
  expect(members.addressOf('b')).toBe('host2:2');
  expect(members.ownerOf(1)).toBeUndefined();
  expect(members.holdersOf(2)).toEqual([
    { node: 'a', sequence: 7, isLeaving: false, serves: true },
    { node: 'b', sequence: 7, isLeaving: false, serves: true },
  ]);
  expect(members.holdersOf(0).map(({ sequence }) => sequence)).toEqual([1, 1]);
  expect(members.holdersOf(1)).toEqual([]);
});
