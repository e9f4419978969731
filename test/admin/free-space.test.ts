import { expect, test } from 'vitest';
import { openFreeSpace } from '../../src/admin/free-space.ts';
import {
  FREE_BYTES_MIN,
  FREE_TO_WRITE_BYTES_MIN,
  SPACE_LOOK_CLOSE_MS,
  SPACE_LOOK_MS,
} from '../../src/domain/limits/disk.ts';
import { testClock } from '../support/test-clock.ts';

const GIB = 1024 ** 3;
const SMALL = 2 * GIB;
const LARGE = 100 * GIB;

test.each([
  { disk: SMALL, free: FREE_BYTES_MIN, isShort: false },
  { disk: SMALL, free: FREE_BYTES_MIN - 1, isShort: true },
  { disk: LARGE, free: LARGE * 0.05, isShort: false },
  { disk: LARGE, free: LARGE * 0.05 - 1, isShort: true },
])('of $disk bytes, $free free are too few: $isShort', async ({ disk, free, isShort }) => {
  const { space } = await watching({ disk, free });
  expect(space.isShort()).toBe(isShort);
  expect(space.isFull()).toBe(false);
});

test('an operator can set another bound, or turn the check off', async () => {
  const chosen = await watching({ disk: LARGE, free: 8 * 1024 * 1024 - 1, mibMin: 8 });
  expect(chosen.space.isShort()).toBe(true);
  const unwatched = await watching({ disk: LARGE, free: 0, mibMin: 0 });
  expect(unwatched.space.isShort()).toBe(false);
  expect(unwatched.looks()).toBe(0);
});

test('the shortage ends by itself, a tenth above the bound', async () => {
  const { space, set, advance, changes } = await watching({ disk: SMALL, free: GIB });
  set(FREE_BYTES_MIN - 1);
  await advance(SPACE_LOOK_MS);
  set(FREE_BYTES_MIN * 1.09);
  await advance(SPACE_LOOK_CLOSE_MS);
  expect(space.isShort()).toBe(true);
  set(Math.ceil(FREE_BYTES_MIN * 1.1));
  await advance(SPACE_LOOK_CLOSE_MS);
  expect(space.isShort()).toBe(false);
  expect(changes).toEqual([true, false]);
});

test('the space is read more often near the bound', async () => {
  const { set, advance, looks } = await watching({ disk: SMALL, free: GIB });
  await advance(SPACE_LOOK_MS - 1);
  expect(looks()).toBe(1);
  set(FREE_BYTES_MIN * 2 - 1);
  await advance(1);
  expect(looks()).toBe(2);
  await advance(SPACE_LOOK_CLOSE_MS);
  expect(looks()).toBe(3);
});

test('an announced upload has to fit above the bound', async () => {
  const { space } = await watching({ disk: SMALL, free: FREE_BYTES_MIN + 1_000 });
  expect(space.hasRoomFor(1_000)).toBe(true);
  expect(space.hasRoomFor(1_001)).toBe(false);
});

test.each([
  [FREE_TO_WRITE_BYTES_MIN, false],
  [FREE_TO_WRITE_BYTES_MIN - 1, true],
])('with %s bytes left nothing is written: %s', async (free, isFull) => {
  const { space } = await watching({ disk: SMALL, free });
  expect(space.isFull()).toBe(isFull);
});

test('a disk whose space cannot be read keeps its last state', async () => {
  const { space, fail, advance } = await watching({ disk: SMALL, free: 0 });
  fail();
  await advance(SPACE_LOOK_CLOSE_MS * 3);
  expect(space.isShort()).toBe(true);
});

async function watching({ disk, free, mibMin = null }: Watched) {
  const clock = testClock();
  const changes: boolean[] = [];
  let bytes = free;
  let isFailing = false;
  let looks = 0;
  const space = openFreeSpace({
    path: '/',
    clock,
    mibMin,
    onChange: ({ isShort }) => changes.push(isShort),
    async statfs() {
      looks += 1;
      if (isFailing) throw new Error('no answer');
      return { bsize: 1, blocks: disk, bfree: bytes, bavail: bytes };
    },
  });
  await space.watch();
  return {
    space,
    changes,
    looks: () => looks,
    set(now: number) {
      bytes = now;
    },
    fail() {
      isFailing = true;
    },
    async advance(ms: number) {
      clock.advance(ms);
      await new Promise(setImmediate);
    },
  };
}

interface Watched {
  readonly disk: number;
  readonly free: number;
  readonly mibMin?: number | null;
}
