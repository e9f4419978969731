import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { SearchProgressRow } from '../../../storage/tables/messages/search.ts';
import type { RealmReader, RealmTransaction } from '../../../storage/transaction.ts';
import type { Reads } from '../access/groups.ts';
import { lastIdOf, MESSAGES_PER_LOOK, REST_MS, stepTimer } from './background-work.ts';
import { hasSameTerms, NewSegment, Terms } from './new-segment.ts';
import * as segments from './segments.ts';

/** The sizes of the index; tests use smaller ones. */
export interface Sizes {
  /** Messages of a new segment. A search may read as many of the newest messages themselves. */
  readonly messages: number;
  /** Segments of one level that are merged into one of the next. */
  readonly segmentsMerged: number;
  /**
   * The level whose segments are not merged any more: a search opens one segment at a time, newest
   * first.
   */
  readonly levelMax: number;
  /** Characters after which a segment is written, even with few messages. */
  readonly characters: number;
  /** Ids that one step of a merge writes. */
  readonly idsMerged: number;
  /** Rows that one step removes. */
  readonly rowsRemoved: number;
}

/**
 * Each step takes about two milliseconds; every message is written three times: 256, 4,096, and
 * 65,536 to a segment.
 */
export const SIZES: Sizes = {
  messages: 256,
  segmentsMerged: 16,
  levelMax: 2,
  characters: 128 * 1024,
  idsMerged: 10_000,
  rowsRemoved: 250,
};

const NOTHING_INDEXED: SearchProgressRow = {
  throughMessageId: 0,
  segments: [],
  merge: null,
  removed: [],
  restsUntil: 0,
};

export const progressOf = (tx: Reads): SearchProgressRow =>
  tx.searchProgress.get(['search']) ?? NOTHING_INDEXED;

/**
 * Notes a new message, which costs a send nothing more: it is searched as it is until the index
 * includes it, together with many others.
 */
export function noteSent(tx: RealmTransaction, id: number) {
  if (id % MESSAGES_PER_LOOK !== 0) return;
  if (id - progressOf(tx).throughMessageId >= SIZES.messages) tx.wakeAt(tx.now);
}

/**
 * Notes a changed message. `before` is what the index contains, or is about to contain: messages of
 * the next segment may have been read for it.
 */
export function noteChange(tx: RealmTransaction, before: MessageRow, after: MessageRow) {
  if (hasSameTerms(before, after)) return;
  const { throughMessageId } = progressOf(tx);
  if (before.id > throughMessageId + SIZES.messages) return;
  tx.rewordedMessages.put([before.id], {});
  if (before.id <= throughMessageId) tx.wakeAt(tx.now);
}

/** Returns when the index has work to do. */
export function nextAt(reader: Reads): number | undefined {
  const progress = progressOf(reader);
  const lastId = lastIdOf(reader);
  return workOf(reader, { progress, lastId, sizes: SIZES, isOver: never }) === null
    ? undefined
    : progress.restsUntil;
}

const never = () => false;

interface StepOptions {
  readonly sizes?: Sizes;
  readonly isOver?: () => boolean;
  /** The segment that may be written, null for none; without it the step reads one itself. */
  readonly prepared?: NewSegment | null;
}

/** Does one small part of the work; a smaller one when its time is over meanwhile. */
export function step(
  tx: RealmTransaction,
  { sizes = SIZES, isOver = never, prepared }: StepOptions = {},
): boolean {
  const progress = progressOf(tx);
  const lastId = tx.lastId('message');
  const work = workOf(tx, { progress, lastId, sizes, isOver, prepared });
  if (work === null) return false;
  tx.searchProgress.put(['search'], { ...work(tx), restsUntil: 0 });
  return true;
}

interface WorkOptions extends Omit<StepOptions, 'isOver'> {
  readonly clockMs?: () => number;
}

/**
 * Does several parts of the work if they are small, as most are: to look what else is due costs the
 * realm more than many a part.
 */
export function work(
  tx: RealmTransaction,
  { clockMs = () => performance.now(), ...options }: WorkOptions = {},
) {
  const isOver = stepTimer(clockMs);
  while (step(tx, { ...options, isOver }) && !isOver());
}

/**
 * A realm that is so many segments behind reads for longer at a time: searches look at all of them.
 */
const SEGMENTS_BEHIND_MAX = 8;
const READ_BEHIND_MS_MAX = 2;

/** The segments that are being read, by the realm's reader. */
const nextSegments = new WeakMap<RealmReader, NewSegment>();

export const preparedIn = (reader: RealmReader): NewSegment | null =>
  nextSegments.get(reader) ?? null;

