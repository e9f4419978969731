import { z } from 'zod';
import type { Anchor } from '../../operations/message-list.ts';
import { json, text } from '../params.ts';

/** An integer, or a word (reference/endpoints.md 2.1). Numbers no message can have are at the ends of the list. */
export const anchor = text.transform((value, context): Anchor => {
  const word = value.trim();
  if (word === 'newest' || word === 'oldest' || word === 'first_unread') return word;
  if (/^[+-]?\d{1,100}$/.test(word)) return Number(word);
  context.addIssue({ code: 'custom', message: 'is not a message ID or a known word' });
  return z.NEVER;
});

/** Read by `parseNarrow`, which knows what is wrong with it. */
export const narrow = json(z.unknown()).optional();
