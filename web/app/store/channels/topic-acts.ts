/** The acts of people on a topic as a whole. */
import { app } from '../app.ts';
import { resolvedAs } from '../feed/message.ts';
import type { TopicPlace } from '../panels.ts';
import { topicNarrow } from '../route.ts';
import type { Policy } from '../shapes.ts';

const POLICIES: Readonly<Record<Policy, 0 | 1 | 2 | 3>> = {
  none: 0,
  muted: 1,
  unmuted: 2,
  followed: 3,
};

export const setPolicy = ({ channelId, topic }: TopicPlace, policy: Policy) =>
  app.chat.call('POST', '/user_topics', {
    stream_id: channelId,
    topic,
    visibility_policy: POLICIES[policy],
  });

/** Changes of a topic name one of its messages, and reach all of them. */
async function newestId({ channelId, topic }: TopicPlace): Promise<number> {
  const { messages } = (await app.chat.call('GET', '/messages', {
    anchor: 'newest',
    num_before: 1,
    num_after: 0,
    narrow: topicNarrow(channelId, topic),
    allow_empty_topic_name: true,
  })) as { readonly messages: readonly { readonly id: number }[] };
  const id = messages.at(-1)?.id;
  if (id === undefined) throw new Error('Nothing is in this topic that could be changed.');
  return id;
}

export interface TopicMove {
  readonly channelId: number;
  readonly topic: string;
  readonly tellsOldTopic: boolean;
  readonly tellsNewTopic: boolean;
}

/** Gives a topic another name, or another channel as well. */
export async function moveTopic(from: TopicPlace, to: TopicMove): Promise<void> {
  await app.chat.call('PATCH', '/messages/{message_id}', {
    message_id: await newestId(from),
    topic: to.topic.trim(),
    ...(to.channelId === from.channelId ? {} : { stream_id: to.channelId }),
    propagate_mode: 'change_all',
    send_notification_to_old_thread: to.tellsOldTopic,
    send_notification_to_new_thread: to.tellsNewTopic,
  });
}

/** Resolves a topic, or opens it again; returns its name from then on. */
export async function toggleResolved(place: TopicPlace): Promise<string> {
  const topic = resolvedAs(place.topic);
  await app.chat.call('PATCH', '/messages/{message_id}', {
    message_id: await newestId(place),
    topic,
    propagate_mode: 'change_all',
    send_notification_to_old_thread: false,
    send_notification_to_new_thread: true,
  });
  return topic;
}

/** A topic with more messages is deleted by several requests. */
const DELETIONS_MAX = 200;

/** Deletes all messages of a topic: the server does as many at once as it has time for. */
export async function deleteTopic({ channelId, topic }: TopicPlace): Promise<void> {
  for (let round = 0; round < DELETIONS_MAX; round += 1) {
    const { complete } = await app.chat.call('POST', '/streams/{stream_id}/delete_topic', {
      stream_id: channelId,
      topic_name: topic,
    });
    if (complete) return;
  }
  throw new Error('Not all messages are deleted yet. Delete the topic once more.');
}
