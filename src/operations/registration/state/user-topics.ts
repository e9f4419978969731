import { EMPTY_TOPIC_DISPLAY_NAME } from '../../../domain/rules/messages/topic.ts';
import type { State, View } from './view.ts';

/**
 * Returns the fetch type `user_topic`: the user's policies for topics, except in archived channels.
 */
export function userTopicsState({ tx, user, capabilities }: View): State {
  const isArchived = new Map<number, boolean>();
  const list: object[] = [];
  for (const [[, channelId], { topic, policy, updatedAt }] of tx.userTopics.under([user.id])) {
    if (!isArchived.has(channelId)) {
      isArchived.set(channelId, tx.channels.get([channelId])?.isArchived !== false);
    }
    if (isArchived.get(channelId)) continue;
    list.push({
      stream_id: channelId,
      topic_name: topic === '' && !capabilities.empty_topic_name ? EMPTY_TOPIC_DISPLAY_NAME : topic,
      last_updated: updatedAt,
      visibility_policy: policy,
    });
  }
  return { user_topics: list };
}
