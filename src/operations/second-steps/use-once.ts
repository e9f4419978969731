import { hash } from 'node:crypto';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { CHALLENGES_PER_STEP } from '../../domain/limits/credentials.ts';

/**
 * Uses a challenge or a token that counts once, and until then (UNIX milliseconds). Returns false
 * if it was used before, or counts no longer.
 */
export function useOnce(tx: RealmTransaction, text: string, endsAt: number): boolean {
  const expired = [...tx.usedChallenges.keys({ end: [tx.now], limit: CHALLENGES_PER_STEP })];
  for (const key of expired) tx.usedChallenges.remove(key);
  const key: [number, string] = [endsAt, hash('sha256', text)];
  if (tx.now >= endsAt || tx.usedChallenges.has(key)) return false;
  tx.usedChallenges.put(key, {});
  return true;
}
