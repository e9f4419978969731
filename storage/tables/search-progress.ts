import { table } from '../table.ts';

/** A merge under way: what it has written counts once it is complete. */
export interface SearchMerge {
  readonly segmentId: number;
  readonly level: number;
  readonly sources: readonly number[];
  /** Terms up to this one are done. */
  readonly afterTerm: string;
  readonly firstTerms: readonly string[];
}

export interface SearchProgressRow {
  /** Messages up to this one are in segments; newer ones are looked at themselves. */
  readonly throughMessageId: number;
  /** Segments that are searched, by level, oldest first. */
  readonly segments: readonly (readonly number[])[];
  readonly merge: SearchMerge | null;
  /** Merged into others, and still to be removed. */
  readonly removed: readonly number[];
  /** UNIX milliseconds; after a bug the index rests until then. */
  readonly restsUntil: number;
}

/** One row. */
export const searchProgress = table<[only: 'search'], SearchProgressRow>('search_progress', [
  'throughMessageId',
  'segments',
  'merge',
  'removed',
  'restsUntil',
]);
