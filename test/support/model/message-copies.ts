import { expect } from 'vitest';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { GENERAL } from './model.ts';

/**
 * Copies a message of `GENERAL` straight into the tables that a walk of the channel reads. Returns
 * the id of the copy.
 */
export function copyMessage(tx: RealmTransaction, messageId: number): number {
  const row = tx.messages.get([messageId]) ?? expect.fail('it is there');
  const id = tx.nextId('message');
  tx.messages.put([id], { ...row, id });
  tx.channelMessages.put([GENERAL, id], { topicKey: 'a', senderId: row.senderId });
  return id;
}
