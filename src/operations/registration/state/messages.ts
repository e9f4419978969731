import type { MessageRow } from '../../../../storage/tables/messages/messages.ts';
import {
  RECENT_DIRECT_MESSAGES_MAX,
  STARRED_MESSAGES_MAX,
} from '../../../domain/limits/messages.ts';
import { isWithin } from '../../../domain/rules/messages/read-state.ts';
import { EMPTY_TOPIC_DISPLAY_NAME } from '../../../domain/rules/messages/topic.ts';
import { FlagBit } from '../../../domain/wire/flags.ts';
import type { Reads } from '../../access/groups.ts';
import { flaggedIds } from '../../indexes/flag-reads.ts';
import { unreadMessages } from './unread.ts';
import type { State, View } from './view.ts';

/** Returns the fetch type `message`. */
export const messageState = ({ tx, user }: View): State => ({
  max_message_id: newestReceived(tx, user.id),
});

/** Returns the keys of the fetch types `message` and `update_message_flags` together. */
export function unreadState({ tx, user, capabilities }: View): State {
  const unread = unreadMessages(tx, user);
  if (capabilities.empty_topic_name) return { unread_msgs: unread };
  const streams = unread.streams.map((entry) =>
    entry.topic === '' ? { ...entry, topic: EMPTY_TOPIC_DISPLAY_NAME } : entry,
  );
  return { unread_msgs: { ...unread, streams } };
}

/** Returns the fetch type `starred_messages`: the newest of them, ascending. */
export function starredState({ tx, user }: View): State {
  const newest = { isReverse: true, limit: STARRED_MESSAGES_MAX };
  return { starred_messages: flaggedIds(tx, user.id, FlagBit.starred, newest).reverse() };
}

/** Returns the fetch type `recent_private_conversations`, newest first. */
export function recentConversationsState({ tx, user }: View): State {
  const recent = [...newestByConversation(tx, user.id)]
    .sort((one, other) => other.messageId - one.messageId)
    .slice(0, RECENT_DIRECT_MESSAGES_MAX)
    .map(({ recipientId, messageId }) => ({
      user_ids: (tx.conversations.get([recipientId])?.userIds ?? []).filter((id) => id !== user.id),
      max_message_id: messageId,
    }));
  return { recent_private_conversations: recent };
}

/** Returns the newest message that the user received, -1 for none. */
export const newestReceived = (tx: Reads, userId: number): number =>
  Math.max(newestOfMember(tx, userId), newestDelivered(tx, userId));

/** Returns the newest message that a bot received without a subscription, -1 for none. */
const newestDelivered = (tx: Reads, userId: number): number =>
  flaggedIds(tx, userId, FlagBit.delivered, NEWEST)[0] ?? -1;

/** Returns the newest message of the channels and conversations that the user was in. */
function newestOfMember(tx: Reads, userId: number): number {
  const channelIds = Array.from(tx.userChannels.keysUnder([userId]), ([, channelId]) => channelId);
  // A user in many channels has mostly received one of the last messages, and reading those costs
  // less than reading all channels.
  for (const [, row] of tx.messages.range({ isReverse: true, limit: channelIds.length })) {
    if (cameTo(tx, userId, row)) return row.id;
  }
  let newest = -1;
  for (const channelId of channelIds) {
    newest = Math.max(newest, newestInChannel(tx, channelId, userId));
  }
  for (const { messageId } of newestByConversation(tx, userId)) {
    newest = Math.max(newest, messageId);
  }
  return newest;
}

/** Tests whether the user received a message, even if it was moved since. */
function cameTo(tx: Reads, userId: number, row: MessageRow): boolean {
  const { id, channelId, homeChannelId, recipientId } = row;
  if (channelId === null) return tx.userConversations.has([userId, recipientId]);
  const subscription = tx.subscriptions.get([homeChannelId ?? channelId, userId]);
  return subscription !== undefined && isWithin(subscription.received, id);
}

/** Reads the periods of subscription from the last one back, until one of them has a message. */
function newestInChannel(tx: Reads, channelId: number, userId: number): number {
  const isSentHere = (messageId: number) => !tx.movedInMessages.has([channelId, messageId]);
  const received = tx.subscriptions.get([channelId, userId])?.received ?? [];
  for (let index = received.length - 2; index >= 0; index -= 2) {
    const first = received[index] ?? 0;
    const last = received[index + 1] ?? Number.MAX_SAFE_INTEGER - 1;
    const within = { start: [channelId, first], end: [channelId, last + 1] };
    const newest = Math.max(
      ...newestOf(tx.channelMessages.keys({ ...within, isReverse: true }), isSentHere),
      ...newestOf(tx.movedOutMessages.keys({ ...within, isReverse: true }), () => true),
    );
    if (newest > 0) return newest;
  }
  return -1;
}

/** Yields the first id that passes the test, if there is one. */
function* newestOf(keys: Iterable<readonly [number, number]>, isMeant: (id: number) => boolean) {
  for (const [, messageId] of keys) {
    if (!isMeant(messageId)) continue;
    yield messageId;
    return;
  }
}

function* newestByConversation(tx: Reads, userId: number) {
  for (const [, recipientId] of tx.userConversations.keysUnder([userId])) {
    for (const [, messageId] of tx.directMessages.keysUnder([recipientId], NEWEST)) {
      yield { recipientId, messageId };
    }
  }
}

const NEWEST = { isReverse: true, limit: 1 };
