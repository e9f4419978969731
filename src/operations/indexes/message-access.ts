import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { SubscriptionRow } from '../../../storage/tables/channels/subscriptions.ts';
import type { MovedOutMessageRow } from '../../../storage/tables/messages/edits.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  EVERYTHING,
  type Intervals,
  isUnreadIn,
  isWithin,
  NOTHING,
  type ReadState,
} from '../../domain/rules/messages/read-state.ts';
import * as errors from '../../domain/wire/errors.ts';
import { FlagBit } from '../../domain/wire/flags.ts';
import { hasContentAccess } from '../access/channel-access.ts';
import type { Reads } from '../access/groups.ts';
import { bitsOf, ownBitsOf } from './flag-reads.ts';

/** The fields of a message that decide who has it and where. */
export type LocatedMessage = Pick<
  MessageRow,
  'id' | 'channelId' | 'recipientId' | 'homeChannelId' | 'arrivedAt'
>;

/**
 * The prefix in `flagged_messages` for messages with a channel wildcard, once for all users: they
 * mention every recipient, so there is no row per user. No user has this id.
 */
export const WILDCARD_INDEX = [0, FlagBit.stream_wildcard_mentioned] as const;

/** Lists a message that mentions every recipient. */
export function noteWildcard(tx: RealmTransaction, row: MessageRow) {
  if (row.hasChannelWildcard) tx.flaggedMessages.put([...WILDCARD_INDEX, row.id], {});
}

/** Removes it from the list. */
export function forgetWildcard(tx: RealmTransaction, row: MessageRow) {
  if (row.hasChannelWildcard) tx.flaggedMessages.remove([...WILDCARD_INDEX, row.id]);
}

/**
 * Returns which messages of the channel or conversation the user received, and up to which id they
 * are read. A moved message is unread only for users who were in each of its channels when it
 * arrived there: the others have nothing to read.
 */
export const readStateOf = (tx: Reads, userId: number, message: LocatedMessage): ReadState =>
  afterMoves(tx, userId, message, homeStateOf(tx, userId, message));

function afterMoves(
  tx: Reads,
  userId: number,
  message: LocatedMessage,
  state: ReadState,
): ReadState {
  if (message.homeChannelId === null) return state;
  const movedOut = tx.movedOutMessages.get([message.homeChannelId, message.id]);
  if (movedOut === undefined || !cameAlong(tx, userId, movedOut)) return NEVER_HERE;
  return movedOut.isQuiet ? { ...state, readThrough: Number.POSITIVE_INFINITY } : state;
}

/** Does the same for the place to which the message was sent. */
function homeStateOf(tx: Reads, userId: number, message: LocatedMessage): ReadState {
  const channelId = message.homeChannelId ?? message.channelId;
  if (channelId !== null) return tx.subscriptions.get([channelId, userId]) ?? NEVER_HERE;
  const conversation = tx.userConversations.get([userId, message.recipientId]);
  return conversation === undefined
    ? NEVER_HERE
    : { received: EVERYTHING, readThrough: conversation.readThrough };
}

const NEVER_HERE: ReadState = { received: NOTHING, readThrough: 0 };

/** Tests whether the user was in each channel that the message was moved to, at that time. */
function cameAlong(tx: Reads, userId: number, { moves }: MovedOutMessageRow): boolean {
  for (let index = 0; index < moves.length; index += 2) {
    const subscription = tx.subscriptions.get([moves[index] ?? 0, userId]);
    if (!isWithin(subscription?.received ?? NOTHING, moves[index + 1] ?? 0)) return false;
  }
  return true;
}

/** Tests whether the user received the message when it was sent. */
export const received = (tx: Reads, userId: number, message: LocatedMessage): boolean =>
  isWithin(homeStateOf(tx, userId, message).received, message.id) ||
  isDelivered(tx, userId, message.id);

/** Tests whether a user without a subscription received it. */
const isDelivered = (tx: Reads, userId: number, messageId: number): boolean =>
  (ownBitsOf(tx, userId, messageId) & FlagBit.delivered) !== 0;

/**
 * Returns the messages of a channel that the user may read, received or not, by when they arrived
 * there.
 */
export function readableIn(
  tx: Reads,
  user: UserRow,
  { channel, subscription }: { channel: ChannelRow; subscription: SubscriptionRow | undefined },
): Intervals {
  if (!hasContentAccess(tx, { user, channel, subscription })) return NOTHING;
  if (channel.hasSharedHistory) return EVERYTHING;
  return subscription?.isActive ? subscription.received : NOTHING;
}

export function canRead(tx: Reads, user: UserRow, row: LocatedMessage): boolean {
  if (row.channelId === null) return tx.userConversations.has([user.id, row.recipientId]);
  const channel = tx.channels.get([row.channelId]);
  if (channel === undefined) return false;
  const subscription = tx.subscriptions.get([row.channelId, user.id]);
  return isReadableIn(readableIn(tx, user, { channel, subscription }), row);
}

/** Tests whether a message of a channel is among those that a user may read there. */
export const isReadableIn = (readable: Intervals, { id, arrivedAt }: LocatedMessage): boolean =>
  isWithin(readable, arrivedAt ?? id);

/** Returns a message that the user may read; refuses a missing one and one of others alike. */
export function readable(tx: Reads, user: UserRow, messageId: number): MessageRow {
  const row = tx.messages.get([messageId]);
  if (row === undefined || !canRead(tx, user, row)) throw errors.invalidMessage();
  return row;
}

/** Returns the flags of a message for a user, as bits: stored ones and derived ones. */
export function flagsOf(tx: Reads, userId: number, row: MessageRow): number {
  const stored = bitsOf(tx, userId, row.id);
  const own = stored & ~(FlagBit.read | FlagBit.unread);
  const state = homeStateOf(tx, userId, row);
  const isReceived = isWithin(state.received, row.id) || (stored & FlagBit.delivered) !== 0;
  if (!isReceived) return own | FlagBit.read | FlagBit.historical;
  const isUnread = isUnreadIn(afterMoves(tx, userId, row, state), row.id, stored);
  return (
    own |
    (isUnread ? 0 : FlagBit.read) |
    (row.hasChannelWildcard ? FlagBit.stream_wildcard_mentioned : 0)
  );
}
