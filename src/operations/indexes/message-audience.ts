import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { ascending } from '../../domain/ascending.ts';
import { isWithin, NOTHING } from '../../domain/rules/messages/read-state.ts';
import type { Audience } from '../../domain/wire/events/log-entry.ts';
import { FlagBit } from '../../domain/wire/flags.ts';
import { isGuest, Role } from '../../domain/wire/roles.ts';
import { isSubscribed, whoMayRead } from '../access/channel-access.ts';
import type { Reads } from '../access/groups.ts';
import { holders, ownBitsOf, ownHolders } from './flag-reads.ts';
import { canRead } from './message-access.ts';
import { previousChannels, wasIn } from './previous-channels.ts';

/** Some of a list of messages, and the audience of exactly them. */
export interface MessageAudience {
  readonly audience: Audience;
  readonly rows: readonly MessageRow[];
}

/**
 * Returns the audience of a change of messages in one channel or conversation: its people, and
 * other users who have a copy of their own and may still read it (reference/events-and-register.md
 * 4.1, "To"; docs/decisions/0059). In a channel with protected history users only get what they may
 * read, so each subscriber is checked there.
 */
export function audiencesOf(tx: Reads, rows: readonly MessageRow[]): MessageAudience[] {
  const [first] = rows;
  if (first === undefined) return [];
  if (first.channelId === null) return [{ audience: inConversation(tx, first), rows }];
  const channel = tx.channels.get([first.channelId]);
  if (channel === undefined) return [];
  if (!channel.hasSharedHistory) return inProtectedHistory(tx, channel, rows);
  const { id: channelId } = channel;
  const { users: granted = [], wereIn } = formerReaders(tx, channel, rows);
  const others = [...new Set([...keepers(tx, channelId, rows), ...granted])].filter(
    (userId) => !isSubscribed(tx, userId, channelId) && isSeenBy(tx, userId, first),
  );
  const audience = {
    channelId,
    ...(others.length === 0 ? {} : { users: others.sort(ascending) }),
    ...(wereIn === undefined ? {} : { wereIn }),
  };
  return [{ audience, rows }];
}

/** Returns the audience of one message; it is empty if no user may see it. */
export const whoSees = (tx: Reads, row: MessageRow): Audience =>
  audiencesOf(tx, [row])
    .map(({ audience }) => audience)
    .reduce(joined, { users: [] });

/**
 * Returns the users who may have a copy of any of these messages of a channel without being
 * subscribed: by a flag, or since they left. Ascending.
 */
function keepers(tx: Reads, channelId: number, rows: readonly MessageRow[]): number[] {
  const ids = new Set(holders(tx, rows));
  const came = rows.map(({ id, arrivedAt }) => arrivedAt ?? id);
  const oldest = came.reduce((one, other) => Math.min(one, other), Number.MAX_SAFE_INTEGER);
  const range = { start: [channelId, oldest], end: [channelId + 1] };
  for (const [, , userId] of tx.formerSubscribers.keys(range)) {
    const { received } = tx.subscriptions.get([channelId, userId]) ?? { received: NOTHING };
    if (came.some((id) => isWithin(received, id))) ids.add(userId);
  }
  return [...ids].sort(ascending);
}

/** Tests whether an audience of messages includes a user, as of now. */
export function isAmong(tx: Reads, { channelId, users, wereIn }: Audience) {
  const named = new Set(users);
  return (userId: number): boolean => {
    if (named.has(userId)) return true;
    if (channelId !== undefined && isSubscribed(tx, userId, channelId)) return true;
    if (wereIn === undefined) return false;
    const role = tx.users.get([userId])?.role ?? Role.guest;
    if (wereIn.isWithoutGuests && isGuest(role)) return false;
    return wereIn.places.some((place) => wasIn(tx, userId, place));
  };
}

/** Removes the stars of users who may not read the messages any more: they get no other event. */
export function unstarUnseen(tx: RealmTransaction, rows: readonly MessageRow[]) {
  const starred = new Map<number, number[]>();
  for (const row of rows) {
    for (const userId of ownHolders(tx, row.id)) {
      const bits = ownBitsOf(tx, userId, row.id);
      if ((bits & FlagBit.starred) === 0 || isSeenBy(tx, userId, row)) continue;
      starred.set(userId, [...(starred.get(userId) ?? []), row.id]);
    }
  }
  for (const [userId, messages] of starred) {
    const change = { flag: 'starred', messages, all: false } as const;
    tx.emit({
      event: { type: 'update_message_flags', op: 'remove', operation: 'remove', ...change },
      audience: { users: [userId] },
    });
  }
}

export function isSeenBy(tx: Reads, userId: number, row: MessageRow): boolean {
  const user = tx.users.get([userId]);
  return user !== undefined && canRead(tx, user, row);
}

/**
 * Returns the users who may still read messages that were elsewhere before: as a rule, if the
 * permission needs no list.
 */
function formerReaders(
  tx: Reads,
  channel: ChannelRow,
  rows: readonly MessageRow[],
): Pick<Audience, 'users' | 'wereIn'> {
  const previous = previousChannels(tx, rows);
  if (previous.length === 0) return {};
  const { everyone, nonGuests, users = [] } = whoMayRead(tx, channel);
  if (everyone || nonGuests) return { wereIn: { isWithoutGuests: !everyone, places: previous } };
  return { users: users.filter((userId) => previous.some((each) => wasIn(tx, userId, each))) };
}

function inConversation(tx: Reads, { recipientId }: MessageRow): Audience {
  const people = tx.conversations.get([recipientId])?.userIds ?? [];
  return { users: people.filter((id) => tx.users.get([id])?.isActive) };
}

function inProtectedHistory(
  tx: Reads,
  { id: channelId }: ChannelRow,
  rows: readonly MessageRow[],
): MessageAudience[] {
  const alike = new Map<string, { users: number[]; rows: readonly MessageRow[] }>();
  for (const [[, userId], { isActive, received }] of tx.subscriptions.under([channelId])) {
    if (!isActive) continue;
    const seen = rows.filter(({ id, arrivedAt }) => isWithin(received, arrivedAt ?? id));
    if (seen.length === 0) continue;
    const key = seen.length === rows.length ? '' : seen.map(({ id }) => id).join();
    const group = alike.get(key);
    if (group === undefined) alike.set(key, { users: [userId], rows: seen });
    else group.users.push(userId);
  }
  return Array.from(alike.values(), ({ users, rows: seen }) => ({
    audience: { users },
    rows: seen,
  }));
}

const joined = (one: Audience, other: Audience): Audience => ({
  ...one,
  ...other,
  users: [...(one.users ?? []), ...(other.users ?? [])],
});
