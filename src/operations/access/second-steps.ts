import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { Reads } from './groups.ts';

export type Method = 'app' | 'passkey' | 'recovery_code';

/** Returns the ways in which an account passes its second step; none if it has no such step. */
export function methodsOf(reads: Reads, userId: number): Method[] {
  const row = reads.secondSteps.get([userId]);
  const app = row?.app ?? null;
  const recoveryHashes = row?.recoveryHashes ?? [];
  const hasPasskey = !reads.passkeys.keysUnder([userId])[Symbol.iterator]().next().done;
  if (app === null && !hasPasskey) return [];
  return [
    ...(app === null ? [] : (['app'] as const)),
    ...(hasPasskey ? (['passkey'] as const) : []),
    ...(recoveryHashes.length === 0 ? [] : (['recovery_code'] as const)),
  ];
}

/**
 * Tests whether an account has to add a second step before it may do anything else: the
 * organization requires one of all people.
 */
export function isLacking(reads: Reads, { id, botType, isSystem }: UserRow): boolean {
  if (reads.realm.get(['realm'])?.settings.require_second_step !== true) return false;
  return botType === null && !isSystem && methodsOf(reads, id).length === 0;
}
