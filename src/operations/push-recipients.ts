import type { RealmReader, RealmTransaction } from '../../storage/realm-store.ts';
import type { MessageRow } from '../../storage/tables/messages.ts';
import { ALL_CHANNELS } from '../../storage/tables/push-listeners.ts';
import type { PushWorkRow } from '../../storage/tables/push-work.ts';
import { FlagBit } from '../domain/flags.ts';
import {
  PUSH_RECIPIENTS_PER_STEP,
  PUSH_USER_IDS_PER_STEP,
  PUSH_WORK_PER_STEP,
} from '../domain/limits.ts';
import { pushTrigger } from '../domain/pushes.ts';
import { topicKey } from '../domain/topic.ts';
import { isMember } from './groups.ts';
import { type IdSet, indexed, intersection, listed, union, within } from './id-walks.ts';
import { canRead } from './message-access.ts';
import * as presences from './presences.ts';
import * as pushCalls from './push-calls.ts';
import * as pushLetters from './push-letters.ts';
import * as pushedMessages from './pushed-messages.ts';
import { isUnread } from './unread.ts';
import * as userTopics from './user-topics.ts';

type WorkKey = [dueAt: number, workId: number];
type MessageWork = Extract<PushWorkRow, { type: 'message' }>;
type GoneWork = Extract<PushWorkRow, { type: 'gone' }>;

/** When recipients are to be looked for (UNIX milliseconds). */
export function nextAt(reader: Pick<RealmReader, 'pushWork'>): number | undefined {
  for (const [dueAt] of reader.pushWork.keys({ limit: 1 })) return dueAt;
  return undefined;
}

export const due = (reader: Pick<RealmReader, 'pushWork'>, now: number): WorkKey[] =>
  Array.from(reader.pushWork.keys({ end: [now + 1], limit: PUSH_WORK_PER_STEP }));

/**
 * Finds the next of those whose devices are to be told of a message, and posts the letters to them. What it found and where
 * it goes on are one commit, so nobody is told twice or left out, whenever the process dies.
 */
export function step(tx: RealmTransaction, key: WorkKey) {
  const row = tx.pushWork.get(key);
  if (row === undefined) return;
  tx.pushWork.remove(key);
  const { work } = row;
  const next = work.type === 'message' ? tell(tx, work) : takeBack(tx, work);
  if (next !== undefined) pushCalls.add(tx, { ...work, fromUserId: next });
}

/** Posts the letters of one step. Gives where the next one begins, if there is one. */
function tell(tx: RealmTransaction, work: MessageWork): number | undefined {
  const message = tx.messages.get([work.messageId]);
  if (message === undefined) return undefined;
  const { fromUserId } = work;
  const recipients: pushLetters.PushRecipient[] = [];
  const last = fromUserId + PUSH_USER_IDS_PER_STEP - 1;
  const walk = candidates(tx, message, { work, last })(1);
  let userId = walk.seek(fromUserId);
  for (let seen = 0; userId !== undefined && seen < PUSH_RECIPIENTS_PER_STEP; seen++) {
    if (isWanted(tx, userId, message) && pushedMessages.note(tx, userId, message.id)) {
      recipients.push({ userId, groupId: groupOf(tx, userId, { message, work }) });
    }
    userId = walk.seek(userId + 1);
  }
  pushLetters.postMessage(tx, { messageId: message.id, recipients });
  return userId ?? (last < tx.lastId('user') ? last + 1 : undefined);
}

/**
 * Those with devices for whom the message may be more than one of many. Each set is an index in the order of user ids, so
 * the smallest one decides what it takes to find what they have in common.
 */
function candidates(
  tx: RealmTransaction,
  message: MessageRow,
  { work, last }: { work: MessageWork; last: number },
): IdSet {
  const { userIds, fromUserId } = work;
  const holders = within(indexed(tx.pushHolders, [], { from: fromUserId }), [fromUserId, last]);
  const others = userIds === null ? concerned(tx, message, fromUserId) : listed(userIds);
  return intersection([holders, others]);
}

function concerned(tx: RealmTransaction, message: MessageRow, from: number): IdSet {
  const { id, channelId, recipientId, topic } = message;
  if (channelId === null) return listed(tx.conversations.get([recipientId])?.userIds ?? []);
  const subscribers = indexed(tx.subscriptions, [channelId], { from });
  if (message.hasChannelWildcard) return subscribers;
  return union([
    // The mentioned are among those with flags.
    indexed(tx.flagHolders, [id], { from }),
    indexed(tx.topicUsers, [channelId, topicKey(topic)], { from }),
    indexed(tx.pushListeners, [channelId], { from }),
    intersection([indexed(tx.pushListeners, [ALL_CHANNELS], { from }), subscribers]),
  ]);
}

function isWanted(tx: RealmTransaction, userId: number, message: MessageRow): boolean {
  const user = tx.users.get([userId]);
  if (user === undefined) return false;
  const { id, channelId, topic } = message;
  const bits = tx.messageFlags.get([userId, id])?.bits ?? 0;
  const subscription = channelId === null ? undefined : tx.subscriptions.get([channelId, userId]);
  const trigger = pushTrigger({
    user,
    isSender: userId === message.senderId,
    isUnread: isUnread(tx, userId, message),
    isPresent: presences.isPresent(tx, user, tx.now),
    isDirect: channelId === null,
    isMentioned: (bits & FlagBit.mentioned) !== 0,
    hasTopicWildcard: (bits & FlagBit.topic_wildcard_mentioned) !== 0,
    hasChannelWildcard: message.hasChannelWildcard,
    topicPolicy: channelId === null ? 0 : userTopics.policyOf(tx, userId, { channelId, topic }),
    isChannelMuted: subscription?.isMuted ?? false,
    channelPushes: subscription?.pushNotifications ?? null,
    channelWildcards: subscription?.wildcardMentionsNotify ?? null,
  });
  return trigger !== null;
}

/** The group through which somebody is mentioned who is not mentioned by name. */
function groupOf(
  tx: RealmTransaction,
  userId: number,
  { message, work }: { message: MessageRow; work: MessageWork },
): number | null {
  const bits = tx.messageFlags.get([userId, message.id])?.bits ?? 0;
  const user = tx.users.get([userId]);
  if ((bits & FlagBit.mentioned) === 0 || work.mentionedUserIds.includes(userId)) return null;
  if (user === undefined) return null;
  return work.mentionedGroupIds.find((groupId) => isMember(tx, user, groupId)) ?? null;
}

/** Takes a message off the devices of some of those who were told of it. Gives where the next step begins. */
function takeBack(tx: RealmTransaction, work: GoneWork): number | undefined {
  const { messageId, fromUserId } = work;
  const message = work.isOutOfSight ? tx.messages.get([messageId]) : undefined;
  const range = { start: [messageId, fromUserId], end: [messageId + 1] };
  const keys = [...tx.pushedUsers.keys({ ...range, limit: PUSH_RECIPIENTS_PER_STEP })];
  const removals: pushLetters.PushRemoval[] = [];
  for (const [, userId] of keys) {
    const user = tx.users.get([userId]);
    if (message !== undefined && user !== undefined && canRead(tx, user, message)) continue;
    pushedMessages.forget(tx, userId, messageId);
    removals.push({ userId, messageIds: [messageId] });
  }
  pushLetters.postRemovals(tx, removals);
  const [, lastUserId = 0] = keys.at(-1) ?? [];
  return keys.length < PUSH_RECIPIENTS_PER_STEP ? undefined : lastUserId + 1;
}
