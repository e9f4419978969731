import type { RealmTransaction } from '../../storage/realm-store.ts';
import type { ChannelRow } from '../../storage/tables/channels.ts';
import type { UserRow } from '../../storage/tables/users.ts';
import { ascending } from '../domain/ascending.ts';
import * as errors from '../domain/errors.ts';
import { UNREAD_MESSAGES_MAX } from '../domain/limits.ts';
import { normalizeTopic, topicKey } from '../domain/topic.ts';
import { hasContentAccess } from './channel-access.ts';
import { readChannel } from './channel-reads.ts';
import { AFTER_LAST_ID, indexed, intersection } from './id-walks.ts';
import type { MessagePlace } from './message-access.ts';
import { maybeUnread } from './read-walks.ts';
import { isUnread, markRead } from './unread.ts';

/** Makes all messages of a channel read. */
export function markChannel(tx: RealmTransaction, user: UserRow, channelId: number) {
  const { id } = readableChannel(tx, user, channelId);
  const messages = readChannel(tx, user.id, id).sort(ascending);
  if (messages.length > 0) announceRead(tx, user, { messages, all: false });
}

/** Makes the messages of a topic read: the newest, as many as a client may have been told of. */
export function markTopic(
  tx: RealmTransaction,
  user: UserRow,
  { channelId, topic }: { channelId: number; topic: string },
) {
  const channel = readableChannel(tx, user, channelId);
  const key = topicKey(normalizeTopic(topic));
  if (!tx.topics.has([channel.id, key])) throw errors.noSuchTopic(topic);
  const messages = markRead(tx, user.id, unreadInTopic(tx, user, { channel, key }));
  if (messages.length > 0) announceRead(tx, user, { messages, all: false });
}

function unreadInTopic(
  tx: RealmTransaction,
  user: UserRow,
  { channel, key }: { channel: ChannelRow; key: string },
): MessagePlace[] {
  const subscription = tx.subscriptions.get([channel.id, user.id]);
  const { received = [], readThrough = 0 } = subscription ?? {};
  const { id: channelId, recipientId } = channel;
  const walk = intersection([
    indexed(tx.topicMessages, [channelId, key]),
    maybeUnread(tx, user.id, [{ channelId, recipientId, received, readThrough }]),
  ])(-1);
  const unread: MessagePlace[] = [];
  let id = walk.seek(AFTER_LAST_ID);
  while (id !== undefined && unread.length < UNREAD_MESSAGES_MAX) {
    const place = { id, channelId, recipientId, homeChannelId: null, arrivedAt: null };
    // Only what was moved has to be looked at for where it is read.
    const found = tx.arrivedMessages.has([channelId, id]) ? tx.messages.get([id]) : place;
    if (found !== undefined && isUnread(tx, user.id, found)) unread.push(found);
    id = walk.seek(id - 1);
  }
  return unread.reverse();
}

function readableChannel(tx: RealmTransaction, user: UserRow, channelId: number): ChannelRow {
  const channel = tx.channels.get([channelId]);
  const subscription = tx.subscriptions.get([channelId, user.id]);
  if (channel === undefined || !hasContentAccess(tx, { user, channel, subscription })) {
    throw errors.invalidChannelId();
  }
  return channel;
}

/** Tells the user that messages are read. */
export const announceRead = (
  tx: RealmTransaction,
  user: UserRow,
  read: { readonly messages: readonly number[]; readonly all: boolean },
) =>
  tx.emit({
    event: { type: 'update_message_flags', op: 'add', operation: 'add', flag: 'read', ...read },
    audience: { users: [user.id] },
  });
