import * as savedSnippets from '../../operations/personal/saved-snippets.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { anyUser } from '../permissions.ts';
import { content, title } from './snippet-params.ts';

export const editSavedSnippet = endpoint({
  summary: 'Change a saved snippet',
  method: 'PATCH',
  path: '/saved_snippets/{saved_snippet_id}',
  allow: anyUser,
  params: { saved_snippet_id: integer, title: title.optional(), content: content.optional() },
  refuses: ['BAD_REQUEST'],
  emits: ['saved_snippets'],
  change: (tx, { user, params }) => {
    const { saved_snippet_id: id, ...change } = params;
    savedSnippets.edit(tx, user.id, { id, ...change });
  },
});
