/**
 * The posting list of a term: the messages that have it, and in which runs. As bytes it has, for
 * each message, the difference to the id before, seven bits a byte, the lowest first; then the
 * runs.
 */

export interface Postings {
  /** Ids of messages, ascending, each once. */
  readonly ids: number[];
  /**
   * The runs of each message's text that have the term: 32 bits, for the number of the run modulo
   * 32.
   */
  readonly runMasks: number[];
}

export const noPostings = (): Postings => ({ ids: [], runMasks: [] });

/** Adds to a list, message by message; `run` is negative for a term that is in no run. */
export function note({ ids, runMasks }: Postings, id: number, run: number) {
  const mask = run < 0 ? 0 : 1 << (run & 31);
  const last = ids.length - 1;
  if (ids[last] === id) runMasks[last] = (runMasks[last] ?? 0) | mask;
  else {
    ids.push(id);
    runMasks.push(mask);
  }
}

/** A message mostly has a term in one run, and then the mask takes a byte. */
const NO_RUN = 32;
const SEVERAL_RUNS = 33;

export function packed(postings: Postings): Uint8Array {
  pack(postings);
  return packing.taken();
}

/** Writes the bytes of a list to `packing`, where they stay until the next list is packed. */
function pack({ ids, runMasks }: Postings) {
  packing.length = 0;
  let last = 0;
  for (let index = 0; index < ids.length; index++) {
    const id = ids[index] ?? 0;
    const mask = runMasks[index] ?? 0;
    packing.number(id - last);
    last = id;
    if (mask === 0) packing.number(NO_RUN);
    else if ((mask & (mask - 1)) === 0) packing.number(31 - Math.clz32(mask));
    else {
      packing.number(SEVERAL_RUNS);
      packing.word(mask);
    }
  }
}

/** The list that was read last. It is used before another list is read. */
const read = { ids: new Float64Array(1024), runMasks: new Int32Array(1024) };

/** Reads a list into `read`. Returns how many messages it has. */
function readList({ bytes, start, end }: PackedList): number {
  const countMax = (end - start) / MESSAGE_BYTES_MIN;
  if (read.ids.length < countMax) {
    read.ids = new Float64Array(countMax * 2);
    read.runMasks = new Int32Array(countMax * 2);
  }
  const { ids, runMasks } = read;
  const byte = (at: number) => bytes[at] ?? 0;
  let id = 0;
  let count = 0;
  for (let at = start; at < end; ) {
    let value = byte(at++);
    if (value > 127) {
      value &= 127;
      for (let scale = 128; ; scale *= 128) {
        const more = byte(at++);
        value += (more & 127) * scale;
        if (more < 128) break;
      }
    }
    id += value;
    let mask = byte(at++);
    if (mask < NO_RUN) mask = 1 << mask;
    else if (mask === NO_RUN) mask = 0;
    else {
      mask = byte(at) | (byte(at + 1) << 8) | (byte(at + 2) << 16) | (byte(at + 3) << 24);
      at += 4;
    }
    ids[count] = id;
    runMasks[count] = mask;
    count += 1;
  }
  return count;
}

/** A byte of the id, and one of the mask. */
const MESSAGE_BYTES_MIN = 2;

/** Appends the messages of a list. */
export function unpackInto({ ids, runMasks }: Postings, list: PackedList) {
  const count = readList(list);
  for (let index = 0; index < count; index++) {
    ids.push(read.ids[index] ?? 0);
    runMasks.push(read.runMasks[index] ?? 0);
  }
}

/**
 * Writes the messages of all the lists to `packing`, as one list. Returns how many they are. Where
 * each list begins after the one before it, as in segments of ever newer messages, its bytes stay
 * as they are, apart from its first id.
 */
function packTogether(lists: readonly PackedList[]): number {
  packing.length = 0;
  let last = -1;
  let all = 0;
  for (const list of lists) {
    const count = readList(list);
    if (count === 0) continue;
    const first = read.ids[0] ?? 0;
    if (first <= last) return packSorted(lists);
    packing.number(all === 0 ? first : first - last);
    packing.append(list.bytes, afterNumber(list.bytes, list.start), list.end);
    last = read.ids[count - 1] ?? 0;
    all += count;
  }
  return all;
}

