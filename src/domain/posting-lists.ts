/**
 * Which messages have a term, and where. A list is stored as bytes: for each message the difference to the id before, seven
 * bits a byte, the lowest first; then where the term is.
 */

export interface Postings {
  /** Ascending, each once. */
  readonly ids: number[];
  /** Of each message, in which runs of its text the term is: 32 bits, for the number of the run modulo 32. */
  readonly places: number[];
}

export const noPostings = (): Postings => ({ ids: [], places: [] });

/** Adds to a list, message by message; `run` is negative for what is in no place. */
export function note({ ids, places }: Postings, id: number, run: number) {
  const place = run < 0 ? 0 : 1 << (run & 31);
  const last = ids.length - 1;
  if (ids[last] === id) places[last] = (places[last] ?? 0) | place;
  else {
    ids.push(id);
    places.push(place);
  }
}

/** Places are mostly one, and then take a byte. */
const NO_PLACE = 32;
const SEVERAL_PLACES = 33;

export function packed({ ids, places }: Postings): Uint8Array {
  const bytes = new ByteWriter(ids.length * 3 + 8);
  let last = 0;
  for (let index = 0; index < ids.length; index++) {
    const id = ids[index] ?? 0;
    const place = places[index] ?? 0;
    bytes.number(id - last);
    last = id;
    if (place === 0) bytes.number(NO_PLACE);
    else if ((place & (place - 1)) === 0) bytes.number(31 - Math.clz32(place));
    else {
      bytes.number(SEVERAL_PLACES);
      bytes.word(place);
    }
  }
  return bytes.taken();
}

/** Appends what is in `bytes` from `start` up to `end`. */
export function unpackInto(
  { ids, places }: Postings,
  bytes: Uint8Array,
  { start = 0, end = bytes.length }: { start?: number; end?: number } = {},
) {
  const byte = (at: number) => bytes[at] ?? 0;
  let id = 0;
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
    ids.push(id);
    const place = byte(at++);
    if (place < NO_PLACE) places.push(1 << place);
    else if (place === NO_PLACE) places.push(0);
    else {
      places.push(byte(at) | (byte(at + 1) << 8) | (byte(at + 2) << 16) | (byte(at + 3) << 24));
      at += 4;
    }
  }
}

/** Of several lists, one after the other: each message once, in order. */
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

/** Where ids lie closer, a look at every place between the first and the last one is quicker than sorting them. */
const SPAN_PER_ID_MAX = 32;

function mergedInPlace({ ids, places }: Postings, first: number, last: number): Postings {
  const isThere = new Uint8Array(last - first + 1);
  const there = new Int32Array(last - first + 1);
  for (let index = 0; index < ids.length; index++) {
    const at = (ids[index] ?? 0) - first;
    isThere[at] = 1;
    there[at] = (there[at] ?? 0) | (places[index] ?? 0);
  }
  const result = noPostings();
  for (let at = 0; at < isThere.length; at++) {
    if (isThere[at] === 0) continue;
    result.ids.push(first + at);
    result.places.push(there[at] ?? 0);
  }
  return result;
}

function mergedBySorting({ ids, places }: Postings): Postings {
  const order = Array.from(ids.keys()).sort((one, other) => (ids[one] ?? 0) - (ids[other] ?? 0));
  const result = noPostings();
  for (const index of order) {
    const end = result.ids.length - 1;
    const id = ids[index] ?? 0;
    const place = places[index] ?? 0;
    if (result.ids[end] === id) result.places[end] = (result.places[end] ?? 0) | place;
    else {
      result.ids.push(id);
      result.places.push(place);
    }
  }
  return result;
}

/** What is in both of two ascending lists. */
export function common(some: readonly number[], others: readonly number[]): number[] {
  const ids: number[] = [];
  let index = 0;
  for (const id of some) {
    while ((others[index] ?? Number.POSITIVE_INFINITY) < id) index += 1;
    if (others[index] === id) ids.push(id);
  }
  return ids;
}

/** Those of a list that have one of its places so many runs before one of the other list. */
export function followed(list: Postings, other: Postings, runs: number): Postings {
  const result = noPostings();
  let index = 0;
  for (let at = 0; at < list.ids.length; at++) {
    const id = list.ids[at] ?? 0;
    while ((other.ids[index] ?? Number.POSITIVE_INFINITY) < id) index += 1;
    if (other.ids[index] !== id) continue;
    const place = (list.places[at] ?? 0) & rotated(other.places[index] ?? 0, runs);
    if (place === 0) continue;
    result.ids.push(id);
    result.places.push(place);
  }
  return result;
}

/** The places so many runs before. */
export const rotated = (place: number, runs: number): number =>
  (place >>> (runs & 31)) | (place << (-runs & 31));

/** The lists of several terms, each after its length in bytes; the length 0 stands for a list that is kept elsewhere. */
export class ListsWriter {
  private readonly bytes = new ByteWriter(256);

  get length(): number {
    return this.bytes.length;
  }
  add(list: Uint8Array) {
    this.bytes.number(list.length);
    this.bytes.append(list);
  }
  addElsewhere() {
    this.bytes.number(0);
  }
  taken(): Uint8Array {
    return this.bytes.taken();
  }
}

export interface PackedList {
  readonly start: number;
  readonly end: number;
}

/** Where the lists are, in the order of their terms. */
export function listsOf(bytes: Uint8Array): PackedList[] {
  const lists: PackedList[] = [];
  for (let at = 0; at < bytes.length; ) {
    let length = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++] ?? 0;
      length += (byte & 127) * scale;
      if (byte < 128) break;
    }
    lists.push({ start: at, end: at + length });
    at += length;
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
  append(more: Uint8Array) {
    this.reserve(more.length);
    this.bytes.set(more, this.length);
    this.length += more.length;
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
