import * as savedSnippets from '../../operations/personal/saved-snippets.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const deleteSavedSnippet = endpoint({
  summary: 'Delete a saved snippet',
  method: 'DELETE',
  path: '/saved_snippets/{saved_snippet_id}',
  allow: anyUser,
  params: { saved_snippet_id: integer },
  refuses: ['BAD_REQUEST'],
  emits: ['saved_snippets'],
  change: (tx, { user, params }) => savedSnippets.remove(tx, user.id, params.saved_snippet_id),
});
