import { table } from '../../table.ts';

/**
 * A part of the search index: the terms of some messages, in blocks, and for each term the messages
 * that have it. It is written once and never changed; a search looks at the messages themselves for
 * what has become of them since.
 */
export interface SearchSegmentRow {
  /** How often its messages were merged from smaller segments. */
  readonly level: number;
  readonly firstMessageId: number;
  readonly lastMessageId: number;
  /** The first term of each block, in the order of JavaScript's strings. */
  readonly firstTerms: readonly string[];
}

/**
 * Bytes in memory of each of the three tables that searches look through: enough for two million
 * messages. A segment has few blocks, and so few first terms.
 */
const CACHED_BYTES = { segments: 2_000_000, blocks: 16_000_000, lists: 16_000_000 };
/** Bytes in memory of a first term, including its share of the list. */
const TERM_BYTES = 32;

export const searchSegments = table<[segmentId: number], SearchSegmentRow>(
  'search_segments',
  ['level', 'firstMessageId', 'lastMessageId', 'firstTerms'],
  {
    cache: {
      policy: 'immutable',
      sizeOf: ({ firstTerms }) => firstTerms.length * TERM_BYTES,
      sizeMax: CACHED_BYTES.segments,
    },
  },
);

/** Terms of a segment, ascending, with a line break between them: a term has no space. */
export const searchBlocks = table<[segmentId: number, block: number], { readonly terms: string }>(
  'search_blocks',
  ['terms'],
  {
    cache: {
      policy: 'immutable',
      sizeOf: ({ terms }) => terms.length,
      sizeMax: CACHED_BYTES.blocks,
    },
  },
);

/**
 * The messages of each term of a block (src/domain/rules/search/posting-lists.ts), apart from the
 * terms, so that looking through terms does not read the lists. Long lists are in
 * `search_postings`.
 */
export const searchLists = table<
  [segmentId: number, block: number],
  { readonly lists: Uint8Array }
>('search_lists', ['lists'], {
  cache: {
    policy: 'immutable',
    sizeOf: ({ lists }) => lists.length,
    sizeMax: CACHED_BYTES.lists,
  },
});

/** The messages of a frequent term. */
export const searchPostings = table<
  [segmentId: number, block: number, term: number],
  { readonly list: Uint8Array }
>('search_postings', ['list']);

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
  /** Segments that were merged into others and are still to be removed. */
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

/**
 * Messages that were edited after they came into the search index. Searches look at the messages
 * themselves.
 */
export const rewordedMessages = table<[messageId: number], object>('reworded_messages', []);
