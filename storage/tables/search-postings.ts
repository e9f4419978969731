import { table } from '../table.ts';

/** The messages of a frequent term. */
export const searchPostings = table<
  [segmentId: number, block: number, term: number],
  { readonly list: Uint8Array }
>('search_postings', ['list']);
