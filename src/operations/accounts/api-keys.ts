import type { KeyUseRow } from '../../../storage/tables/people/keys.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { ApiKeyObject } from '../../domain/wire/personal-objects.ts';
import * as eventQueues from '../access/event-queues.ts';
import type { Reads } from '../access/groups.ts';
import * as bots from '../bots/bots.ts';
import * as users from '../users/users.ts';

/** A new key in place of all others, which stop at once, and with them whoever listens by one (docs/decisions/0072). */
export function regenerate(tx: RealmTransaction, userId: number): string {
  endAll(tx, userId);
  return users.issueApiKey(tx, userId, 'regenerated');
}

/**
 * Ends the keys of an account and whoever listens by one, but for a key that is kept and the queues that were registered with
 * it (docs/decisions/0124).
 */
export function endAll(tx: RealmTransaction, userId: number, kept: string | null = null) {
  for (const [, keyHash] of [...tx.apiKeys.keysUnder([userId])]) {
    if (keyHash !== kept) users.removeApiKey(tx, userId, keyHash);
  }
  eventQueues.endOf(tx, new Set([userId]), kept);
}

/** Ends one key and whoever listens by it. */
export function end(tx: RealmTransaction, userId: number, keyId: string) {
  const hashes = Array.from(tx.apiKeys.keysUnder([userId]), ([, keyHash]) => keyHash);
  const keyHash = hashes.find((hash) => idOf(hash) === keyId);
  if (keyHash === undefined) throw errors.noSuchApiKey();
  users.removeApiKey(tx, userId, keyHash);
  eventQueues.endOfKey(tx, { userId, keyHash });
}

interface Asking {
  /** Of the key that asks, where it may be among them. */
  readonly current?: string | undefined;
  /** What is known of the use of a key that is not stored yet. */
  readonly recentUse: (keyHash: string) => KeyUseRow | undefined;
}

/** The keys of an account, newest first. */
export function list(reads: Reads, userId: number, { current, recentUse }: Asking): ApiKeyObject[] {
  const rows = [...reads.apiKeys.under([userId])];
  rows.sort(([, one], [, other]) => other.createdAt - one.createdAt);
  return rows.map(([[, keyHash], { createdAt, origin, madeBy }]) => {
    const use = recentUse(keyHash) ?? reads.keyUses.get([userId, keyHash]);
    return {
      id: idOf(keyHash),
      created_at: Math.floor(createdAt / 1000),
      // Older keys say no more than that they were a log-in's, or a bot's further ones.
      made_by: madeBy ?? (origin === 'login' ? 'login' : null),
      is_current: keyHash === current,
      last_used_at: use?.usedAt ?? null,
      client: use?.client ?? null,
      address_class: use?.addressClass ?? null,
    };
  });
}

/** The beginning of the hash of a key of 128 random bits, which helps nobody to the key. */
const idOf = (keyHash: string) => keyHash.slice(0, 16);

export const regenerateOfBot = (tx: RealmTransaction, by: UserRow, botId: number): string =>
  regenerate(tx, activeBot(tx, by, botId).id);

/** Only hashes of keys are stored, so it is one more key, which makes room for the next as that of a login does. */
export const furtherOfBot = (tx: RealmTransaction, by: UserRow, botId: number): string =>
  users.issueApiKey(tx, activeBot(tx, by, botId).id, 'further');

function activeBot(tx: RealmTransaction, by: UserRow, botId: number): UserRow {
  const bot = bots.managed(tx, by, botId);
  if (!bot.isActive) throw errors.userIsDeactivated();
  return bot;
}
