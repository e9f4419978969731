import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { DELETION_MS_MAX, MESSAGES_PER_DELETION } from '../../domain/limits/messages.ts';
import { normalizeTopic, topicKey } from '../../domain/rules/messages/topic.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Audience } from '../../domain/wire/events/log-entry.ts';
import type { Caller } from '../access/caller.ts';
import { hasContentAccess, isSubscribed } from '../access/channel-access.ts';
import { may, mayInChannel, type Reads, realmSetting } from '../access/groups.ts';
import * as attachmentLinks from '../files/attachment-links.ts';
import * as channelActivity from '../indexes/channel-activity.ts';
import * as channelMessages from '../indexes/channel-messages.ts';
import * as contentIndex from '../indexes/content-index.ts';
import { forgetWildcard, isReadableIn, readable, readableIn } from '../indexes/message-access.ts';
import { audiencesOf, unstarUnseen } from '../indexes/message-audience.ts';
import { removeFlags } from '../indexes/message-flags.ts';
import * as conversations from '../posting/conversations.ts';
import * as pushes from '../posting/pushes.ts';
import * as submessages from '../posting/submessages.ts';
import * as senderLists from '../search/sender-lists.ts';
import * as reactions from './reactions.ts';

/** Deletes one message (reference/endpoints.md 2.1). */
export function remove(tx: RealmTransaction, { user }: Caller, messageId: number) {
  const row = readable(tx, user, messageId);
  refuseDeleting(tx, user, row);
  erase(tx, [row], user);
}

export interface TopicDeletion {
  readonly channelId: number;
  readonly topic: string;
  /** The time (UNIX milliseconds) after which no further step runs; null before the first step. */
  readonly deadline: number | null;
}

export interface DeletionStep {
  readonly deadline: number;
  /** Null while messages may be left; the caller then asks for another step. */
  readonly isComplete: boolean | null;
}

/**
 * Deletes the newest messages of a topic that the caller may read, as many as one commit should
 * hold (specification, "POST /streams/{stream_id}/delete_topic"). It is called again until it says
 * whether all of them are gone.
 */
export function removeTopicStep(
  tx: RealmTransaction,
  { user }: Caller,
  { channelId, topic, deadline: given }: TopicDeletion,
): DeletionStep {
  const deadline = given ?? tx.now + DELETION_MS_MAX;
  const channel = tx.channels.get([channelId]);
  const subscription = tx.subscriptions.get([channelId, user.id]);
  if (channel === undefined || !hasContentAccess(tx, { user, channel, subscription })) {
    throw errors.invalidChannelId();
  }
  if (tx.now >= deadline) return { deadline, isComplete: false };
  const rows = newestReadable(tx, user, channel, topicKey(normalizeTopic(topic)));
  erase(tx, rows.toReversed(), user);
  return { deadline, isComplete: rows.length < MESSAGES_PER_DELETION ? true : null };
}

/**
 * Removes messages of one channel or conversation, given in ascending order, with all that belongs
 * to them. Sends events to those who saw them, and always to the acting user.
 */
export function erase(tx: RealmTransaction, rows: readonly MessageRow[], actor?: UserRow) {
  const [first] = rows;
  if (first === undefined) return;
  const seen = audiencesOf(tx, rows);
  unstarUnseen(tx, rows);
  for (const row of rows) eraseOne(tx, row);
  const { channelId } = first;
  if (channelId !== null) {
    for (const { topic, rows: gone } of byTopic(rows)) {
      channelMessages.countTopic(tx, { channelId, topic }, -gone.length);
    }
    channelMessages.noteFirst(tx, channelId);
    channelActivity.noteGone(tx, channelId, rows);
  }
  for (const each of seen) {
    const audience = withActor(tx, each.audience, { actor, channelId });
    for (const { rows: gone } of byTopic(each.rows)) announceGone(tx, { audience, rows: gone });
  }
  attachmentLinks.release(tx, rows);
}

/** Groups messages by topic; direct messages are one group. */
function byTopic(rows: readonly MessageRow[]) {
  const topics = new Map<string, { readonly topic: string; readonly rows: MessageRow[] }>();
  for (const row of rows) {
    const key = topicKey(row.topic);
    const alike = topics.get(key);
    if (alike === undefined) topics.set(key, { topic: row.topic, rows: [row] });
    else alike.rows.push(row);
  }
  return topics.values();
}

