import { expect, test } from 'vitest';
import { recentEvents } from '../../../actors/realm/recent-events.ts';
import { RECENT_EVENTS_MAX } from '../../../src/domain/limits.ts';
import type { LogEntry } from '../../../src/domain/log-entry.ts';
import { announced } from '../../../src/events/for-client.ts';

test('what one queue read of the log is there for the next, with what it was encoded to', () => {
  const recent = recentEvents();
  recent.add(entry(10));
  const stretch = [8, 9, 10].map((id) => announced(entry(id)));

  recent.addOlder(stretch);

  expect(recent.at(8)).toBe(stretch[0]);
  expect(recent.at(9)).toBe(stretch[1]);
  expect(recent.at(10)).not.toBe(stretch[2]);
  expect(recent.at(7)).toBeUndefined();
  recent.add(entry(11));
  expect(recent.at(11)?.entry.id).toBe(11);
});

test('a stretch that does not join what is held is not kept: an id is an index', () => {
  const recent = recentEvents();
  recent.addOlder([announced(entry(3))]);
  expect(recent.at(3)).toBeUndefined();

  recent.add(entry(10));
  recent.addOlder([7, 8].map((id) => announced(entry(id))));
  expect(recent.at(7)).toBeUndefined();
  expect(recent.at(10)?.entry.id).toBe(10);
});

test('as much is kept as new events would leave, and not one more', () => {
  const recent = recentEvents();
  recent.add(entry(RECENT_EVENTS_MAX + 1));
  const all = Array.from({ length: RECENT_EVENTS_MAX }, (_, index) => announced(entry(index + 1)));

  recent.addOlder(all);
  expect(recent.at(1)).toBeUndefined();

  recent.addOlder(all.slice(1));
  expect(recent.at(2)).toBe(all[1]);
});

const entry = (id: number): LogEntry => ({
  id,
  at: 0,
  event: { type: 'heartbeat' },
  audience: { everyone: true },
});
