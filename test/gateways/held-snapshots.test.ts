import { expect, onTestFinished, test, vi } from 'vitest';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import { watchHeldSnapshots } from '../../src/gateways/writing/held-snapshots.ts';

test('a reader that stays for a minute is told of once, and the next one again', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let heldSince = 0;
  let isOpen = true;
  const measure = () => ({ oldestReaderMs: heldSince === 0 ? 0 : Date.now() - heldSince });
  const realm = { id: 7, isOpen: () => isOpen, measure } as unknown as Realm; // what is looked at
  const told: object[] = [];
  const watch = watchHeldSnapshots({ realms: () => [realm], onHeld: (held) => told.push(held) });
  vi.advanceTimersByTime(120_000);
  expect(told).toEqual([]);
  heldSince = Date.now();
  vi.advanceTimersByTime(50_000);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(200_000);
  expect(told).toEqual([{ realmId: 7, ms: 60_000 }]);
  heldSince = 0;
  vi.advanceTimersByTime(10_000);
  heldSince = Date.now();
  isOpen = false;
  vi.advanceTimersByTime(70_000);
  expect(told).toHaveLength(1);
  isOpen = true;
  vi.advanceTimersByTime(10_000);
  expect(told).toHaveLength(2);
  watch.close();
  heldSince = 0;
  expect(vi.getTimerCount()).toBe(0);
});
