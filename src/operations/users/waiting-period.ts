import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { endOfWaiting } from '../../domain/rules/people/users.ts';
import { type Reads, realmSetting } from '../access/groups.ts';

/**
 * Keeps the members in the waiting period, who become full members as time passes. This state is
 * stored, and not derived from the clock, so that permissions and events change in one commit
 * (docs/decisions/0065).
 */

/** Puts a new account into the waiting period, if there is one. */
export function begin(tx: RealmTransaction, { id, dateJoined }: UserRow) {
  if (!isWaiting(tx, dateJoined)) return;
  tx.waitingMembers.put([dateJoined, id], {});
  tx.wakeAt(endAt(tx, dateJoined));
}

export const isWaiting = (tx: Reads & { readonly now: number }, dateJoined: number): boolean =>
  endAt(tx, dateJoined) > tx.now;

export const endAt = (tx: Reads, dateJoined: number): number =>
  endOfWaiting(dateJoined, realmSetting(tx, 'waiting_period_threshold')) * 1000;
