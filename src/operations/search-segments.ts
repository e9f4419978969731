import type { RealmTransaction } from '../../storage/realm-store.ts';
import type { SearchMerge, SearchProgressRow } from '../../storage/tables/search-progress.ts';
import type { SearchSegmentRow } from '../../storage/tables/search-segments.ts';
import {
  common,
  followed,
  ListsWriter,
  listsOf,
  merged,
  noPostings,
  type PackedList,
  type Postings,
  packed,
  unpackInto,
} from '../domain/posting-lists.ts';
import type { TermTest, TestGroup } from '../domain/search-terms.ts';
import type { Reads } from './groups.ts';

/** Of the terms or the lists of a block, in bytes: with what LMDB and msgpack add they fit a page. */
const BLOCK_LENGTH_MAX = 3_800;
/** Longer lists are kept apart. */
const LIST_LENGTH_MAX = 256;
/** What the term itself costs a merge, in ids. */
const IDS_PER_TERM = 4;
/** Terms of one segment that one test is looked up by; where there are more, it says too little to be worth it. */
const TERMS_MAX = 1_000;

type Terms = ReadonlyMap<string, Postings>;

/** A segment of messages that were not in the index, or said something else. */
export function add(
  tx: RealmTransaction,
  {
    progress,
    terms,
    range,
  }: { progress: SearchProgressRow; terms: Terms; range: [number, number] },
): SearchProgressRow {
  // Nothing is there any more.
  if (terms.size === 0) return progress;
  const segmentId = tx.nextId('searchSegment');
  const writer = openWriter(tx, segmentId, []);
  for (const term of [...terms.keys()].sort()) writer.add(term, terms.get(term) ?? noPostings());
  const [firstMessageId, lastMessageId] = range;
  const firstTerms = writer.finish();
  tx.searchSegments.put([segmentId], { level: 0, firstMessageId, lastMessageId, firstTerms });
  return { ...progress, segments: withSegment(progress.segments, { level: 0, segmentId }) };
}

const withSegment = (
  levels: SearchProgressRow['segments'],
  { level, segmentId }: { level: number; segmentId: number },
) =>
  Array.from({ length: Math.max(levels.length, level + 1) }, (_, index) => [
    ...(levels[index] ?? []),
    ...(index === level ? [segmentId] : []),
  ]);

interface Step {
  readonly progress: SearchProgressRow;
  readonly sizes: {
    readonly idsMerged: number;
    readonly rowsRemoved: number;
    readonly segmentsMerged: number;
  };
}

export function beginMerge(
  tx: RealmTransaction,
  { progress, level, sizes }: Step & { level: number },
): SearchProgressRow {
  const sources = (progress.segments[level] ?? []).slice(0, sizes.segmentsMerged);
  const segmentId = tx.nextId('searchSegment');
  const merge = { segmentId, level: level + 1, sources, afterTerm: '', firstTerms: [] };
  return { ...progress, merge };
}

/** Writes the next terms of a merge. The sources are searched until all of it is written. */
export function continueMerge(
  tx: RealmTransaction,
  { progress, merge, sizes }: Step & { merge: SearchMerge },
): SearchProgressRow {
  const cursors = merge.sources
    .map((id) => openCursor(tx, id, merge.afterTerm))
    .filter((cursor) => cursor.term !== undefined);
  const writer = openWriter(tx, merge.segmentId, merge.firstTerms);
  let { afterTerm } = merge;
  for (let written = 0; written < sizes.idsMerged; ) {
    const term = firstTermOf(cursors);
    if (term === undefined) return complete(tx, { progress, merge, firstTerms: writer.finish() });
    const lists = noPostings();
    for (const cursor of cursors) if (cursor.term === term) cursor.take(lists);
    writer.add(term, merged(lists));
    written += lists.ids.length + IDS_PER_TERM;
    afterTerm = term;
  }
  return { ...progress, merge: { ...merge, afterTerm, firstTerms: writer.finish() } };
}

function firstTermOf(cursors: readonly Cursor[]): string | undefined {
  let first: string | undefined;
  for (const { term } of cursors) {
    if (term !== undefined && (first === undefined || term < first)) first = term;
  }
  return first;
}

function complete(
  tx: RealmTransaction,
  {
    progress,
    merge,
    firstTerms,
  }: { progress: SearchProgressRow; merge: SearchMerge; firstTerms: readonly string[] },
): SearchProgressRow {
  const { segmentId, level, sources } = merge;
  const rows = sources.map((id) => segmentOf(tx, id));
  tx.searchSegments.put([segmentId], {
    level,
    firstMessageId: Math.min(...rows.map((row) => row.firstMessageId)),
    lastMessageId: Math.max(...rows.map((row) => row.lastMessageId)),
    firstTerms,
  });
  const all = withSegment(progress.segments, { level, segmentId });
  const gone = [...sources, ...all.flat().filter((id) => !sources.includes(id) && isEmpty(tx, id))];
  return {
    ...progress,
    segments: all.map((ids) => ids.filter((id) => !gone.includes(id))),
    merge: null,
    removed: [...progress.removed, ...gone],
  };
}

