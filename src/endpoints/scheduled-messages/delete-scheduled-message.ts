import * as scheduledMessages from '../../operations/personal/scheduled-messages.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const deleteScheduledMessage = endpoint({
  summary: 'Delete a scheduled message',
  method: 'DELETE',
  path: '/scheduled_messages/{scheduled_message_id}',
  allow: anyUser,
  params: { scheduled_message_id: integer },
  refuses: ['BAD_REQUEST'],
  emits: ['scheduled_messages'],
  change: (tx, { user, params }) => scheduledMessages.remove(tx, user, params.scheduled_message_id),
});
