import { keyId as idOf, type KeyUseRow } from '../../../storage/tables/people/keys.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { ApiKeyObject } from '../../domain/wire/personal-objects.ts';
import * as eventQueues from '../access/event-queues.ts';
import type { Reads } from '../access/groups.ts';
import * as bots from '../bots/bots.ts';
import * as users from '../users/users.ts';

/**
 * Replaces all keys by a new one; they and the event queues registered with them end at once
 * (docs/decisions/0072).
 */
export function regenerate(tx: RealmTransaction, userId: number): string {
  endAll(tx, userId);
  return users.issueApiKey(tx, userId, 'regenerated');
}

/**
 * Ends the keys of an account and the event queues registered with them, except a kept key and its
 * queues (docs/decisions/0124). Sessions stay, with their queues.
 */
export function endAll(tx: RealmTransaction, userId: number, kept: string | null = null) {
  for (const [, keyHash] of [...tx.apiKeys.keysUnder([userId])]) {
    if (keyHash !== kept) users.removeApiKey(tx, userId, keyHash);
  }
  eventQueues.endOfKeys(tx, userId, kept);
}

/** Ends one key and the event queues registered with it. */
export function end(tx: RealmTransaction, userId: number, keyId: string) {
  const hashes = Array.from(tx.apiKeys.keysUnder([userId]), ([, keyHash]) => keyHash);
  const keyHash = hashes.find((hash) => idOf(hash) === keyId);
  if (keyHash === undefined) throw errors.noSuchApiKey();
  users.removeApiKey(tx, userId, keyHash);
  eventQueues.endOfKey(tx, { userId, keyHash });
}

interface ListInput {
  /** Hash of the key that authenticates the request, if it is one of them. */
  readonly current?: string | undefined;
  /** Returns the last use of a key if it is not stored yet. */
  readonly recentUse: (keyHash: string) => KeyUseRow | undefined;
}

/** Returns the keys of an account, newest first. */
export function list(
  reads: Reads,
  userId: number,
  { current, recentUse }: ListInput,
): ApiKeyObject[] {
  const rows = [...reads.apiKeys.under([userId])];
  rows.sort(([, one], [, other]) => other.createdAt - one.createdAt);
  return rows.map(([[, keyHash], { createdAt, origin, madeBy }]) => {
    const use = recentUse(keyHash) ?? reads.keyUses.get([userId, keyHash]);
    return {
      id: idOf(keyHash),
      created_at: Math.floor(createdAt / 1000),
      // Older keys only record that a log-in made them, or that they are further keys of a bot.
      made_by: madeBy ?? (origin === 'login' ? 'login' : null),
      is_current: keyHash === current,
      last_used_at: use?.usedAt ?? null,
      client: use?.client ?? null,
      address_class: use?.addressClass ?? null,
    };
  });
}

export const regenerateOfBot = (tx: RealmTransaction, by: UserRow, botId: number): string =>
  regenerate(tx, activeBot(tx, by, botId).id);

/**
 * Issues one more key, since only hashes are stored; it makes room for the next as that of a login
 * does.
 */
export const furtherOfBot = (tx: RealmTransaction, by: UserRow, botId: number): string =>
  users.issueApiKey(tx, activeBot(tx, by, botId).id, 'further');

function activeBot(tx: RealmTransaction, by: UserRow, botId: number): UserRow {
  const bot = bots.managed(tx, by, botId);
  if (!bot.isActive) throw errors.userIsDeactivated();
  return bot;
}
