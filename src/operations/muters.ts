import type { Reads } from './groups.ts';

/** Those who do not want to hear a user; mostly nobody. */
export const mutersOf = (tx: Reads, userId: number): readonly number[] =>
  Array.from(tx.muters.keysUnder([userId]), ([, muterId]) => muterId);
