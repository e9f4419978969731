import { markChannel } from '../../operations/reading/mark-as-read.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const markChannelAsRead = endpoint({
  summary: 'Mark the messages of a channel as read',
  method: 'POST',
  path: '/mark_stream_as_read',
  allow: anyUser,
  params: { stream_id: integer },
  refuses: ['BAD_REQUEST'],
  emits: ['update_message_flags'],
  change: (tx, { user, params }) => markChannel(tx, user, params.stream_id),
});