function packSorted(lists: readonly PackedList[]): number {
  const appended = noPostings();
  for (const list of lists) unpackInto(appended, list);
  const sorted = merged(appended);
  pack(sorted);
  return sorted.ids.length;
}

/** Returns the position of the byte after a number. */
function afterNumber(bytes: Uint8Array, start: number): number {
  let at = start;
  while ((bytes[at] ?? 0) > 127) at += 1;
  return at + 1;
}

/** Merges several lists that were appended one after the other: each message once, in order. */
export function merged(lists: Postings): Postings {
  const { ids } = lists;
  let isAscending = true;
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (let index = 0; index < ids.length; index++) {
    const id = ids[index] ?? 0;
    if (id <= last) isAscending = false;
    if (id < first) first = id;
    if (id > last) last = id;
  }
  if (isAscending) return lists;
  return last - first < ids.length * SPAN_PER_ID_MAX
    ? mergedInPlace(lists, first, last)
    : mergedBySorting(lists);
}

/**
 * If ids lie closer than this, a pass over every id between the first and the last is quicker than
 * sorting them.
 */
const SPAN_PER_ID_MAX = 32;

function mergedInPlace({ ids, runMasks }: Postings, first: number, last: number): Postings {
  const isThere = new Uint8Array(last - first + 1);
  const there = new Int32Array(last - first + 1);
  for (let index = 0; index < ids.length; index++) {
    const at = (ids[index] ?? 0) - first;
    isThere[at] = 1;
    there[at] = (there[at] ?? 0) | (runMasks[index] ?? 0);
  }
  const result = noPostings();
  for (let at = 0; at < isThere.length; at++) {
    if (isThere[at] === 0) continue;
    result.ids.push(first + at);
    result.runMasks.push(there[at] ?? 0);
  }
  return result;
}

function mergedBySorting({ ids, runMasks }: Postings): Postings {
  const order = Array.from(ids.keys()).sort((one, other) => (ids[one] ?? 0) - (ids[other] ?? 0));
  const result = noPostings();
  for (const index of order) {
    const end = result.ids.length - 1;
    const id = ids[index] ?? 0;
    const mask = runMasks[index] ?? 0;
    if (result.ids[end] === id) result.runMasks[end] = (result.runMasks[end] ?? 0) | mask;
    else {
      result.ids.push(id);
      result.runMasks.push(mask);
    }
  }
  return result;
}

/** The lists of the terms that pass one test. */
export interface PassingLists {
  readonly lists: readonly PackedList[];
  /** Distance in runs from the first term of the phrase; null if the terms may be anywhere. */
  readonly runsAfter: number | null;
}

/** A mask with all runs. */
export const ANYWHERE = -1;

/**
 * Returns the messages of all the lists, one after the other, each with the runs in which the
 * phrase could begin.
 */
export function startedBy({ lists, runsAfter }: PassingLists): Postings {
  const found = noPostings();
  for (const list of lists) {
    const count = readList(list);
    for (let index = 0; index < count; index++) {
      const mask = runsAfter === null ? ANYWHERE : rotated(read.runMasks[index] ?? 0, runsAfter);
      if (mask === 0) continue;
      found.ids.push(read.ids[index] ?? 0);
      found.runMasks.push(mask);
    }
  }
  return found;
}

/**
 * Keeps the messages that are in one of the lists as well, with the runs that both allow. Ids far
 * apart may share a slot, so a few messages that are in none of the lists may be kept.
 */
export function keptBy(found: Postings, { lists, runsAfter }: PassingLists): Postings {
  slots.fill(0);
  for (const list of lists) {
    const count = readList(list);
    for (let index = 0; index < count; index++) {
      const slot = (read.ids[index] ?? 0) & LAST_SLOT;
      const mask = runsAfter === null ? ANYWHERE : (read.runMasks[index] ?? 0);
      slots[slot] = (slots[slot] ?? 0) | mask;
    }
  }
  const kept = noPostings();
  for (let index = 0; index < found.ids.length; index++) {
    const id = found.ids[index] ?? 0;
    const present = slots[id & LAST_SLOT] ?? 0;
    const mask = (found.runMasks[index] ?? 0) & rotated(present, runsAfter ?? 0);
    if (mask === 0) continue;
    kept.ids.push(id);
    kept.runMasks.push(mask);
  }
  return kept;
}

