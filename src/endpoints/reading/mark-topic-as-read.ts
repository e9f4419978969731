import { markTopic } from '../../operations/reading/mark-as-read.ts';
import { endpoint } from '../endpoint.ts';
import { integer, text } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const markTopicAsRead = endpoint({
  summary: 'Mark the messages of a topic as read',
  method: 'POST',
  path: '/mark_topic_as_read',
  allow: anyUser,
  params: { stream_id: integer, topic_name: text },
  refuses: ['BAD_REQUEST'],
  emits: ['update_message_flags'],
  change: (tx, { user, params }) =>
    markTopic(tx, user, { channelId: params.stream_id, topic: params.topic_name }),
});
