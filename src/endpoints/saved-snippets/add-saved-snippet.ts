import { z } from 'zod';
import * as savedSnippets from '../../operations/personal/saved-snippets.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';
import { content, title } from './snippet-params.ts';

export const addSavedSnippet = endpoint({
  summary: 'Save a snippet',
  method: 'POST',
  path: '/saved_snippets',
  allow: anyUser,
  params: { title, content },
  reply: { saved_snippet_id: z.int() },
  refuses: ['BAD_REQUEST'],
  emits: ['saved_snippets'],
  change: (tx, { user, params }) => ({
    saved_snippet_id: savedSnippets.add(tx, user.id, params),
  }),
});
