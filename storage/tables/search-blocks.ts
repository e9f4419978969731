import { table } from '../table.ts';

/** Terms of a segment, ascending, with a line break between them: a term has no space. */
export const searchBlocks = table<[segmentId: number, block: number], { readonly terms: string }>(
  'search_blocks',
  ['terms'],
);
