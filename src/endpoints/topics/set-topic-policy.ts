import { z } from 'zod';
import * as userTopics from '../../operations/indexes/user-topics.ts';
import { endpoint } from '../endpoint.ts';
import { integer, text } from '../params.ts';
import { anyUser } from '../permissions.ts';

const policy = integer
  .pipe(
    z.union(
      Object.values(userTopics.Policy).map((value) => z.literal(value)),
      { error: 'is invalid' },
    ),
  )
  .describe('0 none, 1 muted, 2 unmuted, 3 followed');

export const setTopicPolicy = endpoint({
  summary: 'Mute, unmute or follow a topic',
  method: 'POST',
  path: '/user_topics',
  allow: anyUser,
  params: { stream_id: integer, topic: text, visibility_policy: policy },
  refuses: ['BAD_REQUEST'],
  emits: ['muted_topics', 'user_topic'],
  change: (tx, { user, params: { stream_id, topic, visibility_policy } }) =>
    userTopics.set(tx, user, { channelId: stream_id, topic, policy: visibility_policy }),
});
