import { createHash } from 'node:crypto';
import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { oncePerKey } from '../../domain/once-per-key.ts';
import { topicKey } from '../../domain/rules/messages/topic.ts';
import type { Widget } from '../../domain/rules/messages/widgets.ts';
import { apiEmail, isEmailPublic } from '../../domain/rules/people/users.ts';
import { BotType } from '../../domain/wire/bot-types.ts';
import type { Audience, EventOrigin } from '../../domain/wire/events/log-entry.ts';
import { FlagBit } from '../../domain/wire/flags.ts';
import type { RichMessage } from '../../domain/wire/message-objects.ts';
import type { Mutable } from '../../events/for-client.ts';
import { isMeMessage, type RenderedContent } from '../../markdown/markdown.ts';
import { avatarUrl, isLeftToClients } from '../access/avatars.ts';
import type { Caller, Site } from '../access/caller.ts';
import { isSubscribed, whoKnows } from '../access/channel-access.ts';
import type { Reads } from '../access/groups.ts';
import { mutersOf } from '../access/user-visibility.ts';
import * as attachmentLinks from '../files/attachment-links.ts';
import * as channelActivity from '../indexes/channel-activity.ts';
import * as contentIndex from '../indexes/content-index.ts';
import { canRead, noteWildcard } from '../indexes/message-access.ts';
import * as messageFlags from '../indexes/message-flags.ts';
import * as oldestMessages from '../indexes/oldest-messages.ts';
import { reactionsTo } from '../indexes/reaction-reads.ts';
import * as topicParticipants from '../indexes/topic-participants.ts';
import * as userTopics from '../indexes/user-topics.ts';
import * as linkifiers from '../rendering/linkifiers.ts';
import * as searchIndex from '../search/index.ts';
import * as senderLists from '../search/sender-lists.ts';
import type { Destination } from './conversations.ts';
import * as conversations from './conversations.ts';
import * as linkUnfurls from './link-unfurls.ts';
import * as pushes from './pushes.ts';
import { acceptable } from './sending-rules.ts';
import * as submessages from './submessages.ts';
import * as webhookCalls from './webhook-calls.ts';

export interface NewMessage {
  readonly destination: Destination;
  /** The content as it is stored (`acceptableContent`). */
  readonly content: string;
  readonly isReadBySender: boolean;
  /** A widget instead of the one that the content asks for. */
  readonly widget?: Widget | undefined;
  readonly origin?: EventOrigin | undefined;
  /** The keys by which a repeat of this send is recognized. */
  readonly repeatKeys: readonly string[];
}

export type Sent = {
  readonly id: number;
  /** The sender's policy for the topic, if this message changed it. */
  readonly automatic_new_visibility_policy?: 2 | 3;
};

/**
 * Sends a message. It writes the message, its index rows, one event, and a row for the sender, for
 * each user who is mentioned by name and for each group, with any number of subscribers. A repeat
 * of an earlier send gets the first result and sends nothing.
 */
export function send(tx: RealmTransaction, caller: Caller, message: NewMessage): Sent {
  const repeated = idempotencyResult(tx, caller.user.id, message.repeatKeys);
  if (repeated !== undefined) return repeated;
  const rendered = acceptable(tx, caller, message);
  // Fields are copied one by one: a spread costs more than the checks before it.
  const { destination, content, isReadBySender, widget, origin } = message;
  const posted = { destination, content, rendered, isReadBySender, widget, origin };
  const { row, newPolicy } = deliver(tx, caller, posted);
  const sent = sentAs(row.id, newPolicy);
  for (const key of message.repeatKeys) rememberResult(tx, caller.user.id, key, sent);
  return sent;
}

export interface PostedMessage extends Omit<NewMessage, 'repeatKeys'> {
  readonly rendered: RenderedContent;
  /** Users besides the sender for whom it begins as read. */
  readonly readBy?: readonly number[];
  /** If given, it begins as read for all other users, and mentions nobody. */
  readonly unreadBy?: readonly number[];
}

