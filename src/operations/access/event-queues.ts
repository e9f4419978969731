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

/**
 * Adds a queue that begins at the log's head: the state that this transaction reads includes
 * everything up to there.
 */
export function add(
  tx: RealmTransaction,
  { userId, keyHash, program }: Pick<QueueRow, 'userId' | 'keyHash' | 'program'>,
  options: QueueOptions,
): NewQueue {
  const id = randomUUID();
  const head = tx.head();
  const row: QueueRow = { userId, keyHash, program, options, startedAt: head, acknowledged: head };
  tx.queues.put([id], row);
  return { id, row };
}

/**
 * Has a queue begin at a later position, because its client was given the state of that one.
 * Returns its row; undefined if the queue has ended.
 */
export function begin(tx: RealmTransaction, id: string, position: number): QueueRow | undefined {
  const row = tx.queues.get([id]);
  if (row === undefined) return undefined;
  const acknowledged = Math.max(row.acknowledged, position);
  const begun = { ...row, startedAt: position, acknowledged };
  tx.queues.put([id], begun);
  return begun;
}

/**
 * Ends the queues of guests, so that their clients register again: used when more has changed for
 * all guests than events should tell (docs/decisions/0067).
 */
export function endOfGuests(tx: RealmTransaction) {
  // The rows are read before anything is removed: a cursor does not survive the removal of its row.
  for (const [[id], { userId }] of [...tx.queues.range({})]) {
    const user = tx.users.get([userId]);
    if (user !== undefined && isGuest(user.role)) tx.endQueue(id);
  }
}

/**
 * Ends the queues of these users, who may not get events any more or have to register again.
 */
export function endOf(tx: RealmTransaction, userIds: ReadonlySet<number>) {
  for (const [[id], { userId }] of [...tx.queues.range({})]) {
    if (userIds.has(userId)) tx.endQueue(id);
  }
}

/** Ends the queues of a user that were registered with keys, except those of the kept key. */
export function endOfKeys(tx: RealmTransaction, userId: number, kept: string | null) {
  for (const [[id], queue] of [...tx.queues.range({})]) {
    if (queue.userId !== userId) continue;
    const { keyHash } = queue;
    const isKept =
      keyHash !== undefined && (keyHash === kept || tx.sessions.has([userId, keyHash]));
    if (!isKept) tx.endQueue(id);
  }
}

/**
 * Ends the queues that were registered with one key or session of this user, and those with an
 * unknown key, which may be the same.
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

/** Ends all queues. */
export function endAll(tx: RealmTransaction) {
  for (const [id] of [...tx.queues.keys({})]) tx.endQueue(id);
}

/** Removes the queue of this owner; for other users it does not exist. */
export function remove(tx: RealmTransaction, id: string, userId: number) {
  if (tx.queues.get([id])?.userId !== userId) throw errors.badEventQueueId(id);
  tx.queues.remove([id]);
}
