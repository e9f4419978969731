import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { endOfWaiting } from '../../domain/rules/people/users.ts';
import { type Reads, realmSetting } from '../access/groups.ts';

/**
 * Members become full members as time passes. Who is one is stored, and not found by the clock, so that what somebody may do
 * and what clients are told of it change in one commit (docs/decisions/0065).
 */

/** An account that has just been made may have to wait. */
export function begin(tx: RealmTransaction, { id, dateJoined }: UserRow) {
  if (!isEarly(tx, dateJoined)) return;
  tx.newcomers.put([dateJoined, id], {});
  tx.wakeAt(endAt(tx, dateJoined));
}

export const isEarly = (tx: Reads & { readonly now: number }, dateJoined: number): boolean =>
  endAt(tx, dateJoined) > tx.now;

export const endAt = (tx: Reads, dateJoined: number): number =>
  endOfWaiting(dateJoined, realmSetting(tx, 'waiting_period_threshold')) * 1000;
