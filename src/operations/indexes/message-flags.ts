import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { ascending, inOrder, isIn } from '../../domain/ascending.ts';
import { MENTION_SET_SIZE_MIN } from '../../domain/limits/messages.ts';
import type { EventFlags, OwnFlags } from '../../domain/wire/events/event-flags.ts';
import { FlagBit, flagNames, INDEXED_FLAG_BITS } from '../../domain/wire/flags.ts';
import type { RenderedContent } from '../../markdown/markdown.ts';
import { membersOf } from '../access/groups.ts';
import * as alertWords from './alert-words.ts';
import { ownBitsOf, ownHolders } from './flag-reads.ts';
import { reachOf } from './group-reach.ts';
import * as mentionSets from './mention-sets.ts';
import * as topicParticipants from './topic-participants.ts';

/**
 * Stores the bits of one user's own for a message, with the rows that list them; without bits there
 * is no row.
 */
export function setFlags(tx: RealmTransaction, userId: number, messageId: number, bits: number) {
  const before = ownBitsOf(tx, userId, messageId);
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
  /** Tests whether this user receives the message. */
  readonly receives: (userId: number) => boolean;
  readonly readBy: readonly number[];
}

/**
 * The flags of the few recipients whose flags differ from the shared ones
 * (reference/events-and-register.md 3.2).
 */
export interface OwnBits {
  readonly bits: Map<number, number>;
  /** The users whom groups mention besides. */
  readonly mentionSets: readonly mentionSets.Mention[];
}

/** Returns the flags of a message that is being sent. */
export function bitsOfNew(tx: RealmTransaction, flagging: Flagging): OwnBits {
  const { channelId } = flagging.row;
  const mentions: mentionSets.Mention[] = [];
  const few: (readonly number[])[] = [];
  for (const groupId of flagging.rendered.mentionedGroupIds) {
    const userIds =
      channelId === null ? membersOf(tx, groupId) : reachOf(tx, { groupId, channelId });
    if (channelId === null || userIds.length < MENTION_SET_SIZE_MIN) few.push(userIds);
    else mentions.push({ groupId, channelId, userIds });
  }
  return { bits: bitsOfSingle(tx, flagging, few.flat()), mentionSets: mentions };
}

/** Returns the flags of a message that is edited: each mentioned user has bits of their own. */
export const bitsByUser = (tx: RealmTransaction, flagging: Flagging): Map<number, number> =>
  bitsOfSingle(
    tx,
    flagging,
    flagging.rendered.mentionedGroupIds.flatMap((groupId) => membersOf(tx, groupId)),
  );

function bitsOfSingle(
  tx: RealmTransaction,
  { row, rendered, receives, readBy }: Flagging,
  byGroups: readonly number[],
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
  add(byGroups, FlagBit.mentioned);
  if (rendered.hasTopicWildcard && row.channelId !== null) {
    const participants = topicParticipants.idsOf(tx, { ...row, channelId: row.channelId });
    add(participants, FlagBit.topic_wildcard_mentioned);
  }
  add(alertWords.usersWaitingFor(tx, rendered.html), FlagBit.has_alert_word);
  add(readBy, FlagBit.read);
  return bits;
}

/** Writes the rows of flags of a message that is being sent. Returns the flags for its event. */
export function write(
  tx: RealmTransaction,
  row: MessageRow,
  { bits, mentionSets: mentions }: OwnBits,
): EventFlags {
  const shared = row.hasChannelWildcard ? FlagBit.stream_wildcard_mentioned : 0;
  const alike = new Map<number, number[]>();
  for (const [userId, own] of bits) {
    writeFlags(tx, { userId, messageId: row.id, before: 0, bits: own });
    // A message in a channel without a subscription counts as read.
    const isRead = (own & FlagBit.delivered) !== 0 ? FlagBit.read : 0;
    const isInSet = mentions.some(({ userIds }) => isIn(userIds, userId));
    const flags = own | isRead | shared | (isInSet ? FlagBit.mentioned : 0);
    const known = alike.get(flags);
    if (known === undefined) alike.set(flags, [userId]);
    else known.push(userId);
  }
  const own: OwnFlags[] = Array.from(alike, ([flags, userIds]) => ({
    flags: flagNames(flags),
    userIds: userIds.sort(ascending),
  }));
  const named = new Set(bits.keys());
  mentionSets.mention(tx, row.id, mentions);
  for (const mention of mentions) {
    const userIds = without(mention.userIds, named);
    if (userIds.length > 0) own.push({ flags: flagNames(FlagBit.mentioned | shared), userIds });
    if (mentions.length > 1) for (const userId of userIds) named.add(userId);
  }
  return { shared: flagNames(shared), own };
}

/** Returns mostly the list itself, which messages that mention the same users then share. */
const without = (userIds: readonly number[], others: ReadonlySet<number>) =>
  userIds.some((id) => others.has(id)) ? userIds.filter((id) => !others.has(id)) : userIds;

/** Writes a message that begins as read except for these users: one row for each of them. */
export function writeUnread(
  tx: RealmTransaction,
  row: MessageRow,
  unreadBy: readonly number[],
): EventFlags {
  for (const userId of unreadBy) setFlags(tx, userId, row.id, FlagBit.unread);
  return { shared: flagNames(FlagBit.read), own: [{ flags: [], userIds: inOrder(unreadBy) }] };
}

/**
 * Replaces the mention sets of a message by bits of each user, which can then change for one of
 * them.
 */
export function splitMentionSets(tx: RealmTransaction, messageId: number) {
  for (const userIds of mentionSets.peopleOf(tx, messageId)) {
    for (const userId of userIds) {
      setFlags(tx, userId, messageId, ownBitsOf(tx, userId, messageId) | FlagBit.mentioned);
    }
  }
  mentionSets.forget(tx, messageId);
}

/** Removes the flags of these users for the message. */
export function dropFlags(tx: RealmTransaction, messageId: number, users: ReadonlySet<number>) {
  const isOfSet = mentionSets
    .peopleOf(tx, messageId)
    .some((ids) => ids.some((id) => users.has(id)));
  if (isOfSet) splitMentionSets(tx, messageId);
  for (const userId of ownHolders(tx, messageId)) {
    if (users.has(userId)) setFlags(tx, userId, messageId, 0);
  }
}

/** Removes all flags of the message. */
export function removeFlags(tx: RealmTransaction, messageId: number) {
  mentionSets.forget(tx, messageId);
  for (const userId of ownHolders(tx, messageId)) setFlags(tx, userId, messageId, 0);
}
