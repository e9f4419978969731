import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { SearchProgressRow } from '../../../storage/tables/messages/search.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { noPostings, note, type Postings } from '../../domain/rules/search/posting-lists.ts';
import { eachTermOf } from '../../domain/rules/search/text-search.ts';
import type { Reads } from '../access/groups.ts';
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

/** The pause after a bug; meanwhile searches read messages themselves. */
const REST_MS = 3_600_000;
/** Every so many messages, a send checks how many are not indexed yet. */
const MESSAGES_PER_LOOK = 64;

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

/** Notes a changed message. `before` is what the index contains, or is about to contain. */
export function noteChange(tx: RealmTransaction, before: MessageRow, after: MessageRow) {
  if (
    after.content === before.content &&
    after.renderedContent === before.renderedContent &&
    after.topic === before.topic
  ) {
    return;
  }
  if (before.id > progressOf(tx).throughMessageId) return;
  tx.rewordedMessages.put([before.id], {});
  tx.wakeAt(tx.now);
}

/** Returns when the index has work to do. */
export function nextAt(reader: Reads): number | undefined {
  const progress = progressOf(reader);
  const lastId = reader.counters.get(['counters'])?.message ?? 0;
  return workOf(reader, { progress, lastId, sizes: SIZES, isOver: never }) === null
    ? undefined
    : progress.restsUntil;
}

const never = () => false;

/** Does one small part of the work; a smaller one when its time is over meanwhile. */
export function step(tx: RealmTransaction, sizes: Sizes = SIZES, isOver = never): boolean {
  const progress = progressOf(tx);
  const work = workOf(tx, { progress, lastId: tx.lastId('message'), sizes, isOver });
  if (work === null) return false;
  tx.searchProgress.put(['search'], { ...work(tx), restsUntil: 0 });
  return true;
}

/** After this time no other step follows in the same operation, so that others wait for little. */
const WORK_MS_MAX = 1;

/**
 * Does several parts of the work if they are small, as most are: to look what else is due costs the
 * realm more than many a part.
 */
export function work(
  tx: RealmTransaction,
  sizes: Sizes = SIZES,
  clockMs: () => number = () => performance.now(),
) {
  const end = clockMs() + WORK_MS_MAX;
  const isOver = () => clockMs() >= end;
  while (step(tx, sizes, isOver) && !isOver());
}

export function rest(tx: RealmTransaction) {
  tx.searchProgress.put(['search'], { ...progressOf(tx), restsUntil: tx.now + REST_MS });
}

interface Looking {
  readonly progress: SearchProgressRow;
  readonly lastId: number;
  readonly sizes: Sizes;
  readonly isOver: () => boolean;
}

type Work = (tx: RealmTransaction) => SearchProgressRow;

function workOf(tx: Reads, { progress, lastId, sizes, isOver }: Looking): Work | null {
  const { merge, removed } = progress;
  if (merge !== null) return (tx) => segments.continueMerge(tx, { progress, merge, sizes, isOver });
  if (removed.length > 0) return (tx) => segments.removeSome(tx, { progress, sizes });
  const level = progress.segments
    .slice(0, sizes.levelMax)
    .findIndex((ids) => ids.length >= sizes.segmentsMerged);
  if (level >= 0) return (tx) => segments.beginMerge(tx, { progress, level, sizes, isOver });
  if (lastId - progress.throughMessageId >= sizes.messages) {
    return (tx) => indexNewest(tx, { progress, lastId, sizes });
  }
  const reworded = Array.from(tx.rewordedMessages.keys({ limit: sizes.messages }), ([id]) => id);
  return reworded.length < sizes.messages
    ? null
    : (tx) => indexReworded(tx, { progress, reworded, sizes });
}

/** Collects the terms of messages that are added in ascending order, each with its messages. */
class Terms {
  readonly postings = new Map<string, Postings>();
  characters = 0;

  add(row: MessageRow) {
    const { id } = row;
    this.characters += row.content.length + row.renderedContent.length;
    eachTermOf(row, (term, run) => {
      let list = this.postings.get(term);
      if (list === undefined) {
        list = noPostings();
        this.postings.set(term, list);
      }
      note(list, id, run);
    });
  }
}

function indexNewest(tx: RealmTransaction, { progress, lastId, sizes }: Omit<Looking, 'isOver'>) {
  const first = progress.throughMessageId + 1;
  const last = Math.min(lastId, progress.throughMessageId + sizes.messages);
  const terms = new Terms();
  let through = last;
  for (const [[id], row] of tx.messages.range({ start: [first], end: [last + 1] })) {
    terms.add(row);
    if (terms.characters < sizes.characters) continue;
    through = id;
    break;
  }
  const reworded = [...tx.rewordedMessages.keys({ start: [first], end: [through + 1] })];
  for (const key of reworded) tx.rewordedMessages.remove(key);
  const indexed = segments.add(tx, { progress, terms: terms.postings, range: [first, through] });
  return { ...indexed, throughMessageId: through };
}

function indexReworded(
  tx: RealmTransaction,
  {
    progress,
    reworded,
    sizes,
  }: Omit<Looking, 'lastId' | 'isOver'> & { reworded: readonly number[] },
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
