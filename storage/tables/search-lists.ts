import { table } from '../table.ts';

/**
 * The messages of each term of a block (src/domain/posting-lists.ts), apart from the terms: to look through terms does not
 * mean to read them. Long lists are in `search_postings`.
 */
export const searchLists = table<
  [segmentId: number, block: number],
  { readonly lists: Uint8Array }
>('search_lists', ['lists']);
