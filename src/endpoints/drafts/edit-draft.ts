import * as drafts from '../../operations/personal/drafts.ts';
import { endpoint } from '../endpoint.ts';
import { integer, json } from '../params.ts';
import { anyUser } from '../permissions.ts';
import { writtenDraft } from './draft-params.ts';

export const editDraft = endpoint({
  summary: 'Write a draft anew',
  description: 'The draft is written as in `POST /drafts`; nothing of what it was before stays.',
  method: 'PATCH',
  path: '/drafts/{draft_id}',
  allow: anyUser,
  params: { draft_id: integer, draft: json(writtenDraft) },
  refuses: ['BAD_REQUEST'],
  emits: ['drafts'],
  change: (tx, { user, params }) => drafts.edit(tx, user, { id: params.draft_id, ...params.draft }),
});
