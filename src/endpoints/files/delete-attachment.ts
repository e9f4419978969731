import * as attachments from '../../operations/files/attachments.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const deleteAttachment = endpoint({
  summary: 'Delete a file that you uploaded',
  description: 'Messages that link it stay as they are; what they link is gone.',
  method: 'DELETE',
  path: '/attachments/{attachment_id}',
  allow: anyUser,
  params: { attachment_id: integer },
  refuses: ['BAD_REQUEST'],
  emits: ['attachment'],
  change: (tx, { user, params }) => attachments.remove(tx, user, params.attachment_id),
});