/** Writes a message that was checked before, and delivers it to its recipients. */
export const post = (tx: RealmTransaction, caller: Caller, message: PostedMessage): MessageRow =>
  deliver(tx, caller, message).row;

function deliver(tx: RealmTransaction, caller: Caller, message: PostedMessage) {
  const { destination, content, rendered } = message;
  const muters = mutersOf(tx, caller.user.id);
  const unreadBy = message.unreadBy?.filter((userId) => !muters.includes(userId));
  const isQuiet = unreadBy !== undefined;
  const written = write(tx, caller, { destination, content, rendered, isQuiet });
  const { isNewTopic } = written;
  const row = isQuiet ? written.row : submessages.attachWidget(tx, written.row, message.widget);
  const recipients = recipientsOf(tx, destination, caller.user);
  const bots = isQuiet ? [] : mentionedBots(tx, row, { rendered, receives: recipients.receives });
  const own = messageFlags.bitsOfNew(tx, {
    row,
    rendered,
    receives: (userId) => recipients.receives(userId) || bots.includes(userId),
    readBy: [
      ...(message.isReadBySender ? [caller.user.id] : []),
      ...(message.readBy ?? []),
      ...muters,
    ],
  });
  for (const id of bots) own.bits.set(id, (own.bits.get(id) ?? 0) | FlagBit.delivered);
  // "First emits `user_topic` (and `muted_topics`) and then `message`"
  // (reference/events-and-register.md 3.3).
  const newPolicy = followTopic(tx, caller.user, { row, isNewTopic, own });
  const rich = composed(tx, row, shownOf(caller, destination));
  linkUnfurls.request(tx, row, { pages: rendered.pagesToUnfurl, site: caller.site });
  webhookCalls.post(tx, {
    sender: caller.user,
    mentionedUserIds: rendered.mentionedUserIds,
    people: 'people' in destination ? destination.people : NO_PEOPLE,
    isPrivateChannel: 'channel' in destination && destination.channel.isPrivate,
    receives: recipients.receives,
    message: rich,
  });
  pushes.post(tx, caller.site.settings, { id: row.id, rendered });
  tx.emit({
    event: { type: 'message', message: rich },
    audience: bots.length === 0 ? recipients.audience : { ...recipients.audience, users: bots },
    flags: isQuiet ? messageFlags.writeUnread(tx, row, unreadBy) : messageFlags.write(tx, row, own),
    origin: message.origin,
  });
  attachmentLinks.claim(tx, caller, row);
  return { row, newPolicy };
}

const NO_PEOPLE: readonly UserRow[] = [];

type Recipient = RichMessage['display_recipient'];

/**
 * Returns a function that makes messages in their richest form, of which clients get a part
 * (`events/for-client.ts`). It serves many messages at once: the people of a conversation are
 * looked up and sorted once.
 */
export function richMessages(
  tx: Reads,
  site: Site,
  inOrder: (people: People) => People = (people) => people,
): (row: MessageRow) => RichMessage {
  const peopleOf = oncePerKey(
    (recipientId: number): People => inOrder(conversations.displayRecipient(tx, recipientId, site)),
  );
  return (row) => {
    const sender = tx.users.get([row.senderId]);
    if (sender === undefined) throw new Error(`message ${row.id} has no sender`);
    const channel = row.channelId === null ? undefined : tx.channels.get([row.channelId]);
    const recipient = channel?.name ?? peopleOf(row.recipientId);
    return composed(tx, row, { sender, channel, recipient, site });
  };
}

export type People = Exclude<Recipient, string>;

/** The objects that a message shows besides its own fields. */
interface Shown {
  readonly sender: UserRow;
  readonly channel: ChannelRow | undefined;
  readonly recipient: Recipient;
  readonly site: Site;
}

/** Returns those objects for a message that is being sent, whose rows are at hand. */
const shownOf = ({ user: sender, site }: Caller, destination: Destination): Shown =>
  'channel' in destination
    ? { sender, channel: destination.channel, recipient: destination.channel.name, site }
    : {
        sender,
        channel: undefined,
        recipient: conversations.peopleAsShown([sender, ...destination.people], site),
        site,
      };

