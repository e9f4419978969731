import { createHash } from 'node:crypto';
import type { RealmTransaction } from '../../storage/realm-store.ts';
import type { ChannelRow } from '../../storage/tables/channels.ts';
import type { MessageRow } from '../../storage/tables/messages.ts';
import type { UserRow } from '../../storage/tables/users.ts';
import * as errors from '../domain/errors.ts';
import { FlagBit, flagNames, INDEXED_FLAG_BITS } from '../domain/flags.ts';
import { MESSAGE_LENGTH_MAX, WILDCARD_FREE_SUBSCRIBERS_MAX } from '../domain/limits.ts';
import type { Audience, EventFlags, EventOrigin } from '../domain/log-entry.ts';
import { isMeMessage, type RenderedContent, renderMarkdown } from '../domain/markdown.ts';
import type { RichMessage } from '../domain/objects.ts';
import type { ChannelPermissionName } from '../domain/permission-settings.ts';
import { isTooLong, normalizeContent, topicKey } from '../domain/topic.ts';
import { apiEmail, isEmailPublic } from '../domain/users.ts';
import { avatarUrl } from './avatars.ts';
import type { Caller, Place } from './caller.ts';
import { hasContentAccess, whoKnows } from './channel-access.ts';
import * as conversations from './conversations.ts';
import { may, mayInChannel, type Reads, realmSetting } from './groups.ts';
import * as linkifiers from './linkifiers.ts';
import { mentionDirectory } from './mention-directory.ts';
import { noteWildcard } from './message-access.ts';
import { reactionsTo } from './reaction-reads.ts';

/** Where a message goes, resolved: the channel exists, the people exist. */
export type Destination =
  | { readonly channel: ChannelRow; readonly topic: string }
  | { readonly people: readonly UserRow[] };

export interface NewMessage {
  readonly destination: Destination;
  readonly content: string;
  readonly isReadBySender: boolean;
  readonly origin?: EventOrigin | undefined;
  /** What makes a repeat of this send recognizable; several when the client gave several. */
  readonly repeatKeys: readonly string[];
}

/**
 * Sends a message: the message, its index rows, one event, and a row for the sender and for each mentioned user, however
 * many subscribers there are. A repeat of an earlier send is answered with its id and sends nothing.
 */
export function send(tx: RealmTransaction, caller: Caller, message: NewMessage): { id: number } {
  const repeated = firstResult(tx, caller.user.id, message.repeatKeys);
  if (repeated !== undefined) return { id: repeated };

  const content = acceptableContent(message.content);
  const { destination } = message;
  if ('channel' in destination) refusePosting(tx, caller.user, destination);
  else conversations.refuseWriting(tx, caller.user, destination.people);
  const rendered = renderMarkdown(content, mentionDirectory(tx, caller.user, caller.place));
  if ('channel' in destination && rendered.hasChannelWildcard) {
    refuseWildcard(tx, caller.user, destination.channel);
  }
  const { id } = post(tx, caller, { ...message, content, rendered });
  for (const key of message.repeatKeys) rememberResult(tx, caller.user.id, key, id);
  return { id };
}

export interface PostedMessage extends Omit<NewMessage, 'repeatKeys'> {
  readonly rendered: RenderedContent;
  /** Users for whom it begins as read, besides the sender. */
  readonly readBy?: readonly number[];
}

/** Writes a message that nobody may refuse any more, and tells its recipients. */
export function post(tx: RealmTransaction, caller: Caller, message: PostedMessage): MessageRow {
  const { destination, content, rendered } = message;
  const row = write(tx, caller, { destination, content, rendered });
  const recipients = recipientsOf(tx, destination, caller.user);
  const flags = writeFlags(tx, {
    row,
    rendered,
    recipients,
    readBy: new Set([
      ...(message.isReadBySender ? [caller.user.id] : []),
      ...(message.readBy ?? []),
    ]),
  });
  tx.emit({
    event: { type: 'message', message: richMessage(tx, row, caller.place) },
    audience: recipients.audience,
    flags,
    origin: message.origin,
  });
  return row;
}

/** Text as it is stored; refuses what no message can be. */
export function acceptableContent(text: string): string {
  const content = normalizeContent(text);
  if (content === '') throw errors.badRequest('Message must not be empty');
  if (content.includes('\0')) throw errors.badRequest('Message must not contain null bytes');
  if (isTooLong(content)) {
    throw errors.badRequest(`Message is too long (limit: ${MESSAGE_LENGTH_MAX} characters)`);
  }
  return content;
}

