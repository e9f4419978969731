import { expect, test } from 'vitest';
import { encodedFor } from '../../../actors/event-queue/batch.ts';
import { openLogTail } from '../../../actors/event-queue/log-tail.ts';
import { openRealmRecord } from '../../../src/metrics/recorders.ts';
import type { RealmReader } from '../../../storage/transaction.ts';
import { entryOf } from '../../support/actors/listening.ts';

const reader = {} as RealmReader;
const opened = () => openLogTail({ reader, record: openRealmRecord(), head: 7, now: 1_000 });

test('a tail begins at the head that it is given, with nothing remembered and nothing to write', () => {
  const tail = opened();
  expect(tail).toMatchObject({ head: 7, now: 1_000, unflushed: [], isFlushing: false });
  expect(tail.reader).toBe(reader);
  expect(tail.recent.between(7, 7)).toBeUndefined();
  expect(tail.shared.size).toBe(0);
  expect(tail.caughtUp.events).toEqual([]);
});

test('two realms share neither events nor encodings nor queues to write to', () => {
  const [one, other] = [opened(), opened()];
  const announcement = one.recent.add(entryOf(8));
  one.caughtUp.events.push(announcement);
  const joined = { ...one.caughtUp, isJoined: true };
  encodedFor(joined, { id: 'q', userId: 7, format: 0 }, one.shared);
  expect(one.shared.size).toBe(1);
  expect(other.shared.size).toBe(0);
  expect(other.recent.between(8, 8)).toBeUndefined();
  expect(other.caughtUp.events).toEqual([]);
  expect(one.unflushed).not.toBe(other.unflushed);
});
