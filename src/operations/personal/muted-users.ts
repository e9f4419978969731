import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { MUTED_USERS_PER_USER_MAX, UNREAD_MESSAGES_MAX } from '../../domain/limits.ts';
import { EVERYTHING } from '../../domain/rules/messages/read-state.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Reads } from '../access/groups.ts';
import * as userAccess from '../access/user-access.ts';
import { AFTER_LAST_ID, indexed, intersection } from '../indexes/id-walks.ts';
import type { LocatedMessage } from '../indexes/message-access.ts';
import { maybeUnread, type Read } from '../indexes/read-walks.ts';
import { isUnread, markRead } from '../reading/unread.ts';

/** What one user has said is read, and what is said from now on begins as read (docs/decisions/0070). */
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

/** What was said in the meantime stays read. */
export function unmute(tx: RealmTransaction, viewer: userAccess.Viewer, mutedId: number) {
  const { user } = viewer;
  // Somebody who is muted may have gone out of sight since.
  if (!tx.mutedUsers.has([user.id, mutedId])) {
    userAccess.find(tx, viewer, mutedId);
    throw errors.badRequest('User is not muted');
  }
  tx.mutedUsers.remove([user.id, mutedId]);
  tx.muters.remove([mutedId, user.id]);
  announce(tx, user.id);
}

/** Whom a user has muted, as a snapshot and each event tell it. */
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

/** "Muting first marks that user's messages read": the newest, as many as a client may have been told of. */
function readAllOf(tx: RealmTransaction, user: UserRow, senderId: number) {
  const walk = intersection([
    indexed(tx.senderMessages, [senderId]),
    maybeUnread(tx, user.id, placesOf(tx, user.id)),
  ])(-1);
  const unread: LocatedMessage[] = [];
  let id = walk.seek(AFTER_LAST_ID);
  while (id !== undefined && unread.length < UNREAD_MESSAGES_MAX) {
    const row = tx.messages.get([id]);
    if (row !== undefined && isUnread(tx, user.id, row)) unread.push(row);
    id = walk.seek(id - 1);
  }
  const messages = markRead(tx, user.id, unread.reverse());
  if (messages.length === 0) return;
  const read = { flag: 'read', messages, all: false } as const;
  tx.emit({
    event: { type: 'update_message_flags', op: 'add', operation: 'add', ...read },
    audience: { users: [user.id] },
  });
}

/** Wherever something may be unread. */
function placesOf(tx: Reads, userId: number): Read[] {
  const places: Read[] = [];
  for (const [, channelId] of tx.userChannels.keysUnder([userId])) {
    const subscription = tx.subscriptions.get([channelId, userId]);
    if (subscription === undefined) continue;
    const { received, readThrough } = subscription;
    // A channel's messages are found by its own id.
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
