import { expect, test } from 'vitest';
import { SWEEP_INTERVAL_MS } from '../../../actors/realm/housekeeping.ts';
import { openSweptRealm } from '../../support/actors/swept-realm.ts';

const STANDING = { acknowledged: 3, position: 5, deliveredId: 4 };
const IDLE_MS = 600_000;

/** A realm with some events and a queue that began before them. */
async function withQueue() {
  const realm = await openSweptRealm();
  await realm.addQueue('q', { startedAt: 0, acknowledged: 0 });
  await realm.log(10);
  return realm;
}

test('a queue that another process holds does not expire, and says where it stands', async () => {
  const realm = await withQueue();
  const { holds, queues } = realm;
  expect(holds.hold(1, 'q', STANDING)).toBeUndefined();
  expect(queues.all().get('q')).toMatchObject(STANDING);
  await realm.sweep(IDLE_MS / SWEEP_INTERVAL_MS + 1);
  expect(queues.all().has('q')).toBe(true);
  holds.note('q', { acknowledged: 7, position: 9, deliveredId: 8 });
  // Nothing goes back: a frame of a former holder may come late.
  holds.letGo(1, 'q', STANDING);
  expect(queues.all().get('q')).toMatchObject({ acknowledged: 7, position: 9, deliveredId: 8 });
  await realm.sweep(IDLE_MS / SWEEP_INTERVAL_MS + 1);
  expect(queues.all().has('q')).toBe(false);
});

test('the process of the consumer before is named, and a former one lets nothing go', async () => {
  const { holds } = await withQueue();
  expect(holds.hold(1, 'q', STANDING)).toBeUndefined();
  expect(holds.hold(1, 'q', STANDING)).toBeUndefined();
  expect(holds.hold(2, 'q', STANDING)).toBe(1);
  holds.letGo(1, 'q', STANDING);
  expect(holds.has('q')).toBe(true);
  expect(holds.end('q')).toBe(2);
  expect(holds.end('q')).toBeUndefined();
  expect(holds.hold(2, 'another', STANDING)).toBeNull();
  expect(holds.count()).toBe(0);
});

test('what a process held is let go when it is gone, from that moment on', async () => {
  const realm = await withQueue();
  const { holds, queues } = realm;
  await realm.addQueue('other');
  holds.hold(1, 'q', STANDING);
  holds.hold(2, 'other', STANDING);
  realm.clock.leap(IDLE_MS);
  holds.gone(1);
  expect([...holds.ids()]).toEqual(['other']);
  expect(queues.all().get('q')?.waitingSince).toBe(realm.clock.now());
});
