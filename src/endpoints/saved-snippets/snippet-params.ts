import { SAVED_SNIPPET_TITLE_LENGTH_MAX } from '../../domain/limits/personal.ts';
import { text, textUpTo } from '../params.ts';

export const title = textUpTo(SAVED_SNIPPET_TITLE_LENGTH_MAX)
  .refine((value) => value !== '', 'cannot be blank')
  .describe('Not blank');
export const content = text.describe('Markdown, as long as a message may be');
