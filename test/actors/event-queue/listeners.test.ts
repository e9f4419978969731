import { expect, test } from 'vitest';
import { changeMembership, wasSubscribed } from '../../../actors/event-queue/listeners.ts';
import type { Listener } from '../../../actors/event-queue/queue.ts';

const CHANGES = [
  { eventId: 1, channelId: 7, isSubscribed: true },
  { eventId: 2, channelId: 3, isSubscribed: true },
  { eventId: 3, channelId: 4, isSubscribed: true },
  { eventId: 4, channelId: 5, isSubscribed: false },
  { eventId: 5, channelId: 3, isSubscribed: false },
  { eventId: 6, channelId: 10, isSubscribed: true },
] as const;

const MEMBER_OF_AFTER = [[5], [5, 7], [3, 5, 7], [3, 4, 5, 7], [3, 4, 7], [4, 7], [4, 7, 10]];

function listenerOf(channels: number[]) {
  return { channels, changes: [] } as unknown as Listener; // nothing else of it is asked
}

test('whoever joins and leaves in whatever order is a member of what they are in, as of each event', () => {
  const listener = listenerOf([5]);
  for (const change of CHANGES) {
    changeMembership(listener, change);
    expect(listener.channels).toEqual(MEMBER_OF_AFTER[change.eventId]);
  }
  for (const [eventId, channels] of MEMBER_OF_AFTER.entries()) {
    const were = [3, 4, 5, 6, 7, 9, 10, 11].filter((id) => wasSubscribed(listener, id, eventId));
    expect(were).toEqual(channels);
  }
});

test('joining twice and leaving what one is not in change nothing', () => {
  const listener = listenerOf([3, 5]);
  changeMembership(listener, { eventId: 1, channelId: 3, isSubscribed: true });
  changeMembership(listener, { eventId: 2, channelId: 4, isSubscribed: false });
  changeMembership(listener, { eventId: 3, channelId: 9, isSubscribed: false });
  expect(listener.channels).toEqual([3, 5]);
});
