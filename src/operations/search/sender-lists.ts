import type {
  SenderBlockRow,
  SenderProgressRow,
} from '../../../storage/tables/messages/senders.ts';
import type { RealmReader, RealmTransaction } from '../../../storage/transaction.ts';
import type { Reads } from '../access/groups.ts';
import {
  AFTER_LAST_ID,
  ascendingIds,
  type IdSet,
  indexed,
  passing,
} from '../indexes/ids/iterators.ts';
import { type Bounded, lazyUnion, union } from '../indexes/ids/unions.ts';
import { lastIdOf, MESSAGES_PER_LOOK, REST_MS, stepTimer } from './background-work.ts';

/** The sizes of the lists; tests use smaller ones. */
export interface Sizes {
  /** Messages of a block; so many may be looked at themselves. */
  readonly block: number;
  /** Messages that are listed together. */
  readonly listed: number;
  /** Rows of a list that one step looks at. */
  readonly rows: number;
}

/**
 * The messages of a sender are all over the messages, so each message that is listed by itself
 * writes a page of the list. Of 4,096 messages that are listed together many share one. A list that
 * is half written goes on with the sizes that it began with: others take a migration.
 */
export const SIZES: Sizes = { block: 256, listed: 4_096, rows: 256 };

interface Progress extends SenderProgressRow {
  readonly listedThrough: number;
}

/** Without a row, all messages are listed: the store is of a schema before, and read as it is. */
function progressOf(tx: Reads): Progress {
  const listedThrough = tx.senderLists.get(['senders'])?.listedThrough ?? AFTER_LAST_ID;
  const row = tx.senderProgress.get(['senders']);
  return { listedThrough, ...(row ?? { ...NO_BLOCKS, blockedThrough: listedThrough }) };
}

const NO_BLOCKS = { rowsListed: 0, restsUntil: 0 };

const isWorkLeft = ({ listedThrough, blockedThrough }: Progress, lastId: number) =>
  blockedThrough - listedThrough >= SIZES.listed || lastId - blockedThrough >= SIZES.block;

/**
 * Notes a new message, which costs a send nothing more: its sender is looked for in the message
 * itself until it is listed, together with many others.
 */
export function noteSent(tx: RealmTransaction, id: number) {
  if (id === 1) tx.senderLists.put(['senders'], { listedThrough: 0 });
  if (id % MESSAGES_PER_LOOK === 0 && isWorkLeft(progressOf(tx), id)) tx.wakeAt(tx.now);
}

/** Removes a message that is deleted. */
export const leave = (tx: RealmTransaction, { senderId, id }: { senderId: number; id: number }) =>
  tx.senderMessages.remove([senderId, id]);

/**
 * Returns the messages of a sender, wherever they are noted. A few of them may have been deleted.
 */
export function sentBy(tx: Reads, senderId: number): IdSet {
  const progress = progressOf(tx);
  const newest = indexed(tx.messages, [], { from: progress.blockedThrough + 1 });
  return union([
    indexed(tx.senderMessages, [senderId]),
    lazyUnion(blocksIn(tx, progress, senderId)),
    passing(newest, (id) => senderOf(tx, id) === senderId),
  ]);
}

/** Tests whether a message can be found by its sender. */
export function isFoundBySender(tx: Reads, senderId: number, id: number): boolean {
  if (tx.senderMessages.has([senderId, id])) return true;
  const { listedThrough, blockedThrough } = progressOf(tx);
  if (id <= listedThrough) return false;
  if (id > blockedThrough) return true;
  for (const [[first], { senderIds }] of tx.senderBlocks.range(upTo(id))) {
    return senderIds[id - first] === senderId;
  }
  return false;
}

/** The range whose first row is the block of a message. */
const upTo = (id: number) => ({ end: [id + 1], isReverse: true, limit: 1 });

function blocksIn(tx: Reads, { listedThrough, blockedThrough }: Progress, senderId: number) {
  const parts: Bounded[] = [];
  const range = { start: [listedThrough + 1], end: [blockedThrough + 1] };
  for (const [[first], { senderIds }] of tx.senderBlocks.range(range)) {
    const open = () => ascendingIds(idsOf(first, senderIds, senderId));
    parts.push({ first, last: first + senderIds.length - 1, open });
  }
  return parts;
}

function idsOf(first: number, senderIds: SenderBlockRow['senderIds'], senderId: number) {
  const ids: number[] = [];
  for (let at = senderIds.indexOf(senderId); at >= 0; at = senderIds.indexOf(senderId, at + 1)) {
    ids.push(first + at);
  }
  return ids;
}

/** Columns of a message up to that of its sender. */
const SENDER_COLUMNS = 2;

function senderOf(tx: Reads, id: number): number {
  const columns = tx.messages.leading([id], SENDER_COLUMNS);
  return columns?.[1] ?? tx.messages.get([id])?.senderId ?? 0;
}

/** Returns when there are messages to list. */
export function nextAt(reader: Reads): number | undefined {
  const progress = progressOf(reader);
  return isWorkLeft(progress, lastIdOf(reader)) ? progress.restsUntil : undefined;
}

