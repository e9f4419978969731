import type { RealmTransaction } from '../../storage/realm-store.ts';
import type { UserRow } from '../../storage/tables/users.ts';
import * as errors from '../domain/errors.ts';
import * as bots from './bots.ts';
import * as eventQueues from './event-queues.ts';
import * as users from './users.ts';

/** A new key in place of all others, which stop at once, and with them whoever listens by one (docs/decisions/0072). */
export function regenerate(tx: RealmTransaction, userId: number): string {
  endAll(tx, userId);
  return users.issueApiKey(tx, userId, 'issued');
}

/**
 * Ends the keys of an account and whoever listens by one, but for a key that is kept and the queues that were registered with
 * it (docs/decisions/0124).
 */
export function endAll(tx: RealmTransaction, userId: number, kept: string | null = null) {
  for (const [, keyHash] of [...tx.apiKeys.keysUnder([userId])]) {
    if (keyHash === kept) continue;
    tx.apiKeys.remove([userId, keyHash]);
    tx.keyOwners.remove([keyHash]);
  }
  eventQueues.endOf(tx, new Set([userId]), kept);
}

export const regenerateOfBot = (tx: RealmTransaction, by: UserRow, botId: number): string =>
  regenerate(tx, activeBot(tx, by, botId).id);

/** Only hashes of keys are stored, so it is one more key, which makes room for the next as that of a login does. */
export const furtherOfBot = (tx: RealmTransaction, by: UserRow, botId: number): string =>
  users.issueApiKey(tx, activeBot(tx, by, botId).id, 'login');

function activeBot(tx: RealmTransaction, by: UserRow, botId: number): UserRow {
  const bot = bots.managed(tx, by, botId);
  if (!bot.isActive) throw errors.userIsDeactivated();
  return bot;
}
