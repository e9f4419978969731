import type { Reads } from './groups.ts';

/** Those who do not want to hear a user; mostly nobody. */
export function mutersOf(tx: Reads, userId: number): readonly number[] {
  const ids: number[] = [];
  for (const [, muterId] of tx.muters.keysUnder([userId])) ids.push(muterId);
  return ids;
}