/** Sends the deletion of messages of one topic or conversation, in both formats of the event. */
export function announceGone(
  tx: RealmTransaction,
  { audience, rows }: { audience: Audience; rows: readonly MessageRow[] },
) {
  const last = rows.at(-1);
  if (last === undefined) return;
  const place =
    last.channelId === null
      ? { message_type: 'private' as const }
      : { message_type: 'stream' as const, stream_id: last.channelId, topic: last.topic };
  const type = 'delete_message';
  tx.emit({
    event: { type, message_ids: rows.map(({ id }) => id), ...place },
    audience,
    queues: { has: 'bulk_message_deletion' },
  });
  for (const { id } of rows) {
    tx.emit({
      event: { type, message_id: id, ...place },
      audience,
      queues: { lacks: 'bulk_message_deletion' },
    });
  }
}

/**
 * Refuses a deletion that the settings do not permit: "Realm `can_delete_any_message_group` or
 * channel `can_delete_any_message_group`; own messages (or own bots'): realm or channel
 * `can_delete_own_message_group` and within `message_content_delete_limit_seconds`."
 */
function refuseDeleting(tx: RealmTransaction, user: UserRow, row: MessageRow) {
  const channel = row.channelId === null ? undefined : tx.channels.get([row.channelId]);
  const isAllowed = (name: 'can_delete_any_message_group' | 'can_delete_own_message_group') =>
    may(tx, user, name) || (channel !== undefined && mayInChannel(tx, user, { channel, name }));
  if (isAllowed('can_delete_any_message_group')) return;
  const sender = tx.users.get([row.senderId]);
  const isOwn = row.senderId === user.id || sender?.botOwnerId === user.id;
  if (!isOwn || !isAllowed('can_delete_own_message_group')) {
    throw errors.badRequest("You don't have permission to delete this message");
  }
  const limit = realmSetting(tx, 'message_content_delete_limit_seconds');
  if (limit !== null && tx.now > (row.sentAt + limit) * 1000) {
    throw errors.badRequest('The time limit for deleting this message has passed');
  }
}

/** Returns the newest messages of a topic that the user may read, newest first. */
function newestReadable(
  tx: Reads,
  user: UserRow,
  channel: ChannelRow,
  key: string,
): readonly MessageRow[] {
  const subscription = tx.subscriptions.get([channel.id, user.id]);
  const mine = readableIn(tx, user, { channel, subscription });
  const rows: MessageRow[] = [];
  for (const [, , id] of tx.topicMessages.keysUnder([channel.id, key], { isReverse: true })) {
    const row = tx.messages.get([id]);
    if (row !== undefined && isReadableIn(mine, row)) rows.push(row);
    if (rows.length >= MESSAGES_PER_DELETION) break;
  }
  return rows;
}

function eraseOne(tx: RealmTransaction, row: MessageRow) {
  const { id } = row;
  removeFlags(tx, id);
  channelMessages.leave(tx, row);
  reactions.removeAll(tx, id);
  submessages.removeAll(tx, row);
  pushes.withdrawFromAll(tx, id);
  for (const key of [...tx.messageEdits.keysUnder([id])]) tx.messageEdits.remove(key);
  forgetWildcard(tx, row);
  contentIndex.leave(tx, row);
  if (row.channelId === null) conversations.leave(tx, row);
  else tx.movedInMessages.remove([row.channelId, id]);
  if (row.homeChannelId !== null) tx.movedOutMessages.remove([row.homeChannelId, id]);
  senderLists.leave(tx, row);
  tx.messages.remove([id]);
}

/** Adds the acting user to an audience ("plus the acting user always"). */
function withActor(
  tx: Reads,
  audience: Audience,
  { actor, channelId }: { actor: UserRow | undefined; channelId: number | null },
): Audience {
  if (actor === undefined || audience.users?.includes(actor.id)) return audience;
  const isThere = audience.channelId !== undefined && isSubscribed(tx, actor.id, channelId ?? 0);
  return isThere ? audience : { ...audience, users: [...(audience.users ?? []), actor.id] };
}
