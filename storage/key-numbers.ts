import type { Database } from 'lmdb';
import type { Key, KeyPart } from './table.ts';

/** Which of the numbers at the end of the keys under a prefix. */
export interface NumberRange {
  /** Inclusive. */
  readonly low: number;
  /** Exclusive. */
  readonly high: number;
  readonly isReverse: boolean;
  readonly limit: number;
  /** How many are passed before the first: lmdb does it at a fifth of the price of reading them. */
  readonly offset?: number;
}

/** lmdb writes a number within an array of key parts as so many bytes, whatever it is. */
const NUMBER_BYTES = 9;

const float = new Float64Array(1);
const halves = new DataView(float.buffer);

/**
 * Reads the last part of keys, where that is a number of zero or more, at half the price of the keys: nothing is made but
 * the numbers, and the range is made once. (lmdb looks at `start` and `end` of its options whenever an iteration begins, and
 * makes a decoder of texts for each new range.)
 */
export function openKeyNumbers<V>(database: Database<V, KeyPart[]>, asOf: object) {
  // The same database, but for what it takes from the bytes of a key.
  const numbered = Object.create(database, { readKey: { value: lastNumber } }) as Database<
    V,
    KeyPart[]
  >;
  const common = { ...asOf, values: false, start: NO_KEY, end: NO_KEY, offset: 0 };
  const upwards = { ...common, reverse: false };
  // Reversed, a walk begins at the upper bound.
  const downwards = { ...common, reverse: true, exclusiveStart: true, inclusiveEnd: true };
  const ascending = numbered.getKeys(upwards) as unknown as Iterable<number>; // by `lastNumber`
  const descending = numbered.getKeys(downwards) as unknown as Iterable<number>; // the same

  return {
    read(prefix: Key, { low, high, isReverse, limit, offset = 0 }: NumberRange): number[] {
      const options = isReverse ? downwards : upwards;
      options.start = [...prefix, isReverse ? high : low];
      options.end = [...prefix, isReverse ? low : high];
      options.offset = offset;
      const numbers: number[] = [];
      if (limit <= 0) return numbers;
      for (const number of isReverse ? descending : ascending) {
        if (numbers.push(number) >= limit) break;
      }
      return numbers;
    },
  };
}

const NO_KEY: KeyPart[] = [];

/** An ordered double: four bits that say it is positive, then its own without the sign, exponent and the last four bits. */
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