/** All of its messages were deleted. */
function isEmpty(tx: Reads, segmentId: number): boolean {
  const { firstMessageId, lastMessageId } = segmentOf(tx, segmentId);
  for (const _ of tx.messages.keys({
    start: [firstMessageId],
    end: [lastMessageId + 1],
    limit: 1,
  })) {
    return false;
  }
  return true;
}

export function segmentOf(tx: Reads, segmentId: number): SearchSegmentRow {
  const row = tx.searchSegments.get([segmentId]);
  if (row === undefined) throw new Error(`there is no segment ${segmentId} of the search index`);
  return row;
}

/** Removes some rows of what was merged. */
export function removeSome(tx: RealmTransaction, { progress, sizes }: Step): SearchProgressRow {
  const [segmentId = 0, ...others] = progress.removed;
  const limit = sizes.rowsRemoved;
  const blocks = [...tx.searchBlocks.keysUnder([segmentId], { limit })];
  const lists = [...tx.searchPostings.keysUnder([segmentId], { limit })];
  for (const key of blocks) {
    tx.searchBlocks.remove(key);
    tx.searchLists.remove(key);
  }
  for (const key of lists) tx.searchPostings.remove(key);
  if (blocks.length >= limit || lists.length >= limit) return progress;
  tx.searchSegments.remove([segmentId]);
  return { ...progress, removed: others };
}

/** Writes terms, which come in order, after the blocks that are there. */
function openWriter(tx: RealmTransaction, segmentId: number, written: readonly string[]) {
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
      const list = packed(postings);
      const bytes = Buffer.byteLength(term) + 1;
      const isFull =
        Math.max(termsLength + bytes, lists.length + LIST_LENGTH_MAX) > BLOCK_LENGTH_MAX;
      if (isFull) endBlock();
      if (list.length > LIST_LENGTH_MAX) {
        tx.searchPostings.put([segmentId, firstTerms.length, terms.length], { list });
        lists.addElsewhere();
      } else lists.add(list);
      terms.push(term);
      termsLength += bytes;
    },
    finish(): readonly string[] {
      endBlock();
      return firstTerms;
    },
  };
}

/** The terms of a segment after one, in order. */
interface Cursor {
  readonly term: string | undefined;
  /** Appends the messages of the term, and goes to the next one. */
  take(lists: Postings): void;
}

function openCursor(tx: Reads, segmentId: number, afterTerm: string): Cursor {
  const { firstTerms } = segmentOf(tx, segmentId);
  let number = blockOf(firstTerms, afterTerm);
  let block = openBlock(tx, segmentId, number);
  let index = 0;

  function skipToTerm() {
    if (index < block.terms.length) return;
    number += 1;
    block = number < firstTerms.length ? openBlock(tx, segmentId, number) : NO_BLOCK;
    index = 0;
  }

  while (index < block.terms.length && (block.terms[index] ?? '') <= afterTerm) index += 1;
  skipToTerm();
  return {
    get term() {
      return block.terms[index];
    },
    take(lists) {
      block.unpackInto(lists, index);
      index += 1;
      skipToTerm();
    },
  };
}