function composed(
  tx: Reads,
  row: MessageRow,
  { sender, channel, recipient, site }: Shown,
): RichMessage {
  // It is filled field by field: the engine makes a hash table of an object with another one spread
  // into it.
  const message: Mutable<RichMessage> = {
    id: row.id,
    sender_id: sender.id,
    sender_full_name: sender.fullName,
    sender_email: apiEmail(sender, site.host),
    sender_realm_str: tx.realm.get(['realm'])?.stringId ?? '',
    client: row.client,
    content: row.content,
    rendered_content: row.renderedContent,
    timestamp: row.sentAt,
    type: channel === undefined ? 'private' : 'stream',
    recipient_id: row.recipientId,
    display_recipient: recipient,
    subject: row.topic,
    topic_links: linkifiers.linksOf(tx, row.topic),
    is_me_message: isMeMessage(row.content),
    reactions: reactionsTo(tx, row, site),
    submessages: submessages.of(tx, row),
    avatar_url: avatarUrl(sender),
    uses_gravatar: isEmailPublic(sender) && isLeftToClients(sender, site.settings),
  };
  if (channel !== undefined) message.stream_id = channel.id;
  return message;
}

type WrittenMessage = Pick<PostedMessage, 'destination' | 'content' | 'rendered'> &
  Partial<Pick<MessageRow, 'sentAt' | 'lastEditedAt' | 'hasReactions'>> & { isQuiet: boolean };

/** Writes a message with its index rows, of which nobody is told. */
function write(tx: RealmTransaction, caller: Caller, message: WrittenMessage) {
  const row = writeUncounted(tx, caller, message);
  return { row, isNewTopic: row.channelId !== null && countInTopic(tx, row.channelId, row) };
}

/** The same, but the caller counts the messages of topics when all are written. */
export function writeUncounted(
  tx: RealmTransaction,
  { user, client, site }: Caller,
  message: WrittenMessage,
): MessageRow {
  const { destination, isQuiet } = message;
  const id = tx.nextId('message');
  const channel = 'channel' in destination ? destination.channel : null;
  const row: MessageRow = {
    id,
    senderId: user.id,
    recipientId:
      'channel' in destination
        ? destination.channel.recipientId
        : conversations.recipientOf(tx, [user, ...destination.people], site),
    channelId: channel?.id ?? null,
    topic: 'channel' in destination ? destination.topic : '',
    content: message.content,
    renderedContent: message.rendered.html,
    sentAt: message.sentAt ?? Math.floor(tx.now / 1000),
    client,
    hasChannelWildcard: message.rendered.hasChannelWildcard,
    lastEditedAt: message.lastEditedAt ?? null,
    lastMovedAt: null,
    hasReactions: message.hasReactions ?? false,
    hasEdits: (message.lastEditedAt ?? null) !== null,
    homeChannelId: isQuiet ? (channel?.id ?? null) : null,
    arrivedAt: null,
    hasSubmessages: false,
  };
  tx.messages.put([id], row);
  noteWildcard(tx, row);
  contentIndex.enter(tx, row);
  searchIndex.noteSent(tx, id);
  senderLists.noteSent(tx, id);
  if (channel === null) conversations.enter(tx, row);
  else writeToChannel(tx, channel, row);
  return row;
}

/** Writes the index rows of a channel message. */
function writeToChannel(tx: RealmTransaction, channel: ChannelRow, row: MessageRow) {
  const key = topicKey(row.topic);
  tx.channelMessages.put([channel.id, row.id], { topicKey: key, senderId: row.senderId });
  tx.topicMessages.put([channel.id, key, row.id], {});
  if (row.homeChannelId !== null) {
    tx.movedOutMessages.put([channel.id, row.id], { moves: [], isQuiet: true });
    tx.movedInMessages.put([channel.id, row.id], {});
  }
  if (channel.firstMessageId === null) noteFirst(tx, channel, row);
  if (channel.activeUntil === null) channelActivity.noteArrived(tx, channel.id, [row]);
}

