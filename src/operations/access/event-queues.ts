import { randomUUID } from 'node:crypto';
import type { QueueRow } from '../../../storage/tables/realm/events.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { QueueOptions } from '../../domain/wire/events/queue-options.ts';
import { isGuest } from '../../domain/wire/roles.ts';

export interface NewQueue {
  readonly id: string;
  readonly row: QueueRow;
}

/** Adds a queue that begins at the log's head: everything up to there is in the state that this transaction reads. */
export function add(
  tx: RealmTransaction,
  { userId, keyHash }: Pick<QueueRow, 'userId' | 'keyHash'>,
  options: QueueOptions,
): NewQueue {
  const id = randomUUID();
  const head = tx.head();
  const row: QueueRow = { userId, options, startedAt: head, acknowledged: head, keyHash };
  tx.queues.put([id], row);
  return { id, row };
}

/** Their clients register again: for when more has changed for all guests than events should tell (docs/decisions/0067). */
export function endOfGuests(tx: RealmTransaction) {
  // Read before anything is removed: a cursor does not outlive the removal of what it stands on.
  for (const [[id], { userId }] of [...tx.queues.range({})]) {
    const user = tx.users.get([userId]);
    if (user !== undefined && isGuest(user.role)) tx.endQueue(id);
  }
}

/**
 * Ends the queues of these users, who may not hear anything any more or are to register again, but for those that were
 * registered with a key that is kept.
 */
export function endOf(
  tx: RealmTransaction,
  userIds: ReadonlySet<number>,
  kept: string | null = null,
) {
  for (const [[id], { userId, keyHash }] of [...tx.queues.range({})]) {
    const isKept = kept !== null && keyHash === kept;
    if (userIds.has(userId) && !isKept) tx.endQueue(id);
  }
}

/**
 * Ends the queues that were registered with one key of this user, and those of which nobody knows with which: they may have
 * been.
 */
export function endOfKey(
  tx: RealmTransaction,
  key: { readonly userId: number; readonly keyHash: string },
) {
  for (const [[id], { userId, keyHash }] of [...tx.queues.range({})]) {
    const isOfKey = keyHash === undefined || keyHash === key.keyHash;
    if (userId === key.userId && isOfKey) tx.endQueue(id);
  }
}

/** Nobody hears of anything any more. */
export function endAll(tx: RealmTransaction) {
  for (const [id] of [...tx.queues.keys({})]) tx.endQueue(id);
}

/** Removes the queue of this owner; for anyone else it does not exist. */
export function remove(tx: RealmTransaction, id: string, userId: number) {
  if (tx.queues.get([id])?.userId !== userId) throw errors.badEventQueueId(id);
  tx.queues.remove([id]);
}
