import type { Audience, Presence } from '../../src/domain/log-entry.ts';
import { type Intervals, isWithinAny, NOTHING } from '../../src/domain/read-state.ts';
import { isAdministrator, isGuest, type Role } from '../../src/domain/roles.ts';
import type { RealmReader } from '../../storage/realm-store.ts';
import type { EventQueue } from '../event-queue.ts';

/** A user with an attached queue, and what decides whether an event is for them, as of any position of the log. */
export interface Listener {
  readonly userId: number;
  readonly role: Role;
  readonly isBot: boolean;
  /** Subscribed now: as of the announced head. */
  readonly channels: Set<number>;
  /** Joined and left within the retained log, ascending. */
  readonly changes: {
    readonly eventId: number;
    readonly channelId: number;
    readonly isSubscribed: boolean;
  }[];
  readonly queues: Set<EventQueue>;
  /** When the user was subscribed to a channel, on the number line of messages. */
  readonly received: (channelId: number) => Intervals;
}

/**
 * Reads a user's memberships as of `head`. What is committed may be ahead of what is announced by the commit whose
 * announcement is still to come: that part is taken back here and applied when it is announced.
 */
export function loadListener(reader: RealmReader, userId: number, head: number): Listener {
  const channels = new Set<number>();
  for (const [[, channelId], { isActive }] of reader.userChannels.under([userId])) {
    if (isActive) channels.add(channelId);
  }
  const changes = Array.from(reader.membershipChanges.under([userId]), ([[, eventId], change]) => ({
    eventId,
    ...change,
  }));
  while ((changes.at(-1)?.eventId ?? 0) > head) {
    const change = changes.pop();
    if (change !== undefined) setMember(channels, change.channelId, !change.isSubscribed);
  }
  const user = reader.users.get([userId]);
  const received = (channelId: number) =>
    reader.subscriptions.get([channelId, userId])?.received ?? NOTHING;
  return {
    userId,
    role: user?.role ?? 600,
    isBot: user !== undefined && user.botType !== null,
    channels,
    changes,
    queues: new Set(),
    received,
  };
}

export function changeMembership(
  listener: Listener,
  change: { eventId: number; channelId: number; isSubscribed: boolean },
) {
  listener.changes.push(change);
  setMember(listener.channels, change.channelId, change.isSubscribed);
}

/** Drops what no event that can still be read asks about. */
export function forgetChanges({ changes }: Listener, upTo: number) {
  let count = 0;
  while ((changes[count]?.eventId ?? Number.POSITIVE_INFINITY) <= upTo) count += 1;
  changes.splice(0, count);
}

/** Whether the user was a subscriber when event `eventId` happened. */
export function wasSubscribed(listener: Listener, channelId: number, eventId: number): boolean {
  let isMember = listener.channels.has(channelId);
  for (let index = listener.changes.length - 1; index >= 0; index--) {
    const change = listener.changes[index];
    if (change === undefined || change.eventId <= eventId) break;
    if (change.channelId === channelId) isMember = !change.isSubscribed;
  }
  return isMember;
}

/** Whether an audience means this user, by what held at the event. */
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

const wasIn = ({ role, received }: Listener, { isWithoutGuests, places }: Presence) =>
  !(isWithoutGuests && isGuest(role)) &&
  places.some(({ channelId, at }) => isWithinAny(received(channelId), at));

const isWithin = ({ above, upTo }: NonNullable<Audience['roles']>, role: Role) =>
  role > above && role <= upTo;

function setMember(channels: Set<number>, channelId: number, isMember: boolean) {
  if (isMember) channels.add(channelId);
  else channels.delete(channelId);
}
