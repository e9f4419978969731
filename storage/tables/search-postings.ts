import { table } from '../table.ts';

/** The messages of a frequent term: apart from the blocks, so that to look through terms does not mean to read them. */
export const searchPostings = table<
  [segmentId: number, block: number, term: number],
  { readonly list: Uint8Array }
>('search_postings', ['list']);
