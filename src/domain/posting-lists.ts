/** Lists of message ids as bytes: the difference to the id before, seven bits a byte, the lowest first. */

export function packed(ids: readonly number[]): Uint8Array {
  const bytes = new ByteWriter(ids.length * 2 + 8);
  let last = 0;
  for (const id of ids) {
    bytes.number(id - last);
    last = id;
  }
  return bytes.taken();
}

/** Appends what is in `bytes` from `start` up to `end`. */
export function unpackInto(
  ids: number[],
  bytes: Uint8Array,
  { start = 0, end = bytes.length }: { start?: number; end?: number } = {},
) {
  let id = 0;
  for (let at = start; at < end; ) {
    let value = bytes[at++] ?? 0;
    if (value > 127) {
      value &= 127;
      for (let scale = 128; ; scale *= 128) {
        const byte = bytes[at++] ?? 0;
        value += (byte & 127) * scale;
        if (byte < 128) break;
      }
    }
    id += value;
    ids.push(id);
  }
}

/** Ascending, each once. */
export function unique(ids: number[]): number[] {
  let isAscending = true;
  for (let index = 1; index < ids.length && isAscending; index++) {
    isAscending = (ids[index - 1] ?? 0) < (ids[index] ?? 0);
  }
  if (isAscending) return ids;
  const sorted = Float64Array.from(ids).sort();
  return Array.from(sorted.filter((id, index) => id !== sorted[index - 1]));
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
