import type { SearchMerge, SearchProgressRow } from '../../../storage/tables/messages/search.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { noPostings, type Postings } from '../../domain/rules/search/posting-lists.ts';
import type { Reads } from '../access/groups.ts';
import * as blocks from './blocks.ts';

/** The cost of a term in a merge, in ids. */
const IDS_PER_TERM = 4;
/** A block that has cost so much may end a step, though it is short: its lists are long. */
const IDS_OF_SHORT_BLOCK = 4_000;

type Terms = ReadonlyMap<string, Postings>;

/** Adds a segment for new or reworded messages. */
export function add(
  tx: RealmTransaction,
  {
    progress,
    terms,
    range,
  }: { progress: SearchProgressRow; terms: Terms; range: [number, number] },
): SearchProgressRow {
  // All of the messages are gone.
  if (terms.size === 0) return progress;
  const segmentId = tx.nextId('searchSegment');
  const writer = blocks.openWriter(tx, segmentId, []);
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
  /** Tests whether the time of a step is over. A step does some of the work in any case. */
  readonly isOver: () => boolean;
}

/** Begins to merge the oldest segments of a level into one of the next. */
export function beginMerge(
  tx: RealmTransaction,
  { progress, level, sizes, isOver }: Step & { level: number },
): SearchProgressRow {
  const sources = (progress.segments[level] ?? []).slice(0, sizes.segmentsMerged);
  const segmentId = tx.nextId('searchSegment');
  const merge = { segmentId, level: level + 1, sources, afterTerm: '', firstTerms: [] };
  return continueMerge(tx, { progress, merge, sizes, isOver });
}

/**
 * Opens the sources of a merge, or writes its next terms if they are open. The sources are searched
 * until it is complete. A step ends with a block when its time is over, so that short steps leave
 * no small blocks, except of long lists.
 */
export function continueMerge(
  tx: RealmTransaction,
  { progress, merge, sizes, isOver }: Step & { merge: SearchMerge },
): SearchProgressRow {
  const open = takeOpen(tx, merge);
  const { cursors } = open;
  if (!openSources(tx, open, isOver)) {
    openMerges.set(tx, open);
    return { ...progress, merge };
  }
  const writer = blocks.openWriter(tx, merge.segmentId, merge.firstTerms);
  let { afterTerm } = merge;
  let blockAt = 0;
  for (let written = 0; written < sizes.idsMerged; ) {
    const term = firstTermOf(cursors);
    if (term === undefined) return complete(tx, { progress, merge, firstTerms: writer.finish() });
    const isFull = writer.wouldBeginBlock(term);
    if ((isFull || written - blockAt >= IDS_OF_SHORT_BLOCK) && isOver()) break;
    if (isFull) blockAt = written;
    const of = cursors.filter((cursor) => cursor.term === term);
    const messages = writer.addTogether(
      term,
      of.map((cursor) => cursor.take()),
    );
    written += messages + IDS_PER_TERM;
    afterTerm = term;
  }
  openMerges.set(tx, { ...open, afterTerm });
  return { ...progress, merge: { ...merge, afterTerm, firstTerms: writer.finish() } };
}

interface OpenMerge extends Pick<SearchMerge, 'segmentId' | 'afterTerm'> {
  readonly cursors: blocks.Cursor[];
  /** Sources that have no cursor yet. */
  readonly closed: number[];
}

/**
 * The cursors of merges that go on, by the realm's transaction: to open a block of each source
 * takes longer than the rest of a step.
 */
const openMerges = new WeakMap<RealmTransaction, OpenMerge>();

/** Returns the merge as the step before left it, or closed if there was none or it was undone. */
function takeOpen(tx: RealmTransaction, { segmentId, afterTerm, sources }: SearchMerge): OpenMerge {
  const open = openMerges.get(tx);
  openMerges.delete(tx); // A step that fails leaves them between two terms.
  if (open?.segmentId === segmentId && open.afterTerm === afterTerm) return open;
  return { segmentId, afterTerm, cursors: [], closed: [...sources] };
}

/** Opens sources that are closed, at least one. Returns false if there is no time for more. */
function openSources(tx: Reads, { cursors, closed, afterTerm }: OpenMerge, isOver: () => boolean) {
  for (let id = closed.shift(); id !== undefined; id = closed.shift()) {
    const cursor = blocks.openCursor(tx, id, afterTerm);
    if (cursor.term !== undefined) cursors.push(cursor);
    if (isOver()) return false;
  }
  return true;
}

function firstTermOf(cursors: readonly blocks.Cursor[]): string | undefined {
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
  const rows = sources.map((id) => blocks.segmentOf(tx, id));
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

/** Tests whether all messages of a segment were deleted. */
function isEmpty(tx: Reads, segmentId: number): boolean {
  const { firstMessageId, lastMessageId } = blocks.segmentOf(tx, segmentId);
  for (const _ of tx.messages.keys({
    start: [firstMessageId],
    end: [lastMessageId + 1],
    limit: 1,
  })) {
    return false;
  }
  return true;
}

/** Removes some rows of merged segments: of several, as most have few. */
export function removeSome(
  tx: RealmTransaction,
  { progress, sizes, isOver }: Step,
): SearchProgressRow {
  let left = sizes.rowsRemoved;
  let { removed } = progress;
  for (const segmentId of progress.removed) {
    const { count, isLast } = removeRows(tx, segmentId, { limit: left, isOver });
    if (!isLast) break;
    tx.searchSegments.remove([segmentId]);
    removed = removed.slice(1);
    left -= count;
    if (left <= 0 || isOver()) break;
  }
  return { ...progress, removed };
}

/** Removes at most so many rows, fewer when the time is over. Tells whether they were the last. */
function removeRows(
  tx: RealmTransaction,
  segmentId: number,
  { limit, isOver }: { readonly limit: number; readonly isOver: () => boolean },
) {
  const lists = [...tx.searchPostings.keysUnder([segmentId], { limit })];
  const left = limit - lists.length;
  const keys = left > 0 ? [...tx.searchBlocks.keysUnder([segmentId], { limit: left })] : [];
  let count = 0;
  for (const list of lists) {
    tx.searchPostings.remove(list);
    count += 1;
    if (isOver()) return { count, isLast: false };
  }
  for (const key of keys) {
    tx.searchBlocks.remove(key);
    tx.searchLists.remove(key);
    count += 1;
    if (isOver()) return { count, isLast: false };
  }
  return { count, isLast: count < limit };
}
