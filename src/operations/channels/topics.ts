import type { UserRow } from '../../../storage/tables/people/users.ts';
import { EVERYTHING, type Intervals, isWithin } from '../../domain/rules/messages/read-state.ts';
import { EMPTY_TOPIC_DISPLAY_NAME } from '../../domain/rules/messages/topic.ts';
import * as errors from '../../domain/wire/errors.ts';
import { hasContentAccess } from '../access/channel-access.ts';
import type { Reads } from '../access/groups.ts';
import { intersection } from '../indexes/ids/intersections.ts';
import { indexed, within } from '../indexes/ids/iterators.ts';
import { union } from '../indexes/ids/unions.ts';
import { readableIn } from '../indexes/message-access.ts';
import { movedInto } from '../indexes/read-sets.ts';

export interface Topic {
  readonly name: string;
  readonly max_id: number;
}

interface TopicsRequest {
  readonly channelId: number;
  readonly allowEmptyTopicName: boolean;
}

/**
 * Returns the topics of a channel with a message that the user may read, newest first
 * (reference/endpoints.md 1.15).
 */
export function topicsOf(
  tx: Reads,
  user: UserRow,
  { channelId, allowEmptyTopicName }: TopicsRequest,
): Topic[] {
  const channel = tx.channels.get([channelId]);
  if (channel === undefined) throw errors.invalidChannelId();
  const subscription = tx.subscriptions.get([channelId, user.id]);
  if (!hasContentAccess(tx, { user, channel, subscription })) throw errors.invalidChannelId();
  const readable = readableIn(tx, user, { channel, subscription });
  const topics = readable === EVERYTHING ? all(tx, channelId) : some(tx, channelId, readable);
  return topics
    .sort((one, other) => other.max_id - one.max_id)
    .map((topic) =>
      topic.name === '' && !allowEmptyTopicName
        ? { ...topic, name: EMPTY_TOPIC_DISPLAY_NAME }
        : topic,
    );
}

const all = (tx: Reads, channelId: number): Topic[] =>
  Array.from(tx.topics.under([channelId]), ([, { name, newestMessageId }]) => ({
    name,
    max_id: newestMessageId,
  }));

/**
 * "Protected-history private channels limit this to topics of messages sent after subscription."
 */
function some(tx: Reads, channelId: number, readable: Intervals): Topic[] {
  const topics: Topic[] = [];
  for (const [[, key], { newestMessageId }] of tx.topics.under([channelId])) {
    const all = indexed(tx.topicMessages, [channelId, key]);
    const moved = movedInto(tx, channelId).map((movedIn) => intersection([all, movedIn]));
    const iterator = union([within(all, readable), ...moved])(-1);
    for (let id = iterator.seek(newestMessageId); id !== undefined; id = iterator.seek(id - 1)) {
      const row = tx.messages.get([id]);
      if (row === undefined || !isWithin(readable, row.arrivedAt ?? row.id)) continue;
      topics.push({ name: row.topic, max_id: row.id });
      break;
    }
  }
  return topics;
}
