import { type RecentlyUsed, recentlyUsed } from '../../src/domain/recently-used.ts';
import type { Key, KeyPart } from '../key.ts';
import type { SizedCache } from './policy.ts';

/** Keys of a table as they are looked up in memory. */
export type CacheKey = KeyPart;

/** A row that the store was asked for and did not have is remembered as well. */
export const ABSENT: unique symbol = Symbol('absent');

export type RowMap<Value extends object | typeof ABSENT> = RecentlyUsed<CacheKey, Value>;

/** Keeps the rows of a table that were read lately, up to the size that the table declares. */
export const openRowMap = <Value extends object | typeof ABSENT>({
  sizeOf,
  sizeMax,
}: Pick<SizedCache<Value>, 'sizeOf' | 'sizeMax'>): RowMap<Value> => recentlyUsed(sizeMax, sizeOf);

/** Two ids of this size fit into one number that is still exact. */
const FIRST_ID_MAX = 2 ** 21;
const SECOND_ID_MAX = 2 ** 32;

/**
 * Differs for different keys of one table, if the parts at one position are of one type and only
 * the last may contain a line break. Two ids become one number, because joining them to a text
 * costs more than the look into the map.
 */
export function cacheKeyOf(key: Key): CacheKey {
  // By index: taking the array apart would make an iterator for each row that is read.
  const first = key[0] ?? '';
  if (key.length === 1) return first;
  const second = key[1];
  if (key.length === 2 && isBelow(first, FIRST_ID_MAX) && isBelow(second, SECOND_ID_MAX)) {
    return first * SECOND_ID_MAX + second;
  }
  return key.join('\n');
}

const isBelow = (part: KeyPart | undefined, max: number): part is number =>
  typeof part === 'number' && Number.isInteger(part) && part >= 0 && part < max;

/** A longer text is rarely that of a row that exists, and would fill the memory. */
const KEY_LENGTH_MAX = 200;

export const isTooLongToKeep = (key: CacheKey) =>
  typeof key === 'string' && key.length > KEY_LENGTH_MAX;
