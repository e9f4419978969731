import { table } from '../table.ts';

/**
 * A part of the search index: the terms of some messages, in blocks, and in which messages each is. It is written once and
 * never changed; what has become of its messages since is seen in them.
 */
export interface SearchSegmentRow {
  /** How often its messages were merged from smaller segments. */
  readonly level: number;
  readonly firstMessageId: number;
  readonly lastMessageId: number;
  /** The first term of each block, in the order of JavaScript's strings. */
  readonly firstTerms: readonly string[];
}

export const searchSegments = table<[segmentId: number], SearchSegmentRow>('search_segments', [
  'level',
  'firstMessageId',
  'lastMessageId',
  'firstTerms',
]);
