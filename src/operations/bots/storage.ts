import type { BotStorageSizeRow } from '../../../storage/tables/people/bots.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { BOT_STORAGE_KEYS_MAX, BOT_STORAGE_LENGTH_MAX } from '../../domain/limits/bots.ts';
import { unprintableIn } from '../../domain/rules/messages/topic.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Reads } from '../access/groups.ts';

/**
 * Returns what a user has stored: all of it, or the values of these keys, each of which must exist,
 * once.
 */
export const list = (
  tx: Reads,
  userId: number,
  keys: readonly string[] | undefined,
): [key: string, value: string][] =>
  keys === undefined
    ? Array.from(tx.botStorage.under([userId]), ([[, key], { value }]) => [key, value])
    : Array.from(new Set(keys), (key) => [key, known(tx, userId, key)]);

/** Stores each value under its key, replacing former ones; all or none. */
export function keep(
  tx: RealmTransaction,
  userId: number,
  entries: ReadonlyMap<string, string>,
): void {
  let { keys, characters } = sizeOf(tx, userId);
  for (const [key, value] of entries) {
    if (unprintableIn(key)) throw errors.badRequest('Invalid character in key!');
    const before = tx.botStorage.get([userId, key]);
    keys += before === undefined ? 1 : 0;
    characters += lengthOf(key, value) - (before === undefined ? 0 : lengthOf(key, before.value));
    tx.botStorage.put([userId, key], { value });
  }
  if (keys > BOT_STORAGE_KEYS_MAX) {
    throw errors.badRequest(`You can have at most ${BOT_STORAGE_KEYS_MAX} keys.`);
  }
  if (characters > BOT_STORAGE_LENGTH_MAX) {
    throw errors.badRequest(
      `Request exceeds storage limit by ${characters - BOT_STORAGE_LENGTH_MAX} characters. ` +
        `The limit is ${BOT_STORAGE_LENGTH_MAX} characters.`,
    );
  }
  putSize(tx, userId, { keys, characters });
}

/** Removes everything, or the values of these keys, each of which must exist. */
export function remove(tx: RealmTransaction, userId: number, keys: readonly string[] | undefined) {
  let size = sizeOf(tx, userId);
  // The entries are read before any is removed.
  for (const [key, value] of new Map(list(tx, userId, keys))) {
    tx.botStorage.remove([userId, key]);
    size = { keys: size.keys - 1, characters: size.characters - lengthOf(key, value) };
  }
  putSize(tx, userId, size);
}

function known(tx: Reads, userId: number, key: string): string {
  const row = tx.botStorage.get([userId, key]);
  if (row === undefined) throw errors.badRequest('Key does not exist.');
  return row.value;
}

const NOTHING: BotStorageSizeRow = { keys: 0, characters: 0 };

const sizeOf = (tx: Reads, userId: number) => tx.botStorageSizes.get([userId]) ?? NOTHING;

function putSize(tx: RealmTransaction, userId: number, size: BotStorageSizeRow) {
  if (size.keys === 0) tx.botStorageSizes.remove([userId]);
  else tx.botStorageSizes.put([userId], size);
}

const lengthOf = (key: string, value: string) => key.length + value.length;