/** The block that has a term if any has it. */
function blockOf(firstTerms: readonly string[], term: string): number {
  let low = 0;
  let high = firstTerms.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((firstTerms[middle] ?? '') <= term) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

interface Block {
  readonly terms: readonly string[];
  unpackInto(lists: Postings, index: number): void;
}

const NO_BYTES = new Uint8Array();
const NO_BLOCK: Block = { terms: [], unpackInto: () => {} };

function openBlock(tx: Reads, segmentId: number, number: number): Block {
  return {
    terms: termsOf(readTerms(tx, segmentId, number)),
    unpackInto: listsReader(tx, [segmentId, number]),
  };
}

/** The terms of a block that pass a test, as numbers, and their lists. */
interface Passing {
  readonly numbers: readonly number[];
  unpackInto(lists: Postings, index: number): void;
}

function searchedBlock(
  tx: Reads,
  { segmentId, number }: { segmentId: number; number: number },
  test: TermTest,
): Passing {
  const text = knownTerms(tx, segmentId, number);
  const numbers = test.infix === '' ? numbersPassing(text, test) : numbersWithInfix(text, test);
  return { numbers, unpackInto: listsReader(tx, [segmentId, number]) };
}

function numbersPassing(text: string, { prefix, isExact, passes }: TermTest): number[] {
  const numbers: number[] = [];
  for (const [index, term] of termsOf(text).entries()) {
    if (isExact ? term === prefix : term.startsWith(prefix) && passes(term)) numbers.push(index);
  }
  return numbers;
}

/** Most terms are passed over without being taken out of the text; a line break ends each, and may end the infix. */
function numbersWithInfix(text: string, { prefix, infix, passes }: TermTest): number[] {
  const numbers: number[] = [];
  let index = 0;
  let start = 0;
  let at = 0;
  for (let hit = text.indexOf(infix); hit >= 0; hit = text.indexOf(infix, at + 1)) {
    for (; at < hit; at++) {
      if (text.charCodeAt(at) !== LINE_BREAK) continue;
      index += 1;
      start = at + 1;
    }
    at = text.indexOf('\n', start);
    const term = text.slice(start, at);
    if (term.startsWith(prefix) && passes(term)) numbers.push(index);
  }
  return numbers;
}

const LINE_BREAK = 10;

function readTerms(tx: Reads, segmentId: number, number: number): string {
  const row = tx.searchBlocks.get([segmentId, number]);
  if (row === undefined) throw new Error(`there is no block ${number} of segment ${segmentId}`);
  return `${row.terms}\n`;
}

interface Known {
  young: Map<number, string>;
  old: Map<number, string>;
  characters: number;
}

/**
 * The terms of blocks that were searched lately, of each open store: no block is ever changed, and where a phrase begins
 * within a word all of them are looked through.
 */
const KNOWN = new WeakMap<Reads['searchBlocks'], Known>();
/** Half of what is kept, in characters, each of which takes a byte where all are Latin: enough for two million messages. */
const KNOWN_CHARACTERS_MAX = 8_000_000;
const BLOCKS_PER_SEGMENT_MAX = 2 ** 24;

function knownTerms(tx: Reads, segmentId: number, number: number): string {
  let known = KNOWN.get(tx.searchBlocks);
  if (known === undefined) {
    known = { young: new Map(), old: new Map(), characters: 0 };
    KNOWN.set(tx.searchBlocks, known);
  }
  const name = segmentId * BLOCKS_PER_SEGMENT_MAX + number;
  const young = known.young.get(name);
  if (young !== undefined) return young;
  const terms = known.old.get(name) ?? readTerms(tx, segmentId, number);
  if (known.characters + terms.length > KNOWN_CHARACTERS_MAX) {
    known.old = known.young;
    known.young = new Map();
    known.characters = 0;
  }
  known.young.set(name, terms);
  known.characters += terms.length;
  return terms;
}

/** Each term ends with a line break. */
const termsOf = (text: string) => text.slice(0, -1).split('\n');

function listsReader(tx: Reads, key: [segmentId: number, number: number]) {
  const [segmentId, number] = key;
  let bytes: Uint8Array | undefined;
  let places: readonly PackedList[] = [];
  return (lists: Postings, index: number) => {
    if (bytes === undefined) {
      bytes = tx.searchLists.get(key)?.lists ?? NO_BYTES;
      places = listsOf(bytes);
    }
    const place = places[index];
    if (place === undefined) throw new Error(`there is no list ${index} in block ${number}`);
    if (place.end > place.start) unpackInto(lists, bytes, place);
    else unpackInto(lists, listApart(tx, [segmentId, number, index]));
  };
}

function listApart(tx: Reads, key: [segmentId: number, block: number, term: number]): Uint8Array {
  const row = tx.searchPostings.get(key);
  if (row === undefined) throw new Error(`there is no list ${key.join()} of the search index`);
  return row.list;
}

/**
 * The messages of a segment that pass the tests of each group, ascending; null when the tests say so little that all of
 * them may. Some may be among them that do not.
 */
export function idsOf(
  tx: Reads,
  segmentId: number,
  { firstTerms, groups }: { firstTerms: readonly string[]; groups: readonly TestGroup[] },
): readonly number[] | null {
  let found: readonly number[] | null = null;
  for (const group of groups) {
    let postings: Postings | null = null;
    for (const { test, at } of group) {
      const few = Math.min(found?.length ?? FEW + 1, postings?.ids.length ?? FEW + 1);
      // To look through all terms costs more than to look at a few messages.
      if (few <= FEW && test.prefix === '') continue;
      const passed = passing(tx, segmentId, { firstTerms, test });
      if (passed === null) continue;
      // Places are as of the first run of the phrase; of a single word none is looked at.
      const first: Postings = postings ?? {
        ids: passed.ids,
        places: passed.ids.map(() => ANYWHERE),
      };
      postings = group.length === 1 ? passed : followed(first, passed, at);
      if (postings.ids.length === 0) return [];
    }
    if (postings === null) continue;
    found = found === null ? postings.ids : common(found, postings.ids);
    if (found.length === 0) return found;
  }
  return found;
}

const FEW = 128;
const ANYWHERE = -1;

function passing(
  tx: Reads,
  segmentId: number,
  { firstTerms, test }: { firstTerms: readonly string[]; test: TermTest },
): Postings | null {
  const { prefix, isExact } = test;
  const lists = noPostings();
  let termCount = 0;
  for (let number = blockOf(firstTerms, prefix); number < firstTerms.length; number++) {
    const first = firstTerms[number] ?? '';
    if (first > prefix && (isExact || !first.startsWith(prefix))) break;
    const block = searchedBlock(tx, { segmentId, number }, test);
    termCount += block.numbers.length;
    if (termCount > TERMS_MAX) return null;
    for (const index of block.numbers) block.unpackInto(lists, index);
  }
  return merged(lists);
}
