import { z } from 'zod';
import { savedSnippet } from '../../domain/wire/personal-objects.ts';
import * as savedSnippets from '../../operations/personal/saved-snippets.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';

export const getSavedSnippets = endpoint({
  summary: 'Get your saved snippets',
  method: 'GET',
  path: '/saved_snippets',
  allow: anyUser,
  params: {},
  reply: { saved_snippets: z.array(savedSnippet).describe('Oldest first') },
  read: (reader, { user }) => ({ saved_snippets: savedSnippets.list(reader, user.id) }),
});