/** It has a slot for each message of the largest segments, whose ids mostly follow one another. */
const slots = new Int32Array(65_536);
const LAST_SLOT = slots.length - 1;

/** The mask of the runs that lie so many before. */
const rotated = (mask: number, runs: number): number =>
  (mask >>> (runs & 31)) | (mask << (-runs & 31));

/**
 * The lists of several terms, each after its length in bytes; the length 0 stands for a list that
 * is kept elsewhere.
 */
export class ListsWriter {
  private readonly bytes = new ByteWriter(256);

  get length(): number {
    return this.bytes.length;
  }
  /** Returns the bytes of a list that is too long, for the caller to store elsewhere; else null. */
  add(postings: Postings, lengthMax?: number): Uint8Array | null {
    pack(postings);
    return this.addPacked(lengthMax);
  }
  /** Adds the messages of several lists as one; tells how many they are. */
  addTogether(lists: readonly PackedList[], lengthMax?: number) {
    const messages = packTogether(lists);
    return { messages, elsewhere: this.addPacked(lengthMax) };
  }
  private addPacked(lengthMax = Number.POSITIVE_INFINITY): Uint8Array | null {
    if (packing.length > lengthMax) {
      this.addElsewhere();
      return packing.taken();
    }
    this.bytes.number(packing.length);
    packing.appendTo(this.bytes);
    return null;
  }
  addElsewhere() {
    this.bytes.number(0);
  }
  taken(): Uint8Array {
    return this.bytes.taken();
  }
}

export interface PackedList {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

export const wholeList = (bytes: Uint8Array): PackedList => ({
  bytes,
  start: 0,
  end: bytes.length,
});

/** Reads the lists of a block, one after the other; it stands on one of them, or before all. */
export class ListsReader implements PackedList {
  readonly bytes: Uint8Array;
  start = 0;
  end = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
  /** Moves to the next list; returns false if there is none. */
  next(): boolean {
    const { bytes } = this;
    let at = this.end;
    if (at >= bytes.length) return false;
    let length = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++] ?? 0;
      length += (byte & 127) * scale;
      if (byte < 128) break;
    }
    this.start = at;
    this.end = at + length;
    return true;
  }
}

/** Returns the positions of the lists with these numbers, which are ascending. */
export function listsOf(bytes: Uint8Array, numbers: readonly number[]): PackedList[] {
  const lists: PackedList[] = [];
  const reader = new ListsReader(bytes);
  let number = -1;
  for (const next of numbers) {
    while (number < next && reader.next()) number += 1;
    if (number < next) break;
    lists.push({ bytes, start: reader.start, end: reader.end });
  }
  return lists;
}

class ByteWriter {
  private bytes: Uint8Array;
  length = 0;

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
  }
  number(value: number) {
    this.reserve(NUMBER_BYTES_MAX);
    let rest = value;
    while (rest > 127) {
      this.bytes[this.length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.bytes[this.length++] = rest;
  }
  word(value: number) {
    this.reserve(4);
    for (let shift = 0; shift < 32; shift += 8) this.bytes[this.length++] = (value >>> shift) & 255;
  }
  append(from: Uint8Array, start: number, end: number) {
    this.reserve(end - start);
    // Most lists have a few bytes: to copy them one by one costs less than a view of them.
    if (end - start <= BYTES_OF_SHORT_LIST) {
      for (let at = start; at < end; at++) this.bytes[this.length++] = from[at] ?? 0;
      return;
    }
    this.bytes.set(from.subarray(start, end), this.length);
    this.length += end - start;
  }
  appendTo(other: ByteWriter) {
    other.append(this.bytes, 0, this.length);
  }
  taken(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }
  private reserve(more: number) {
    if (this.length + more <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.length + more));
    larger.set(this.bytes);
    this.bytes = larger;
  }
}

/** Fifty-three bits, seven a byte. */
const NUMBER_BYTES_MAX = 8;
const BYTES_OF_SHORT_LIST = 64;

const packing = new ByteWriter(1024);