/** The messages of some blocks in the order of the list. */
interface Prepared {
  readonly after: number;
  /** A sender and a message among these in one number, which sorts faster than pairs. */
  readonly places: Float64Array;
  readonly blocks: readonly [firstMessageId: number][];
}

/** The lists that are to be written next, by the realm's reader. */
const nextLists = new WeakMap<RealmReader, Prepared>();

export const preparedIn = (reader: RealmReader): Prepared | null => nextLists.get(reader) ?? null;

/** Forgets a list that was prepared, as there is nothing to do. */
export const forgetPrepared = (reader: RealmReader) => void nextLists.delete(reader);

/**
 * Sorts the messages that are to be listed next, once for all steps that list them: blocks stay as
 * they are. Returns false if it did: others have their turns before they are listed.
 */
export function prepare(reader: RealmReader, sizes: Sizes = SIZES): boolean {
  const { listedThrough, blockedThrough } = progressOf(reader);
  if (blockedThrough - listedThrough < sizes.listed) forgetPrepared(reader);
  else if (nextLists.get(reader)?.after !== listedThrough) {
    nextLists.set(reader, sortedAfter(reader, listedThrough, sizes));
    return false;
  }
  return true;
}

function sortedAfter(tx: Reads, after: number, { listed }: Sizes): Prepared {
  const range = { start: [after + 1], end: [after + listed + 1] } as const;
  const blocks = [...tx.senderBlocks.range(range)];
  const senderIds = blocks.flatMap(([, row]) => row.senderIds);
  const places = Float64Array.from(senderIds, (senderId, offset) => senderId * listed + offset);
  return { after, places: places.sort(), blocks: blocks.map(([key]) => key) };
}

interface StepOptions {
  readonly sizes?: Sizes;
  readonly isOver?: () => boolean;
  readonly prepared?: Prepared | null;
}

/** Does several parts of the work, until its time is over. */
export function work(
  tx: RealmTransaction,
  {
    clockMs = () => performance.now(),
    ...options
  }: Omit<StepOptions, 'isOver'> & { readonly clockMs?: () => number } = {},
) {
  const isOver = stepTimer(clockMs);
  while (step(tx, { ...options, isOver }) && !isOver());
}

const never = () => false;

/** Does one small part of the work; returns false if there was none. */
export function step(
  tx: RealmTransaction,
  { sizes = SIZES, isOver = never, prepared = null }: StepOptions = {},
): boolean {
  const progress = progressOf(tx);
  const { listedThrough, blockedThrough } = progress;
  if (blockedThrough - listedThrough >= sizes.listed) {
    const isNext = prepared?.after === listedThrough;
    const list = isNext ? prepared : sortedAfter(tx, listedThrough, sizes);
    listSome(tx, progress, { list, sizes, isOver });
  } else if (tx.lastId('message') - blockedThrough >= sizes.block) addBlock(tx, progress, sizes);
  else return false;
  return true;
}

export function rest(tx: RealmTransaction) {
  note(tx, progressOf(tx), { restsUntil: tx.now + REST_MS });
}

function note(tx: RealmTransaction, before: Progress, done: Partial<SenderProgressRow>) {
  const { blockedThrough, rowsListed } = before;
  tx.senderProgress.put(['senders'], { blockedThrough, rowsListed, restsUntil: 0, ...done });
}

function addBlock(tx: RealmTransaction, progress: Progress, { block }: Sizes) {
  const first = progress.blockedThrough + 1;
  const senderIds = Array.from({ length: block }, (_, offset) => senderOf(tx, first + offset));
  tx.senderBlocks.put([first], { senderIds });
  note(tx, progress, { blockedThrough: first + block - 1 });
}

interface Listing {
  readonly list: Prepared;
  readonly sizes: Sizes;
  readonly isOver: () => boolean;
}

/**
 * Lists some messages of the oldest blocks, in the order of the list, so that steps write pages one
 * after the other. A message that was deleted meanwhile is passed over.
 */
function listSome(
  tx: RealmTransaction,
  progress: Progress,
  { list: { after, places, blocks }, sizes: { listed, rows }, isOver }: Listing,
) {
  let { rowsListed } = progress;
  const end = rowsListed + rows;
  while (rowsListed < Math.min(end, places.length)) {
    const place = places[rowsListed] ?? 0;
    const id = after + 1 + (place % listed);
    if (tx.messages.has([id])) tx.senderMessages.put([Math.floor(place / listed), id], {});
    rowsListed += 1;
    if (rowsListed % ROWS_PER_LOOK === 0 && isOver()) break;
  }
  if (rowsListed < places.length) return note(tx, progress, { rowsListed });
  for (const key of blocks) tx.senderBlocks.remove(key);
  tx.senderLists.put(['senders'], { listedThrough: after + listed });
  note(tx, progress, { rowsListed: 0 });
}

/** Rows of a list after which a step looks whether its time is over. */
const ROWS_PER_LOOK = 16;