/** Counts a message, to which nobody has reacted, in its topic; returns true if that is new. */
function countInTopic(tx: RealmTransaction, channelId: number, row: MessageRow): boolean {
  const key = topicKey(row.topic);
  topicParticipants.count(tx, [channelId, key, row.senderId], { sent: 1, reacted: 0 });
  const topic = tx.topics.get([channelId, key]);
  tx.topics.put([channelId, key], {
    name: row.topic,
    newestMessageId: row.id,
    messageCount: (topic?.messageCount ?? 0) + 1,
  });
  return topic === undefined;
}

function noteFirst(tx: RealmTransaction, channel: ChannelRow, row: MessageRow) {
  const current = tx.channels.get([channel.id]) ?? channel;
  const changed = { ...current, firstMessageId: row.id };
  tx.channels.put([channel.id], changed);
  oldestMessages.note(tx, current, changed);
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
  /** Tests whether this user receives the message. */
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
    receives: (userId) => isSubscribed(tx, userId, id),
  };
}

/**
 * Returns mentioned bots without a subscription: "Mentioning a non-subscriber does not deliver;
 * exception: a mentioned generic bot receives it" (reference/events-and-register.md 3.3), unless it
 * may not read the channel.
 */
function mentionedBots(
  tx: RealmTransaction,
  row: MessageRow,
  { rendered, receives }: { rendered: RenderedContent; receives: Recipients['receives'] },
): readonly number[] {
  if (row.channelId === null) return [];
  return rendered.mentionedUserIds.filter((id) => {
    const user = tx.users.get([id]);
    if (user?.botType !== BotType.generic || !user.isActive || receives(id)) return false;
    return canRead(tx, user, row);
  });
}

/**
 * Follows or unmutes the topic for the sender and for mentioned users, according to their settings.
 * Returns the sender's new policy.
 */
function followTopic(
  tx: RealmTransaction,
  sender: UserRow,
  { row, isNewTopic, own }: { row: MessageRow; isNewTopic: boolean; own: messageFlags.OwnBits },
): 2 | 3 | undefined {
  if (row.channelId === null) return undefined;
  const place = { channelId: row.channelId, topic: row.topic };
  const newPolicy = userTopics.follow(tx, sender, {
    ...place,
    reason: isNewTopic ? 'started' : 'sent',
  });
  const byName: number[] = [];
  for (const [userId, bits] of own.bits) if (bits & FlagBit.mentioned) byName.push(userId);
  // Most messages mention nobody.
  if (own.mentionSets.length === 0 && byName.length === 0) return newPolicy;
  const isFollowing = [byName, ...own.mentionSets.map(({ userIds }) => userIds)]
    .flatMap((userIds) => userTopics.followMentioned(tx, userIds, place))
    .includes(sender.id);
  return isFollowing ? userTopics.Policy.followed : newPolicy;
}

/** Returns the result of an earlier send with one of these keys. */
export function idempotencyResult(
  tx: RealmTransaction,
  userId: number,
  keys: readonly string[],
): Sent | undefined {
  for (const key of keys) {
    const result = tx.idempotencyResults.get([userId, hashed(key)]);
    if (result === undefined) continue;
    return sentAs(result.messageId, result.newPolicy ?? undefined);
  }
  return undefined;
}

const sentAs = (id: number, newPolicy: 2 | 3 | undefined): Sent =>
  newPolicy === undefined ? { id } : { id, automatic_new_visibility_policy: newPolicy };

/** Stores the result of a send, by which a repeat of it is recognized. */
export function rememberResult(tx: RealmTransaction, userId: number, key: string, sent: Sent) {
  const hash = hashed(key);
  const newPolicy = sent.automatic_new_visibility_policy ?? null;
  tx.idempotencyResults.put([userId, hash], { messageId: sent.id, at: tx.now, newPolicy });
  tx.idempotencyResultTimes.put([tx.now, userId, hash], {});
}

/** Hashes a key: clients choose texts of any length, and the store has keys of one length. */
const hashed = (key: string) => createHash('sha256').update(key).digest('base64');
