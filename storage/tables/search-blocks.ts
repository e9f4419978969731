import { table } from '../table.ts';

export interface SearchBlockRow {
  /** Ascending, with a line break between them: a term has no space. */
  readonly terms: string;
  /** The messages of each (src/domain/posting-lists.ts); long lists are in `search_postings`. */
  readonly lists: Uint8Array;
}

/** Blocks of a segment lie together, as they are written and removed. */
export const searchBlocks = table<[segmentId: number, block: number], SearchBlockRow>(
  'search_blocks',
  ['terms', 'lists'],
);
