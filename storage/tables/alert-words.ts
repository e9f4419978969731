import { table } from '../table.ts';

/** The words that a user wants to hear of, as written, in the order they came: always read and told together. */
export const alertWords = table<[userId: number], { readonly words: readonly string[] }>(
  'alert_words',
  ['words'],
);
