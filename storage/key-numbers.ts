import type { Database, Transaction } from 'lmdb';
import type { Key, KeyPart } from './key.ts';
import { decoderOf, type ValueReader, withKeyReader, withValueReader } from './lmdb-internals.ts';

/** The transaction that ranges are read in; by default the open one, or what is committed. */
export interface Moment {
  transaction?: Transaction | undefined;
}

/** A range of the numbers at the end of the keys under a prefix. */
export interface NumberRange {
  /** Inclusive. */
  readonly low: number;
  /** Exclusive. */
  readonly high: number;
  readonly isReverse: boolean;
  readonly limit: number;
  /** So many are passed before the first: lmdb does it at a fifth of the price of reading them. */
  readonly offset?: number;
}

/** A range that is read from its first number on. */
export type PieceBounds = Pick<NumberRange, 'low' | 'high' | 'limit'>;

/** Numbers in order, and the text that begins the row of each. */
export interface NumbersWithTexts {
  readonly numbers: readonly number[];
  readonly texts: readonly string[];
}

/** lmdb writes each number within an array of key parts as so many bytes. */
const NUMBER_BYTES = 9;

const float = new Float64Array(1);
const halves = new DataView(float.buffer);

/**
 * Reads the last part of keys, where that is a number of zero or more, at half the price of the
 * keys: nothing is made but the numbers, and the range is made once. (lmdb looks at `start` and
 * `end` of its options whenever an iteration begins, and makes a decoder of texts for each new
 * range.)
 */
export function openKeyNumbers(database: Database<unknown, KeyPart[]>, asOf: Moment) {
  const numbered = withKeyReader(database, lastNumber);
  const { transaction } = asOf;
  const common = { transaction, values: false, start: NO_KEY, end: NO_KEY, offset: 0 };
  const upwards = { ...common, reverse: false };
  // Reversed, a walk begins at the upper bound.
  const downwards = { ...common, reverse: true, exclusiveStart: true, inclusiveEnd: true };
  // A range is given with keys as they are written, and read as numbers.
  const keysOf = (range: object): Iterable<number> => numbered.getKeys(range);
  const ascending = keysOf(upwards);
  const descending = keysOf(downwards);
  const texted = withValueReader(numbered, firstTextReader(decoderOf(database)));
  const withTexts = { ...upwards, values: true };
  const entriesOf = (range: object): Iterable<{ key: number; value: string }> =>
    texted.getRange(range);
  const entries = entriesOf(withTexts);

  return {
    read(prefix: Key, { low, high, isReverse, limit, offset = 0 }: NumberRange): number[] {
      const options = isReverse ? downwards : upwards;
      options.start = [...prefix, isReverse ? high : low];
      options.end = [...prefix, isReverse ? low : high];
      options.offset = offset;
      options.transaction = asOf.transaction;
      const numbers: number[] = [];
      if (limit <= 0) return numbers;
      for (const number of isReverse ? descending : ascending) {
        if (numbers.push(number) >= limit) break;
      }
      return numbers;
    },
    readWithTexts(prefix: Key, { low, high, limit }: PieceBounds): NumbersWithTexts {
      withTexts.start = [...prefix, low];
      withTexts.end = [...prefix, high];
      withTexts.transaction = asOf.transaction;
      const numbers: number[] = [];
      const texts: string[] = [];
      if (limit <= 0) return { numbers, texts };
      for (const { key, value } of entries) {
        texts.push(value);
        if (numbers.push(key) >= limit) break;
      }
      return { numbers, texts };
    },
  };
}

const NO_KEY: KeyPart[] = [];

/**
 * The bytes are four bits that say the number is positive, then those of a double without its sign.
 */
function lastNumber(bytes: Uint8Array, _start: number, end: number): number {
  const at = end - NUMBER_BYTES;
  if (bytes !== viewed) {
    viewed = bytes;
    view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  const low = view.getUint32(at + 4);
  halves.setUint32(0, (view.getUint32(at) << 4) | (low >>> 28));
  halves.setUint32(4, (low << 4) | (view.getUint8(at + 8) >> 4));
  return halves.getFloat64(0);
}

/** lmdb writes all keys that it meets to the same place. */
let viewed: Uint8Array = new Uint8Array();
let view = new DataView(viewed.buffer);

/**
 * Reads the first column of rows, which is a text. Most rows begin with a text that was read
 * lately; its bytes show that (they begin with its length), and then nothing is decoded.
 */
function firstTextReader(
  decoder: ReturnType<typeof decoderOf<readonly [string]>>,
): ValueReader<string> {
  const known: (KnownText | undefined)[] = new Array(KNOWN_TEXTS).fill(undefined);

  return (bytes, size) => {
    const length = bytesOfFirstText(bytes);
    if (length === 0 || length > KNOWN_BYTES_MAX) return decoder.decode(bytes, size)[0];
    const place = placeOf(bytes, length);
    const there = known[place];
    if (there !== undefined && startsWith(bytes, length, there.bytes)) return there.text;
    const text = decoder.decode(bytes, size)[0];
    known[place] = { bytes: bytes.slice(0, length), text };
    return text;
  };
}

interface KnownText {
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** A power of two: the topics of a few channels. */
const KNOWN_TEXTS = 1024;
const KNOWN_BYTES_MAX = 512;

function placeOf(bytes: Uint8Array, length: number): number {
  let hash = 0;
  for (let at = 1; at < length; at++) hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0;
  return (hash ^ (hash >>> 10)) & (KNOWN_TEXTS - 1);
}

function startsWith(bytes: Uint8Array, length: number, known: Uint8Array): boolean {
  if (known.length !== length) return false;
  let at = 0;
  while (at < length && bytes[at] === known[at]) at += 1;
  return at === length;
}

/**
 * In msgpack one byte begins a short list, and one or two with its length begin a text. 0 if the
 * row begins otherwise.
 */
function bytesOfFirstText(bytes: Uint8Array): number {
  const list = bytes[0] ?? 0;
  const head = bytes[1] ?? 0;
  if (list >> 4 !== SHORT_LIST) return 0;
  if (head >> 5 === SHORT_TEXT) return 2 + (head & 31);
  return head === TEXT ? 3 + (bytes[2] ?? 0) : 0;
}

const SHORT_LIST = 0b1001;
const SHORT_TEXT = 0b101;
const TEXT = 0xd9;
