import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmReader } from '../../../storage/transaction.ts';
import {
  DIGEST_CHANNELS_MAX,
  DIGEST_MESSAGES_MAX,
  DIGEST_MESSAGES_PER_CHANNEL_MAX,
  DIGEST_NEW_CHANNELS_MAX,
  DIGEST_TOPICS_MAX,
} from '../../domain/limits/outbox.ts';
import { hasContentAccess } from '../access/channel-access.ts';
import { firstSince } from '../channels/traffic.ts';
import { isReadableIn, readableIn } from '../indexes/message-access.ts';
import { decisionsOf } from '../indexes/user-topics.ts';

/** A topic that people have talked about. */
export interface HotTopic {
  readonly channel: ChannelRow;
  readonly name: string;
  readonly messageCount: number;
  /** Ids, those with the newest messages first. */
  readonly senderIds: readonly number[];
  readonly newestId: number;
}

export interface Digest {
  /** Topics with the most people come first, and among these the ones with the most messages. */
  readonly topics: readonly HotTopic[];
  readonly newChannels: readonly ChannelRow[];
}

interface Counted {
  count: number;
  readonly senders: Set<number>;
  readonly newestId: number;
}

/**
 * Returns what was talked about since a moment (UNIX seconds) in the channels of a user: only what
 * the user may read, has not muted, and did not write. Only the newest messages are counted.
 */
export function digestOf(reader: RealmReader, user: UserRow, since: number): Digest {
  const from = firstSince(reader, since);
  const topics: HotTopic[] = [];
  let left = DIGEST_MESSAGES_MAX;
  const own = reader.userChannels.under([user.id], { limit: DIGEST_CHANNELS_MAX });
  for (const [[, channelId], { isActive }] of own) {
    const channel = isActive ? reader.channels.get([channelId]) : undefined;
    if (channel === undefined || channel.isArchived || left <= 0) continue;
    const counted = topicsOf(reader, user, { channel, from, max: left });
    left -= counted.looked;
    topics.push(...counted.topics);
  }
  topics.sort((a, b) => b.senderIds.length - a.senderIds.length || b.messageCount - a.messageCount);
  return {
    topics: topics.slice(0, DIGEST_TOPICS_MAX),
    newChannels: newChannelsFor(reader, user, since),
  };
}

function topicsOf(
  reader: RealmReader,
  user: UserRow,
  {
    channel,
    from,
    max,
  }: { readonly channel: ChannelRow; readonly from: number; readonly max: number },
) {
  const subscription = reader.subscriptions.get([channel.id, user.id]);
  const readable = readableIn(reader, user, { channel, subscription });
  const decisions = decisionsOf(reader, user.id);
  const counts = new Map<string, Counted>();
  let looked = 0;
  const newest = reader.channelMessages.range({
    start: [channel.id, from],
    end: [channel.id + 1],
    isReverse: true,
    limit: Math.min(max, DIGEST_MESSAGES_PER_CHANNEL_MAX),
  });
  for (const [[, id], { topicKey, senderId }] of newest) {
    looked += 1;
    if (senderId === user.id || decisions.isMuted(channel.id, topicKey)) continue;
    if (reader.mutedUsers.has([user.id, senderId])) continue;
    if (!channel.hasSharedHistory) {
      const message = reader.messages.get([id]);
      if (message === undefined || !isReadableIn(readable, message)) continue;
    }
    const counted = counts.get(topicKey) ?? { count: 0, senders: new Set<number>(), newestId: id };
    counts.set(topicKey, counted);
    counted.count += 1;
    counted.senders.add(senderId);
  }
  const topics = Array.from(counts, ([key, { count, senders, newestId }]): HotTopic => {
    const name = reader.topics.get([channel.id, key])?.name ?? key;
    return { channel, name, messageCount: count, senderIds: [...senders], newestId };
  });
  return { topics, looked };
}

/** Channels have ascending ids, so the newest ones are at the end. */
function newChannelsFor(reader: RealmReader, user: UserRow, since: number): ChannelRow[] {
  const found: ChannelRow[] = [];
  for (const [, channel] of reader.channels.range({
    isReverse: true,
    limit: DIGEST_CHANNELS_MAX,
  })) {
    if (channel.dateCreated < since || found.length === DIGEST_NEW_CHANNELS_MAX) break;
    const subscription = reader.subscriptions.get([channel.id, user.id]);
    const isShown =
      !channel.isArchived &&
      channel.creatorId !== user.id &&
      hasContentAccess(reader, { user, channel, subscription });
    if (isShown) found.push(channel);
  }
  return found;
}
