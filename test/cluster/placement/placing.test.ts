import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Holder } from '../../../src/cluster/nodes/members.ts';
import { inLine } from '../../../src/cluster/placement.ts';
import type { HeldShard } from '../../../src/cluster/shards/declaration.ts';
import { openLettingGo } from '../../../src/cluster/shards/letting-go.ts';
import { openPlacing } from '../../../src/cluster/shards/placing.ts';
import type { Slots } from '../../../src/cluster/shards/slots.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const NODES = ['a', 'b', 'c', 'd', 'e'];

test('each shard has holders of its own, and one that goes changes only what it held', () => {
  const before = Array.from({ length: 200 }, (_, shard) => inLine(shard, NODES).slice(0, 2));
  const counts = NODES.map((node) => before.filter((two) => two.includes(node)).length);
  for (const count of counts) expect(count).toBeGreaterThan(40);
  const rest = NODES.filter((node) => node !== 'c');
  before.forEach((two, shard) => {
    const after = inLine(shard, rest).slice(0, 2);
    if (!two.includes('c')) expect(after).toEqual(two);
    else expect(after).toEqual(expect.arrayContaining(two.filter((node) => node !== 'c')));
  });
  expect(inLine(3, NODES, 'e')[0]).toBe('e');
  expect(inLine(3, rest, 'c')).toEqual(inLine(3, rest));
});

/** A node `me` with two shards, as its cluster is made to look. */
function openTested({ copies = 1 } = {}) {
  const done: string[] = [];
  const whole = new Set<number>();
  const world = {
    present: ['me'] as readonly string[],
    holders: [] as readonly Holder[],
    pin: undefined as string | undefined,
    isOwned: false,
    mayLetGo: true,
    fails: false,
    begin: () => Promise.resolve(),
  };
  const held = (number: number): HeldShard =>
    ({
      number,
      sequence: () => 10,
      isOwned: () => world.isOwned,
      state: () => (world.isOwned ? 'owning' : 'following'),
      async release(to: string | null) {
        done.push(`release ${number} to ${to}`);
        world.isOwned = false;
      },
    }) as HeldShard;
  const slots: Slots = {
    count: 2,
    isEmpty: async () => false,
    held: (number) => (whole.has(number) ? held(number) : undefined),
    all: () => [...whole].map(held),
    isWhole: (number) => whole.has(number),
    areAllWhole: () => whole.size === 2,
    async begin(number) {
      done.push(`begin ${number}`);
      await world.begin();
      if (world.fails) throw new Error('no room');
      whole.add(number);
    },
    async giveUp(number) {
      done.push(`give up ${number}`);
      whole.delete(number);
    },
    stop: async () => undefined,
  };
  const placing = openPlacing({
    node: 'me',
    slots,
    copies,
    present: () => world.present,
    pinOf: () => world.pin,
    holdersOf: () => world.holders,
    mayJudge: () => true,
    async askToLetGo(number) {
      done.push(`ask ${number}`);
      return world.mayLetGo;
    },
    onLook: () => undefined,
    onCopy: () => undefined,
    onFailed: (number, error) => void done.push(`failed ${number}: ${String(error)}`),
  });
  placing.begin();
  const look = async (times = 1) => {
    for (let time = 0; time < times; time++) await vi.advanceTimersByTimeAsync(500);
    return done.splice(0);
  };
  return { world, whole, look, placing };
}

const holder = (node: string, sequence = 10, isLeaving = false) => ({
  node,
  sequence,
  isLeaving,
  serves: true,
});

test('a node copies what it should hold, one shard after the other', async () => {
  const { world, look } = openTested();
  let finish = () => undefined as void;
  world.begin = () =>
    new Promise((resolve) => {
      finish = resolve;
    });
  expect(await look(3)).toEqual(['begin 0']);
  finish();
  expect(await look(2)).toEqual(['begin 1']);
  finish();
  expect(await look(2)).toEqual([]);
});

test('a copy that fails is tried again after half a minute, and others go on', async () => {
  const { world, look } = openTested();
  world.fails = true;
  expect(await look(3)).toEqual([
    'begin 0',
    'failed 0: Error: no room',
    'begin 1',
    'failed 1: Error: no room',
  ]);
  world.fails = false;
  expect(await look(30)).toEqual([]);
  expect(await look(40)).toEqual(['begin 0', 'begin 1']);
});

test('a copy goes only when those in line have all of it, and the owner agrees', async () => {
  const { world, whole, look } = openTested();
  whole.add(0).add(1);
  world.present = ['x'];
  world.holders = [holder('me'), holder('x', 9)];
  expect(await look(3)).toEqual([]);
  world.holders = [holder('me'), holder('x')];
  world.mayLetGo = false;
  expect(await look()).toEqual(['ask 0', 'ask 1']);
  world.mayLetGo = true;
  expect(await look()).toEqual(['ask 0', 'give up 0', 'ask 1', 'give up 1']);
});

test('an owner that is not in line gives the shard away before its copy', async () => {
  const { world, whole, look } = openTested();
  whole.add(0);
  world.present = ['x'];
  world.holders = [holder('me'), holder('x')];
  world.isOwned = true;
  expect(await look(2)).toEqual(['release 0 to x']);
  expect(await look()).toEqual(['ask 0', 'give up 0']);
});

test('a shard is given to a node without a copy once it has one, and only once', async () => {
  const { world, whole, look, placing } = openTested({ copies: 2 });
  whole.add(0).add(1);
  world.present = ['me', 'x'];
  world.isOwned = true;
  world.holders = [holder('me')];
  placing.giveLater(1, 'x');
  expect(await look(2)).toEqual([]);
  world.holders = [holder('me'), holder('x', 10, true)];
  expect(await look(2)).toEqual([]);
  world.holders = [holder('me'), holder('x')];
  expect(await look()).toEqual(['release 1 to x']);
  world.isOwned = true;
  expect(await look(2)).toEqual([]);
});

test('an owner lets one after the other go, and never so many that too few are left', () => {
  let holders = ['a', 'b', 'c', 'd'].map((node) => holder(node));
  const { mayLetGo, look } = openLettingGo({ copies: 2, holdersOf: () => holders });
  expect(mayLetGo(0, 'a')).toBe(true);
  expect(mayLetGo(0, 'b')).toBe(true);
  expect(mayLetGo(0, 'c')).toBe(false);
  expect(mayLetGo(1, 'c')).toBe(true);
  holders = ['b', 'c', 'd'].map((node) => holder(node));
  look();
  // One that has gone, and copies again, counts again; b is still leaving.
  holders = ['a', 'b', 'c', 'd'].map((node) => holder(node));
  expect(mayLetGo(0, 'c')).toBe(true);
  expect(mayLetGo(0, 'd')).toBe(false);
  vi.advanceTimersByTime(31_000);
  look();
  expect(mayLetGo(0, 'd')).toBe(true);
});
