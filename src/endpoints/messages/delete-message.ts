import * as deletion from '../../operations/messages/deletion.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const deleteMessage = endpoint({
  summary: 'Delete a message',
  method: 'DELETE',
  path: '/messages/{message_id}',
  allow: anyUser,
  params: { message_id: integer },
  refuses: ['BAD_REQUEST'],
  emits: ['stream', 'delete_message', 'attachment', 'update_message_flags'],
  change: (tx, request) => deletion.remove(tx, request, request.params.message_id),
});
