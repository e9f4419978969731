import { isIn, placeIn } from '../../src/domain/ascending.ts';
import {
  type Intervals,
  isWithinAny,
  NOTHING,
} from '../../src/domain/rules/messages/read-state.ts';
import type { Audience, Presence } from '../../src/domain/wire/events/log-entry.ts';
import { isAdministrator, isGuest, type Role } from '../../src/domain/wire/roles.ts';
import type { RealmReader } from '../../storage/transaction.ts';
import type { Listener, SubscriptionChange } from './queue.ts';

/**
 * Reads a user's memberships as of `head`. The store may be ahead by the commit that is announced
 * next: its part is taken back here, and applied when it is announced.
 */
export function loadListener(reader: RealmReader, userId: number, head: number): Listener {
  const channels: number[] = [];
  for (const [[, channelId], { isActive }] of reader.userChannels.under([userId])) {
    if (isActive) channels.push(channelId);
  }
  const changes: SubscriptionChange[] = [];
  for (const [[, eventId], change] of reader.membershipChanges.under([userId])) {
    const { channelId, isSubscribed } = change;
    changes.push({ eventId, channelId, isSubscribed });
  }
  while ((changes.at(-1)?.eventId ?? 0) > head) {
    const change = changes.pop();
    if (change !== undefined) setMember(channels, change.channelId, !change.isSubscribed);
  }
  const user = reader.users.get([userId]);
  return {
    userId,
    role: user?.role ?? 600,
    isBot: user !== undefined && user.botType !== null,
    // Copies, as arrays that grew have room for sixteen more.
    channels: channels.slice(),
    changes: changes.slice(),
    queues: [],
    subscriptions: reader.subscriptions,
  };
}

export function changeMembership(listener: Listener, change: SubscriptionChange) {
  listener.changes.push(change);
  setMember(listener.channels, change.channelId, change.isSubscribed);
}

/** Drops the changes that no event that can still be read asks about. */
export function forgetChanges({ changes }: Listener, upTo: number) {
  let count = 0;
  while ((changes[count]?.eventId ?? Number.POSITIVE_INFINITY) <= upTo) count += 1;
  changes.splice(0, count);
}

/** Tells whether the user was a subscriber when event `eventId` happened. */
export function wasSubscribed(listener: Listener, channelId: number, eventId: number): boolean {
  let isMember = isIn(listener.channels, channelId);
  for (let index = listener.changes.length - 1; index >= 0; index--) {
    const change = listener.changes[index];
    if (change === undefined || change.eventId <= eventId) break;
    if (change.channelId === channelId) isMember = !change.isSubscribed;
  }
  return isMember;
}

/** Tells whether an audience means this user, by the state as of the event. */
export function isMeant(listener: Listener, audience: Audience, eventId: number): boolean {
  if (audience.except?.includes(listener.userId)) return false;
  if (audience.peopleAlone && listener.isBot) return false;
  if (audience.everyone) return true;
  if (audience.nonGuests && !isGuest(listener.role)) return true;
  if (audience.administrators && isAdministrator(listener.role)) return true;
  if (audience.roles !== undefined && isWithin(audience.roles, listener.role)) return true;
  if (audience.users?.includes(listener.userId)) return true;
  if (audience.wereIn !== undefined && wasIn(listener, audience.wereIn)) return true;
  return audience.channelId !== undefined && wasSubscribed(listener, audience.channelId, eventId);
}

const wasIn = (listener: Listener, { isWithoutGuests, places }: Presence) =>
  !(isWithoutGuests && isGuest(listener.role)) &&
  places.some(({ channelId, at }) => isWithinAny(receivedIn(channelId, listener), at));

const receivedIn = (channelId: number, { subscriptions, userId }: Listener): Intervals =>
  subscriptions.get([channelId, userId])?.received ?? NOTHING;

const isWithin = ({ above, upTo }: NonNullable<Audience['roles']>, role: Role) =>
  role > above && role <= upTo;

function setMember(channels: number[], channelId: number, isMember: boolean) {
  const place = placeIn(channels, channelId);
  const wasMember = channels[place] === channelId;
  if (isMember && !wasMember) channels.splice(place, 0, channelId);
  if (!isMember && wasMember) channels.splice(place, 1);
}