/** The message in its richest form; clients get a part of it (`events/for-client.ts`). */
export function richMessage(tx: Reads, row: MessageRow, place: Place): RichMessage {
  const sender = tx.users.get([row.senderId]);
  if (sender === undefined) throw new Error(`message ${row.id} has no sender`);
  const channel = row.channelId === null ? undefined : tx.channels.get([row.channelId]);
  return {
    id: row.id,
    sender_id: sender.id,
    sender_full_name: sender.fullName,
    sender_email: apiEmail(sender, place.host),
    sender_realm_str: tx.realm.get(['realm'])?.stringId ?? '',
    client: row.client,
    content: row.content,
    rendered_content: row.renderedContent,
    timestamp: row.sentAt,
    type: channel === undefined ? 'private' : 'stream',
    ...(channel === undefined ? {} : { stream_id: channel.id }),
    recipient_id: row.recipientId,
    display_recipient: channel?.name ?? conversations.displayRecipient(tx, row.recipientId, place),
    subject: row.topic,
    topic_links: linkifiers.linksOf(tx, row.topic),
    is_me_message: isMeMessage(row.content),
    reactions: reactionsTo(tx, row),
    submessages: [],
    avatar_url: avatarUrl(sender),
    uses_gravatar: isEmailPublic(sender),
  };
}

