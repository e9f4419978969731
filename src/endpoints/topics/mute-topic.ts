import * as userTopics from '../../operations/indexes/user-topics.ts';
import { endpoint } from '../endpoint.ts';
import { integer, oneOf, text } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const muteTopic = endpoint({
  summary: 'Mute a topic, or take that back (legacy)',
  method: 'PATCH',
  path: '/users/me/subscriptions/muted_topics',
  allow: anyUser,
  params: {
    stream: text.optional().describe('Name of the channel; either this or `stream_id`'),
    stream_id: integer.optional(),
    topic: text,
    op: oneOf(['add', 'remove']),
  },
  refuses: ['BAD_REQUEST'],
  emits: ['muted_topics', 'user_topic'],
  change: (tx, { user, params: { stream, stream_id, topic, op } }) =>
    userTopics.setMuted(tx, user, {
      name: stream,
      channelId: stream_id,
      topic,
      isMuted: op === 'add',
    }),
});
