import type { SearchSegmentRow } from '../../../storage/tables/messages/search.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  ListsWriter,
  listsOf,
  type PackedList,
  type Postings,
  unpackInto,
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

  return {
    add(term: string, postings: Postings) {
      const bytes = Buffer.byteLength(term) + 1;
      const isFull =
        Math.max(termsLength + bytes, lists.length + LIST_LENGTH_MAX) > BLOCK_LENGTH_MAX;
      if (isFull) endBlock();
      const list = lists.add(postings, LIST_LENGTH_MAX);
      if (list !== null) {
        tx.searchPostings.put([segmentId, firstTerms.length, terms.length], { list });
      }
      terms.push(term);
      termsLength += bytes;
    },
    finish(): readonly string[] {
      endBlock();
      return firstTerms;
    },
  };
}

/** A position among the terms of a segment, which follow in order. */
export interface Cursor {
  readonly term: string | undefined;
  /** Appends the messages of the term, and moves to the next one. */
  take(lists: Postings): void;
}

export function openCursor(tx: Reads, segmentId: number, afterTerm: string): Cursor {
  const { firstTerms } = segmentOf(tx, segmentId);
  let number = blockOf(firstTerms, afterTerm);
  let block = openBlock(tx, { segmentId, number });
  let index = 0;

  function skipToTerm() {
    if (index < block.terms.length) return;
    number += 1;
    block = number < firstTerms.length ? openBlock(tx, { segmentId, number }) : NO_BLOCK;
    index = 0;
  }

  while (index < block.terms.length && (block.terms[index] ?? '') <= afterTerm) index += 1;
  skipToTerm();
  return {
    get term() {
      return block.terms[index];
    },
    take(lists) {
      unpackInto(lists, block.listAt(index));
      index += 1;
      skipToTerm();
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

interface Block {
  readonly terms: readonly string[];
  listAt(index: number): PackedList;
}

const NO_BLOCK: Block = { terms: [], listAt: () => wholeList(new Uint8Array()) };

function openBlock(tx: Reads, ref: BlockRef): Block {
  const terms = termsIn(tx, ref).split('\n');
  const { segmentId, number } = ref;
  const lists = listsOf(bytesIn(tx, ref), [...terms.keys()]);
  return {
    terms,
    listAt(index) {
      const list = lists[index];
      if (list === undefined) throw new Error(`block ${number} has no list ${index}`);
      return opened(tx, { key: [segmentId, number, index], list });
    },
  };
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