/** Sets the flag bits of one user and message, with the rows that list them. No bits, no row. */
export function setFlags(tx: RealmTransaction, userId: number, messageId: number, bits: number) {
  const before = tx.messageFlags.get([userId, messageId])?.bits ?? 0;
  if (bits === before) return;
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

function refusePosting(
  tx: RealmTransaction,
  sender: UserRow,
  { channel, topic }: { channel: ChannelRow; topic: string },
) {
  if (channel.isArchived) throw errors.badRequest('Not authorized to send to this channel');
  const owner = sender.botOwnerId === null ? undefined : tx.users.get([sender.botOwnerId]);
  const speakers = owner === undefined ? [sender] : [sender, owner];
  const anyMay = (name: ChannelPermissionName) =>
    speakers.some((user) => mayInChannel(tx, user, { channel, name }));
  if (!anyMay('can_send_message_group')) {
    throw errors.badRequest('Not authorized to send to this channel');
  }
  const canRead = speakers.some((user) => {
    const subscription = tx.subscriptions.get([channel.id, user.id]);
    return hasContentAccess(tx, { user, channel, subscription });
  });
  if (!canRead) throw errors.badRequest('Not authorized to send to this channel');
  const isNewTopic = !tx.topics.has([channel.id, topicKey(topic)]);
  if (isNewTopic && !anyMay('can_create_topic_group')) {
    throw errors.badRequest('You do not have permission to create new topics in this channel.');
  }
  refuseTopic(tx, channel, topic);
}

/** The channel's policy, or the realm's where it inherits (reference/endpoints.md 1.1). */
function refuseTopic(tx: RealmTransaction, channel: ChannelRow, topic: string) {
  const policy =
    channel.topicsPolicy === 'inherit' ? realmSetting(tx, 'topics_policy') : channel.topicsPolicy;
  if (topic === '' && policy === 'disable_empty_topic') {
    throw errors.badRequest('Sending messages to the general chat is not allowed in this channel.');
  }
  if (topic !== '' && policy === 'empty_topic_only') {
    throw errors.badRequest('Only the general chat topic is allowed in this channel.');
  }
}

function refuseWildcard(tx: RealmTransaction, sender: UserRow, channel: ChannelRow) {
  if (channel.subscriberCount <= WILDCARD_FREE_SUBSCRIBERS_MAX) return;
  if (!may(tx, sender, 'can_mention_many_users_group')) {
    throw errors.channelWildcardNotAllowed();
  }
}

function write(
  tx: RealmTransaction,
  { user, client }: Caller,
  message: { destination: Destination; content: string; rendered: RenderedContent },
): MessageRow {
  const { destination } = message;
  const id = tx.nextId('message');
  const channel = 'channel' in destination ? destination.channel : null;
  const row: MessageRow = {
    id,
    senderId: user.id,
    recipientId:
      'channel' in destination
        ? destination.channel.recipientId
        : conversations.recipientOf(tx, [user, ...destination.people]),
    channelId: channel?.id ?? null,
    topic: 'channel' in destination ? destination.topic : '',
    content: message.content,
    renderedContent: message.rendered.html,
    sentAt: Math.floor(tx.now / 1000),
    client,
    hasChannelWildcard: message.rendered.hasChannelWildcard,
    lastEditedAt: null,
    lastMovedAt: null,
    hasReactions: false,
    hasEdits: false,
    homeChannelId: null,
    arrivedAt: null,
  };
  tx.messages.put([id], row);
  noteWildcard(tx, row);
  tx.senderMessages.put([user.id, id], {});
  if (channel === null) tx.directMessages.put([row.recipientId, id], { senderId: user.id });
  else writeToChannel(tx, channel, row);
  return row;
}

function writeToChannel(tx: RealmTransaction, channel: ChannelRow, row: MessageRow) {
  const key = topicKey(row.topic);
  tx.channelMessages.put([channel.id, row.id], { topicKey: key, senderId: row.senderId });
  tx.topicMessages.put([channel.id, key, row.id], {});
  const topic = tx.topics.get([channel.id, key]);
  tx.topics.put([channel.id, key], {
    name: row.topic,
    newestMessageId: row.id,
    messageCount: (topic?.messageCount ?? 0) + 1,
  });
  if (channel.firstMessageId !== null) return;
  const current = tx.channels.get([channel.id]) ?? channel;
  tx.channels.put([channel.id], { ...current, firstMessageId: row.id });
  tx.emit({
    event: {
      type: 'stream',
      op: 'update',
      stream_id: channel.id,
      name: channel.name,
      property: 'first_message_id',
      value: row.id,
    },
    audience: whoKnows(tx, channel),
  });
}

interface Recipients {
  readonly audience: Audience;
  /** Whether this user receives the message. */
  receives(userId: number): boolean;
}

function recipientsOf(tx: RealmTransaction, destination: Destination, sender: UserRow): Recipients {
  if ('people' in destination) {
    const everyone = [sender, ...destination.people].filter((user) => user.isActive);
    const ids = [...new Set(everyone.map((user) => user.id))];
    return { audience: { users: ids }, receives: (userId) => ids.includes(userId) };
  }
  const { id, isPrivate } = destination.channel;
  return {
    audience: isPrivate ? { channelId: id } : { channelId: id, isPublicChannel: true },
    receives: (userId) => tx.subscriptions.get([id, userId])?.isActive === true,
  };
}

/** The flags of the few for whom they are not everybody's: rows, and what their queues are told. */
function writeFlags(
  tx: RealmTransaction,
  message: {
    row: MessageRow;
    rendered: RenderedContent;
    recipients: Recipients;
    readBy: ReadonlySet<number>;
  },
): EventFlags {
  const { row, rendered, recipients, readBy } = message;
  const shared = row.hasChannelWildcard ? FlagBit.stream_wildcard_mentioned : 0;
  const byUser: Record<string, readonly string[]> = {};
  const note = (userId: number, own: number) => {
    setFlags(tx, userId, row.id, own);
    byUser[userId] = flagNames(own | shared);
  };
  for (const userId of rendered.mentionedUserIds) {
    if (!recipients.receives(userId)) continue;
    note(userId, FlagBit.mentioned | (readBy.has(userId) ? FlagBit.read : 0));
  }
  for (const userId of readBy) {
    if (byUser[userId] === undefined && recipients.receives(userId)) note(userId, FlagBit.read);
  }
  return { shared: flagNames(shared), byUser };
}

function firstResult(tx: RealmTransaction, userId: number, keys: readonly string[]) {
  for (const key of keys) {
    const result = tx.firstResults.get([userId, hashed(key)]);
    if (result !== undefined) return result.messageId;
  }
  return undefined;
}

function rememberResult(tx: RealmTransaction, userId: number, key: string, messageId: number) {
  const hash = hashed(key);
  tx.firstResults.put([userId, hash], { messageId, at: tx.now });
  tx.firstResultTimes.put([tx.now, userId, hash], {});
}

/** Keys are the client's own text of any length; in the store they all have the same. */
const hashed = (key: string) => createHash('sha256').update(key).digest('base64');
