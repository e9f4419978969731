import type { SearchMerge, SearchProgressRow } from '../../../storage/tables/messages/search.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { merged, noPostings, type Postings } from '../../domain/rules/search/posting-lists.ts';
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

/** Begins a merge, and writes its first terms if there is time after its sources were opened. */
export function beginMerge(
  tx: RealmTransaction,
  { progress, level, sizes, isOver }: Step & { level: number },
): SearchProgressRow {
  const sources = (progress.segments[level] ?? []).slice(0, sizes.segmentsMerged);
  const segmentId = tx.nextId('searchSegment');
  const merge = { segmentId, level: level + 1, sources, afterTerm: '', firstTerms: [] };
  const cursors = cursorsOf(tx, merge);
  openMerges.set(tx, { segmentId, afterTerm: '', cursors });
  if (isOver()) return { ...progress, merge };
  return continueMerge(tx, { progress, merge, sizes, isOver });
}

/**
 * Writes the next terms of a merge. The sources are searched until it is complete. It ends with a
 * block when its time is over, so that short steps leave no small blocks, except of long lists.
 */
export function continueMerge(
  tx: RealmTransaction,
  { progress, merge, sizes, isOver }: Step & { merge: SearchMerge },
): SearchProgressRow {
  const cursors = cursorsOf(tx, merge);
  const writer = blocks.openWriter(tx, merge.segmentId, merge.firstTerms);
  let { afterTerm } = merge;
  let blockAt = 0;
  for (let written = 0; written < sizes.idsMerged; ) {
    const term = firstTermOf(cursors);
    if (term === undefined) return complete(tx, { progress, merge, firstTerms: writer.finish() });
    const isFull = writer.wouldBeginBlock(term);
    if ((isFull || written - blockAt >= IDS_OF_SHORT_BLOCK) && isOver()) break;
    if (isFull) blockAt = written;
    const lists = noPostings();
    for (const cursor of cursors) if (cursor.term === term) cursor.take(lists);
    writer.add(term, merged(lists));
    written += lists.ids.length + IDS_PER_TERM;
    afterTerm = term;
  }
  openMerges.set(tx, { segmentId: merge.segmentId, afterTerm, cursors });
  return { ...progress, merge: { ...merge, afterTerm, firstTerms: writer.finish() } };
}

interface OpenMerge extends Pick<SearchMerge, 'segmentId' | 'afterTerm'> {
  readonly cursors: readonly blocks.Cursor[];
}

/**
 * The cursors of merges that go on, by the realm's transaction: to open a block of each source
 * takes longer than the rest of a step.
 */
const openMerges = new WeakMap<RealmTransaction, OpenMerge>();

/** Returns the cursors of the step before, or opens them if there was none or it was undone. */
function cursorsOf(tx: RealmTransaction, { segmentId, afterTerm, sources }: SearchMerge) {
  const open = openMerges.get(tx);
  openMerges.delete(tx); // A step that fails leaves them between two terms.
  if (open?.segmentId === segmentId && open.afterTerm === afterTerm) return open.cursors;
  return sources
    .map((id) => blocks.openCursor(tx, id, afterTerm))
    .filter((cursor) => cursor.term !== undefined);
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
  { progress, sizes }: Pick<Step, 'progress' | 'sizes'>,
): SearchProgressRow {
  let left = sizes.rowsRemoved;
  let { removed } = progress;
  for (const segmentId of progress.removed) {
    left -= removeRows(tx, segmentId, left);
    if (left <= 0) break;
    tx.searchSegments.remove([segmentId]);
    removed = removed.slice(1);
  }
  return { ...progress, removed };
}

/** Removes at most so many rows of each kind; returns how many of the kind with more. */
function removeRows(tx: RealmTransaction, segmentId: number, limit: number): number {
  const keys = [...tx.searchBlocks.keysUnder([segmentId], { limit })];
  const lists = [...tx.searchPostings.keysUnder([segmentId], { limit })];
  for (const key of keys) {
    tx.searchBlocks.remove(key);
    tx.searchLists.remove(key);
  }
  for (const key of lists) tx.searchPostings.remove(key);
  return Math.max(keys.length, lists.length);
}
