import type { RealmTransaction } from '../../storage/realm-store.ts';
import { PUSHED_MESSAGES_PER_USER_MAX } from '../domain/limits.ts';
import * as pushCalls from './push-calls.ts';
import * as pushLetters from './push-letters.ts';

/** Notes that devices of a user are told of a message. False: they were before. */
export function note(tx: RealmTransaction, userId: number, messageId: number): boolean {
  if (tx.pushedMessages.has([userId, messageId])) return false;
  const shown = shownTo(tx, userId);
  const excess = Math.max(0, shown.length + 1 - PUSHED_MESSAGES_PER_USER_MAX);
  for (const old of shown.slice(0, excess)) forget(tx, userId, old);
  tx.pushedMessages.put([userId, messageId], {});
  tx.pushedUsers.put([messageId, userId], {});
  return true;
}

/** Has messages that somebody has read taken off their devices. */
export function withdraw(tx: RealmTransaction, userId: number, messageIds: Iterable<number>) {
  const shown = shownTo(tx, userId);
  if (shown.length === 0) return;
  const read = new Set(messageIds);
  remove(
    tx,
    userId,
    shown.filter((id) => read.has(id)),
  );
}

/** The same of all that they show. */
export const withdrawAll = (tx: RealmTransaction, userId: number) =>
  remove(tx, userId, shownTo(tx, userId));

/** Has a message that is deleted taken off all devices. Whose these are is found after the commit, step by step. */
export function withdrawFromAll(tx: RealmTransaction, messageId: number) {
  announceGone(tx, messageId, false);
}

/** The same of one that was moved, for those who may not read it where it is. */
export function withdrawFromUnseeing(tx: RealmTransaction, messageId: number) {
  announceGone(tx, messageId, true);
}

function announceGone(tx: RealmTransaction, messageId: number, isOutOfSight: boolean) {
  for (const _ of tx.pushedUsers.keysUnder([messageId], { limit: 1 })) {
    pushCalls.add(tx, { type: 'gone', messageId, isOutOfSight, fromUserId: 0 });
  }
}

export function forget(tx: RealmTransaction, userId: number, messageId: number) {
  tx.pushedMessages.remove([userId, messageId]);
  tx.pushedUsers.remove([messageId, userId]);
}

const shownTo = (tx: RealmTransaction, userId: number): number[] =>
  Array.from(tx.pushedMessages.keysUnder([userId]), ([, messageId]) => messageId);

function remove(tx: RealmTransaction, userId: number, messageIds: readonly number[]) {
  if (messageIds.length === 0) return;
  for (const messageId of messageIds) forget(tx, userId, messageId);
  pushLetters.postRemovals(tx, [{ userId, messageIds }]);
}
