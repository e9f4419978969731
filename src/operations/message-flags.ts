import type { RealmTransaction } from '../../storage/realm-store.ts';
import type { MessageRow } from '../../storage/tables/messages.ts';
import type { EventFlags } from '../domain/event-flags.ts';
import { FlagBit, flagNames, INDEXED_FLAG_BITS } from '../domain/flags.ts';
import type { RenderedContent } from '../domain/markdown.ts';
import * as alertWords from './alert-words.ts';
import { membersOf } from './groups.ts';
import * as topicParticipants from './topic-participants.ts';

/** Sets the flag bits of one user and message, with the rows that list them. No bits, no row. */
export function setFlags(tx: RealmTransaction, userId: number, messageId: number, bits: number) {
  const before = tx.messageFlags.get([userId, messageId])?.bits ?? 0;
  if (bits !== before) writeFlags(tx, { userId, messageId, before, bits });
}

interface Flags {
  readonly userId: number;
  readonly messageId: number;
  readonly before: number;
  readonly bits: number;
}

function writeFlags(tx: RealmTransaction, { userId, messageId, before, bits }: Flags) {
  if (bits === 0) {
    tx.messageFlags.remove([userId, messageId]);
    tx.flagHolders.remove([messageId, userId]);
  } else {
    tx.messageFlags.put([userId, messageId], { bits });
    if (before === 0) tx.flagHolders.put([messageId, userId], {});
  }
  for (const bit of INDEXED_FLAG_BITS) {
    if ((bits & bit) === (before & bit)) continue;
    if (bits & bit) tx.flaggedMessages.put([userId, bit, messageId], {});
    else tx.flaggedMessages.remove([userId, bit, messageId]);
  }
}

interface Flagging {
  readonly row: MessageRow;
  readonly rendered: RenderedContent;
  /** Whether this user receives the message. */
  readonly receives: (userId: number) => boolean;
  readonly readBy: readonly number[];
}

/** The flags of the few recipients for whom they are not everybody's (reference/events-and-register.md 3.2). */
export function ownBits(
  tx: RealmTransaction,
  { row, rendered, receives, readBy }: Flagging,
): Map<number, number> {
  const bits = new Map<number, number>();
  const add = (userIds: Iterable<number>, bit: number) => {
    for (const userId of userIds) {
      const before = bits.get(userId);
      if (before !== undefined || receives(userId)) {
        bits.set(userId, (before ?? 0) | bit);
      }
    }
  };
  add(rendered.mentionedUserIds, FlagBit.mentioned);
  for (const groupId of rendered.mentionedGroupIds) add(membersOf(tx, groupId), FlagBit.mentioned);
  if (rendered.hasTopicWildcard && row.channelId !== null) {
    const participants = topicParticipants.idsOf(tx, { ...row, channelId: row.channelId });
    add(participants, FlagBit.topic_wildcard_mentioned);
  }
  add(alertWords.usersWaitingFor(tx, rendered.html), FlagBit.has_alert_word);
  add(readBy, FlagBit.read);
  return bits;
}

/** Writes the rows of flags of a message that is being sent. Gives what queues are told of them. */
export function write(
  tx: RealmTransaction,
  row: MessageRow,
  bits: ReadonlyMap<number, number>,
): EventFlags {
  const shared = row.hasChannelWildcard ? FlagBit.stream_wildcard_mentioned : 0;
  const alike = new Map<number, number[]>();
  for (const [userId, own] of bits) {
    writeFlags(tx, { userId, messageId: row.id, before: 0, bits: own });
    // What is in a channel without a subscription counts as read.
    const isRead = (own & FlagBit.delivered) !== 0 ? FlagBit.read : 0;
    const told = own | isRead | shared;
    const known = alike.get(told);
    if (known === undefined) alike.set(told, [userId]);
    else known.push(userId);
  }
  return {
    shared: flagNames(shared),
    own: Array.from(alike, ([told, userIds]) => ({ flags: flagNames(told), userIds })),
  };
}

/** A message that begins as read for all but these: a row for each of them, and none for the others. */
export function writeUnread(
  tx: RealmTransaction,
  row: MessageRow,
  unreadBy: readonly number[],
): EventFlags {
  for (const userId of unreadBy) setFlags(tx, userId, row.id, FlagBit.unread);
  return { shared: flagNames(FlagBit.read), own: [{ flags: [], userIds: unreadBy }] };
}
