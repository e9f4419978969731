import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { MUTED_USERS_PER_USER_MAX } from '../../domain/limits/accounts.ts';
import { UNREAD_MESSAGES_MAX } from '../../domain/limits/messages.ts';
import { EVERYTHING } from '../../domain/rules/messages/read-state.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Reads } from '../access/groups.ts';
import * as userAccess from '../access/user-access.ts';
import { intersection } from '../indexes/ids/intersections.ts';
import { AFTER_LAST_ID } from '../indexes/ids/iterators.ts';
import type { LocatedMessage } from '../indexes/message-access.ts';
import { maybeUnread, type Read } from '../indexes/read-sets.ts';
import { isUnread, markRead } from '../reading/unread.ts';
import { sentBy } from '../search/sender-lists.ts';

/**
 * Mutes a user: their messages are marked read, and new ones begin as read (docs/decisions/0070).
 */
export function mute(tx: RealmTransaction, viewer: userAccess.Viewer, mutedId: number) {
  const { user } = viewer;
  if (mutedId === user.id) throw errors.badRequest('Cannot mute self');
  const muted = userAccess.find(tx, viewer, mutedId);
  if (tx.mutedUsers.has([user.id, muted.id])) throw errors.badRequest('User already muted');
  refuseTooMany(tx, user.id);
  readAllOf(tx, user, muted.id);
  tx.mutedUsers.put([user.id, muted.id], { mutedAt: Math.floor(tx.now / 1000) });
  tx.muters.put([muted.id, user.id], {});
  announce(tx, user.id);
}

/**
 * Mutes a user of a history, in which messages are read already. Returns false if it is so, or if
 * nobody else can be muted.
 */
export function muteUnannounced(tx: RealmTransaction, userId: number, mutedId: number): boolean {
  if (mutedId === userId || tx.mutedUsers.has([userId, mutedId])) return false;
  refuseTooMany(tx, userId);
  tx.mutedUsers.put([userId, mutedId], { mutedAt: Math.floor(tx.now / 1000) });
  tx.muters.put([mutedId, userId], {});
  return true;
}

/** Unmutes a user; messages that were sent meanwhile stay read. */
export function unmute(tx: RealmTransaction, viewer: userAccess.Viewer, mutedId: number) {
  const { user } = viewer;
  // A muted user may have become hidden since.
  if (!tx.mutedUsers.has([user.id, mutedId])) {
    userAccess.find(tx, viewer, mutedId);
    throw errors.badRequest('User is not muted');
  }
  tx.mutedUsers.remove([user.id, mutedId]);
  tx.muters.remove([mutedId, user.id]);
  announce(tx, user.id);
}

/** Returns the users whom a user has muted, as in snapshots and events. */
export const list = (tx: Reads, userId: number) =>
  Array.from(tx.mutedUsers.under([userId]), ([[, id], { mutedAt: timestamp }]) => ({
    id,
    timestamp,
  }));

function refuseTooMany(tx: Reads, userId: number) {
  let count = 0;
  for (const _ of tx.mutedUsers.keysUnder([userId])) count += 1;
  if (count >= MUTED_USERS_PER_USER_MAX) {
    throw errors.badRequest(`You can mute at most ${MUTED_USERS_PER_USER_MAX} users.`);
  }
}

/**
 * Marks messages as read, the newest ones, as many as a client may know of: "Muting first marks
 * that user's messages read".
 */
function readAllOf(tx: RealmTransaction, user: UserRow, senderId: number) {
  const iterator = intersection([
    sentBy(tx, senderId),
    maybeUnread(tx, user.id, placesOf(tx, user.id)),
  ])(-1);
  const unread: LocatedMessage[] = [];
  let id = iterator.seek(AFTER_LAST_ID);
  while (id !== undefined && unread.length < UNREAD_MESSAGES_MAX) {
    const row = tx.messages.get([id]);
    if (row !== undefined && isUnread(tx, user.id, row)) unread.push(row);
    id = iterator.seek(id - 1);
  }
  const messages = markRead(tx, user.id, unread.reverse());
  if (messages.length === 0) return;
  const read = { flag: 'read', messages, all: false } as const;
  tx.emit({
    event: { type: 'update_message_flags', op: 'add', operation: 'add', ...read },
    audience: { users: [user.id] },
  });
}

/** Returns all places that may have unread messages. */
function placesOf(tx: Reads, userId: number): Read[] {
  const places: Read[] = [];
  for (const [, channelId] of tx.userChannels.keysUnder([userId])) {
    const subscription = tx.subscriptions.get([channelId, userId]);
    if (subscription === undefined) continue;
    const { received, readThrough } = subscription;
    // Messages of a channel are found by the channel's own id.
    places.push({ channelId, recipientId: 0, received, readThrough });
  }
  for (const [[, recipientId], { readThrough }] of tx.userConversations.under([userId])) {
    places.push({ channelId: null, recipientId, received: EVERYTHING, readThrough });
  }
  return places;
}

const announce = (tx: RealmTransaction, userId: number) =>
  tx.emit({
    event: { type: 'muted_users', muted_users: list(tx, userId) },
    audience: { users: [userId] },
  });