/** Forgets a segment that was prepared, as there is nothing to do. */
export const forgetPrepared = (reader: RealmReader) => void nextSegments.delete(reader);

/**
 * Reads a part of the next segment, if that is what is to be done next. Returns false if its time
 * is over then: others have their turns before more is read, or the segment is written.
 */
export function prepare(
  reader: RealmReader,
  { sizes = SIZES, clockMs = () => performance.now() }: Omit<WorkOptions, 'prepared'> = {},
): boolean {
  const lastId = lastIdOf(reader);
  const looking = { progress: progressOf(reader), lastId, sizes, isOver: never, prepared: null };
  const range = rangeOf(looking);
  // Without a segment there is work if something else is to be done first.
  if (range === null || workOf(reader, looking) !== null) return true;
  let segment = nextSegments.get(reader);
  if (segment?.first !== range.first) {
    segment = new NewSegment(range);
    nextSegments.set(reader, segment);
  }
  if (segment.isWhole) return true;
  const isBehind = lastId - segment.first >= SEGMENTS_BEHIND_MAX * sizes.messages;
  const isOver = stepTimer(clockMs, isBehind ? READ_BEHIND_MS_MAX : undefined);
  return segment.read(reader, isOver) && !isOver();
}

export function rest(tx: RealmTransaction) {
  tx.searchProgress.put(['search'], { ...progressOf(tx), restsUntil: tx.now + REST_MS });
}

interface Looking {
  readonly progress: SearchProgressRow;
  readonly lastId: number;
  readonly sizes: Sizes;
  readonly isOver: () => boolean;
  readonly prepared?: StepOptions['prepared'];
}

type Work = (tx: RealmTransaction) => SearchProgressRow;

function workOf(tx: Reads, looking: Looking): Work | null {
  const { progress, sizes, isOver } = looking;
  const { merge, removed } = progress;
  if (merge !== null) return (tx) => segments.continueMerge(tx, { progress, merge, sizes, isOver });
  if (removed.length > 0) return (tx) => segments.removeSome(tx, { progress, sizes, isOver });
  const level = progress.segments
    .slice(0, sizes.levelMax)
    .findIndex((ids) => ids.length >= sizes.segmentsMerged);
  if (level >= 0) return (tx) => segments.beginMerge(tx, { progress, level, sizes, isOver });
  const range = rangeOf(looking);
  if (range !== null) return newestWork(looking, range);
  const limit = sizes.messages;
  const keys = tx.rewordedMessages.keys({ end: [progress.throughMessageId + 1], limit });
  const reworded = Array.from(keys, ([id]) => id);
  return reworded.length < limit ? null : (tx) => indexReworded(tx, { progress, reworded, sizes });
}

/** Returns the messages of the next segment, null while there are too few. */
function rangeOf({ progress, lastId, sizes }: Pick<Looking, 'progress' | 'lastId' | 'sizes'>) {
  const { throughMessageId: before } = progress;
  if (lastId - before < sizes.messages) return null;
  return { first: before + 1, last: before + sizes.messages, characters: sizes.characters };
}

type Range = NonNullable<ReturnType<typeof rangeOf>>;

function newestWork({ progress, prepared }: Looking, range: Range): Work | null {
  if (prepared === undefined) {
    return (tx) => {
      const segment = new NewSegment(range);
      segment.read(tx, never);
      return writeNewest(tx, progress, segment);
    };
  }
  // It is of another time, or not all of it was read: it is prepared first.
  if (prepared?.first !== range.first || !prepared.isWhole) return null;
  return (tx) => writeNewest(tx, progress, prepared);
}

function writeNewest(tx: RealmTransaction, progress: SearchProgressRow, segment: NewSegment) {
  const { first, through, terms } = segment;
  for (const [id] of [...tx.rewordedMessages.keys({ start: [first], end: [through + 1] })]) {
    const row = tx.messages.get([id]);
    if (row === undefined || !segment.isOlderThan(row)) tx.rewordedMessages.remove([id]);
  }
  const indexed = segments.add(tx, { progress, terms: terms.postings, range: [first, through] });
  return { ...indexed, throughMessageId: through };
}

function indexReworded(
  tx: RealmTransaction,
  {
    progress,
    reworded,
    sizes,
  }: Pick<Looking, 'progress' | 'sizes'> & { reworded: readonly number[] },
) {
  const terms = new Terms();
  let last = 0;
  for (const id of reworded) {
    const row = tx.messages.get([id]);
    if (row !== undefined) terms.add(row);
    tx.rewordedMessages.remove([id]);
    last = id;
    if (terms.characters >= sizes.characters) break;
  }
  return segments.add(tx, { progress, terms: terms.postings, range: [reworded[0] ?? last, last] });
}
