import { expect, test } from 'vitest';
import { type RecentEvents, recentEvents } from '../../../actors/event-queue/recent-events.ts';
import { RECENT_EVENTS_MAX } from '../../../src/domain/limits/event-queues.ts';
import type { LogEntry } from '../../../src/domain/wire/events/log-entry.ts';
import { announced } from '../../../src/events/for-client.ts';

test('what one queue read of the log is there for the next, with what it was encoded to', () => {
  const recent = recentEvents();
  recent.add(entry(10));
  const stretch = [8, 9, 10].map((id) => announced(entry(id)));

  recent.addOlder(stretch);

  expect(at(recent, 8)).toBe(stretch[0]);
  expect(at(recent, 9)).toBe(stretch[1]);
  expect(at(recent, 10)).not.toBe(stretch[2]);
  expect(at(recent, 7)).toBeUndefined();
  recent.add(entry(11));
  expect(at(recent, 11)?.entry.id).toBe(11);
});

test('a stretch that does not join what is held is not kept: an id is an index', () => {
  const recent = recentEvents();
  recent.addOlder([announced(entry(3))]);
  expect(at(recent, 3)).toBeUndefined();

  recent.add(entry(10));
  recent.addOlder([7, 8].map((id) => announced(entry(id))));
  expect(at(recent, 7)).toBeUndefined();
  expect(at(recent, 10)?.entry.id).toBe(10);
});

test('as much is kept as new events would leave, and not one more', () => {
  const recent = recentEvents();
  recent.add(entry(RECENT_EVENTS_MAX + 1));
  const all = Array.from({ length: RECENT_EVENTS_MAX }, (_, index) => announced(entry(index + 1)));

  recent.addOlder(all);
  expect(at(recent, 1)).toBeUndefined();

  recent.addOlder(all.slice(1));
  expect(at(recent, 2)).toBe(all[1]);
});

test('a stretch ends where what is held ends, and there is none of what is not held', () => {
  const recent = recentEvents();
  expect(recent.between(1, 2)).toBeUndefined();
  const held = [5, 6, 7, 8].map((id) => recent.add(entry(id)));
  expect(recent.between(6, 7)).toEqual(held.slice(1, 3));
  expect(recent.between(7, 20)).toEqual(held.slice(2));
  expect(recent.between(4, 7)).toBeUndefined();
  expect(recent.between(9, 10)).toBeUndefined();
});

const at = (recent: RecentEvents, id: number) => recent.between(id, id)?.[0];

const entry = (id: number): LogEntry => ({
  id,
  at: 0,
  event: { type: 'heartbeat' },
  audience: { everyone: true },
});
