import { z } from 'zod';
import { topicsOf } from '../../operations/channels/topics.ts';
import { endpoint } from '../endpoint.ts';
import { boolean, integer } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const getTopics = endpoint({
  summary: 'Get the topics of a channel',
  method: 'GET',
  path: '/users/me/{stream_id}/topics',
  allow: anyUser,
  spectators: true,
  params: { stream_id: integer, allow_empty_topic_name: boolean.default(false) },
  reply: { topics: z.array(z.strictObject({ name: z.string(), max_id: z.int() })) },
  refuses: ['BAD_REQUEST'],
  read: (reader, { user, params }) => ({
    topics: topicsOf(reader, user, {
      channelId: params.stream_id,
      allowEmptyTopicName: params.allow_empty_topic_name,
    }),
  }),
});
