import type { SearchSegmentRow } from '../../../storage/tables/messages/search.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  ListsReader,
  ListsWriter,
  listsOf,
  type PackedList,
  type Postings,
  wholeList,
} from '../../domain/rules/search/posting-lists.ts';
import type { Reads } from '../access/groups.ts';

/**
 * Bytes of the terms or the lists of a block: with the overhead of LMDB and msgpack they fit a
 * page.
 */
const BLOCK_LENGTH_MAX = 3_800;
/** Bytes of a list; longer lists have rows of their own. */
const LIST_LENGTH_MAX = 256;

export function segmentOf(tx: Reads, segmentId: number): SearchSegmentRow {
  const row = tx.searchSegments.get([segmentId]);
  if (row === undefined) throw new Error(`there is no segment ${segmentId} of the search index`);
  return row;
}

/** Opens a writer of terms, which come in order, after the existing blocks. */
export function openWriter(tx: RealmTransaction, segmentId: number, written: readonly string[]) {
  const firstTerms = [...written];
  let terms: string[] = [];
  let lists = new ListsWriter();
  let termsLength = 0;

  function endBlock() {
    const [firstTerm] = terms;
    if (firstTerm === undefined) return;
    const key: [number, number] = [segmentId, firstTerms.length];
    tx.searchBlocks.put(key, { terms: terms.join('\n') });
    tx.searchLists.put(key, { lists: lists.taken() });
    firstTerms.push(firstTerm);
    terms = [];
    lists = new ListsWriter();
    termsLength = 0;
  }

  const hasRoomFor = (bytes: number) =>
    Math.max(termsLength + bytes, lists.length + LIST_LENGTH_MAX) <= BLOCK_LENGTH_MAX;

  const makeRoomFor = (term: string) => {
    if (!hasRoomFor(bytesOf(term))) endBlock();
  };

  function note(term: string, elsewhere: Uint8Array | null) {
    if (elsewhere !== null) {
      const key = [segmentId, firstTerms.length, terms.length] as const;
      tx.searchPostings.put([...key], { list: elsewhere });
    }
    terms.push(term);
    termsLength += bytesOf(term);
  }

  return {
    /** Tests whether this term would begin a block, apart from the first one. */
    wouldBeginBlock: (term: string) => terms.length > 0 && !hasRoomFor(bytesOf(term)),
    add(term: string, postings: Postings) {
      makeRoomFor(term);
      note(term, lists.add(postings, LIST_LENGTH_MAX));
    },
    /** Adds a term with the messages of all the lists; returns how many they are. */
    addTogether(term: string, of: readonly PackedList[]): number {
      makeRoomFor(term);
      const { messages, elsewhere } = lists.addTogether(of, LIST_LENGTH_MAX);
      note(term, elsewhere);
      return messages;
    },
    finish(): readonly string[] {
      endBlock();
      return firstTerms;
    },
  };
}

/** The bytes of a term in a block, with the line break after it. */
const bytesOf = (term: string) => Buffer.byteLength(term) + 1;

/** A position among the terms of a segment, which follow in order. */
export interface Cursor {
  readonly term: string | undefined;
  /** Returns the list of the term, and moves to the next one. */
  take(): PackedList;
}

export function openCursor(tx: Reads, segmentId: number, afterTerm: string): Cursor {
  const { firstTerms } = segmentOf(tx, segmentId);
  let number = blockOf(firstTerms, afterTerm);
  let block = openBlock(tx, { segmentId, number });

  function skipToTerm() {
    while (block.term === undefined && number + 1 < firstTerms.length) {
      number += 1;
      block = openBlock(tx, { segmentId, number });
    }
  }

  while (block.term !== undefined && block.term <= afterTerm) block.next();
  skipToTerm();
  return {
    get term() {
      return block.term;
    },
    take() {
      const { bytes, start, end } = block.lists;
      const list = opened(tx, {
        key: [segmentId, number, block.index],
        list: { bytes, start, end },
      });
      block.next();
      skipToTerm();
      return list;
    },
  };
}

/** Returns the number of the block in which a term would be. */
export function blockOf(firstTerms: readonly string[], term: string): number {
  let low = 0;
  let high = firstTerms.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((firstTerms[middle] ?? '') <= term) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

/** The key of a block. */
export interface BlockRef {
  readonly segmentId: number;
  readonly number: number;
}

/**
 * A block that is read term by term. A merge has many of them open, and lists of all their terms
 * would outlive collections of garbage.
 */
interface Block {
  /** Undefined at the end of the block. */
  readonly term: string | undefined;
  readonly index: number;
  /** It stands on the list of the term. */
  readonly lists: ListsReader;
  next(): void;
}

function openBlock(tx: Reads, ref: BlockRef): Block {
  const terms = termsIn(tx, ref);
  const lists = new ListsReader(bytesIn(tx, ref));
  let end = -1;
  const block = {
    term: undefined as string | undefined,
    index: -1,
    lists,
    next() {
      block.index += 1;
      if (end === terms.length) {
        block.term = undefined;
        return;
      }
      const start = end + 1;
      const lineEnd = terms.indexOf('\n', start);
      end = lineEnd === -1 ? terms.length : lineEnd;
      if (!lists.next()) throw new Error(`block ${ref.number} has no list ${block.index}`);
      block.term = terms.slice(start, end);
    },
  };
  block.next();
  return block;
}

/** Returns the terms of a block, with a line break between them. */
export function termsIn(tx: Reads, { segmentId, number }: BlockRef): string {
  const row = tx.searchBlocks.get([segmentId, number]);
  if (row === undefined) throw new Error(`there is no block ${number} of segment ${segmentId}`);
  return row.terms;
}

/** The list of a term, or its key if the list has a row of its own, because it is long. */
export interface BlockList {
  readonly key: readonly [segmentId: number, block: number, term: number];
  /** Empty if the list has a row of its own. */
  readonly list: PackedList;
}

/** Returns the lists of some terms of a block, whose numbers are in ascending order. */
export function listsIn(
  tx: Reads,
  { segmentId, number }: BlockRef,
  terms: readonly number[],
): BlockList[] {
  const lists = listsOf(bytesIn(tx, { segmentId, number }), terms);
  if (lists.length < terms.length) throw new Error(`block ${number} has not all lists`);
  return lists.map((list, index) => ({ key: [segmentId, number, terms[index] ?? 0], list }));
}

function bytesIn(tx: Reads, { segmentId, number }: BlockRef): Uint8Array {
  const row = tx.searchLists.get([segmentId, number]);
  if (row === undefined) throw new Error(`block ${number} of segment ${segmentId} has no lists`);
  return row.lists;
}

export const hasOwnRow = ({ list }: BlockList) => list.start === list.end;

export function opened(tx: Reads, entry: BlockList): PackedList {
  if (!hasOwnRow(entry)) return entry.list;
  const [segmentId, block, term] = entry.key;
  const row = tx.searchPostings.get([segmentId, block, term]);
  if (row === undefined) throw new Error(`there is no list ${entry.key.join()} of the index`);
  return wholeList(row.list);
}
