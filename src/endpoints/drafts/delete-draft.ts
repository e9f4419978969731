import * as drafts from '../../operations/personal/drafts.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const deleteDraft = endpoint({
  summary: 'Delete a draft',
  method: 'DELETE',
  path: '/drafts/{draft_id}',
  allow: anyUser,
  params: { draft_id: integer },
  refuses: ['BAD_REQUEST'],
  emits: ['drafts'],
  change: (tx, { user, params }) => drafts.remove(tx, user, params.draft_id),
});
