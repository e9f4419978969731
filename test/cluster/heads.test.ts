import { expect, test, vi } from 'vitest';
import { openHeads } from '../../src/cluster/realms/heads.ts';

const LONG_MS = 3_600_000;

/** Waits for an event. Returns whether the wait is over. */
function waiting(heads: ReturnType<typeof openHeads>, realmId: number, eventId: number) {
  const isOver = vi.fn();
  void heads.until(realmId, eventId, LONG_MS).then(isOver);
  return async () => {
    await Promise.resolve();
    return isOver.mock.calls.length === 1;
  };
}

test('who waits for an event is woken by it or a later one of its realm, and by nothing else', async () => {
  const heads = openHeads();
  const [fifth, ninth, elsewhere] = [
    waiting(heads, 1, 5),
    waiting(heads, 1, 9),
    waiting(heads, 2, 5),
  ];
  heads.reached(1, 4);
  expect(await fifth()).toBe(false);
  heads.reached(1, 7);
  expect([await fifth(), await ninth(), await elsewhere()]).toEqual([true, false, false]);
  heads.reached(1, 9);
  expect([await ninth(), await elsewhere()]).toEqual([true, false]);
  heads.reached(2, 5);
  expect(await elsewhere()).toBe(true);
});

test('when a realm closes, nobody waits for it any more', async () => {
  const heads = openHeads();
  const [here, there, elsewhere] = [
    waiting(heads, 1, 5),
    waiting(heads, 1, 600),
    waiting(heads, 2, 5),
  ];
  heads.ended(1);
  expect([await here(), await there(), await elsewhere()]).toEqual([true, true, false]);
  heads.ended(2);
  expect(await elsewhere()).toBe(true);
});

test('the wait has an end, and leaves no timer once it is over', async () => {
  vi.useFakeTimers();
  try {
    const heads = openHeads();
    const late = heads.until(1, 5, 2_000);
    const early = heads.until(1, 3, 2_000);
    heads.reached(1, 3);
    await early;
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(2_000);
    await late;
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
