import type { UserRow } from '../../storage/tables/users.ts';
import * as errors from '../domain/errors.ts';
import { EVERYTHING, type Intervals } from '../domain/read-state.ts';
import { EMPTY_TOPIC_DISPLAY_NAME } from '../domain/topic.ts';
import { hasContentAccess } from './channel-access.ts';
import type { Reads } from './groups.ts';
import { AFTER_LAST_ID, indexed, within } from './id-walks.ts';
import { readableIn } from './message-access.ts';

export interface Topic {
  readonly name: string;
  readonly max_id: number;
}

interface TopicsRequest {
  readonly channelId: number;
  readonly allowEmptyTopicName: boolean;
}

/** The topics of a channel with a message that the user may read, newest first (reference/endpoints.md 1.15). */
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

/** "Protected-history private channels limit this to topics of messages sent after subscription." */
function some(tx: Reads, channelId: number, readable: Intervals): Topic[] {
  const topics: Topic[] = [];
  const oldest = readable[0] ?? AFTER_LAST_ID;
  for (const [[, key], { newestMessageId }] of tx.topics.under([channelId])) {
    if (newestMessageId < oldest) continue;
    const messages = within(indexed(tx.topicMessages, [channelId, key]), readable);
    const newest = messages(-1).seek(newestMessageId);
    const row = newest === undefined ? undefined : tx.messages.get([newest]);
    if (row !== undefined) topics.push({ name: row.topic, max_id: row.id });
  }
  return topics;
}
