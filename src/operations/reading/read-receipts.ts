import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import { ascending } from '../../domain/ascending.ts';
import { isUnreadIn, isWithin } from '../../domain/rules/messages/read-state.ts';
import * as errors from '../../domain/wire/errors.ts';
import { USER_SETTINGS } from '../../domain/wire/settings/user-settings.ts';
import { type Reads, realmSetting } from '../access/groups.ts';
import { visibilityTo } from '../access/user-visibility.ts';
import { bitsByHolder } from '../indexes/flag-reads.ts';
import { canRead, readable, readStateOf } from '../indexes/message-access.ts';

/**
 * Returns the users who have read a message and share that, ascending (reference/endpoints.md 2.1).
 * Refuses if the organization has disabled read receipts.
 */
export function readersOf(tx: Reads, user: UserRow, messageId: number): number[] {
  const row = readable(tx, user, messageId);
  if (!realmSetting(tx, 'enable_read_receipts')) {
    throw errors.badRequest('Read receipts are disabled in this organization.');
  }
  const sees = visibilityTo(tx, user);
  const hidden = new Set([row.senderId, ...mutedOrMuting(tx, user.id)]);
  return withCopies(tx, row)
    .filter((userId) => {
      if (hidden.has(userId)) return false;
      const reader = tx.users.get([userId]);
      return reader !== undefined && isShown(reader) && sees(reader);
    })
    .sort(ascending);
}

function* mutedOrMuting(tx: Reads, userId: number): Iterable<number> {
  for (const [, mutedId] of tx.mutedUsers.keysUnder([userId])) yield mutedId;
  for (const [, muterId] of tx.muters.keysUnder([userId])) yield muterId;
}

const isShown = ({ isActive, settings }: UserRow) =>
  isActive && (settings.send_read_receipts ?? USER_SETTINGS.send_read_receipts.default) === true;

/** Returns the users who received the message or have a copy of it, and have read it. */
function withCopies(tx: Reads, row: MessageRow): number[] {
  // Most readers have no row of flags: to look for one for each would be most of the work.
  const flagged = bitsByHolder(tx, row.id);
  const hasRead = (userId: number): boolean => {
    const bits = flagged.get(userId) ?? 0;
    const state = readStateOf(tx, userId, row);
    if (isWithin(state.received, row.id)) return !isUnreadIn(state, row.id, bits);
    // A message that a user never received counts as read as soon as they have marked it.
    const reader = tx.users.get([userId]);
    return bits !== 0 && reader !== undefined && canRead(tx, reader, row);
  };
  return [...new Set([...recipients(tx, row), ...flagged.keys()])].filter(hasRead);
}

/** Yields the users who are or were at the place to which the message was sent. */
function* recipients(tx: Reads, row: MessageRow): Iterable<number> {
  const channelId = row.homeChannelId ?? row.channelId;
  if (channelId === null) yield* tx.conversations.get([row.recipientId])?.userIds ?? [];
  else for (const [, userId] of tx.subscriptions.keysUnder([channelId])) yield userId;
}
