import type { RealmTransaction } from '../../../storage/transaction.ts';
import { ALERT_WORDS_PER_USER_MAX } from '../../domain/limits/accounts.ts';
import { type AlertWordFinder, alertWordFinder } from '../../domain/rules/texts/alert-words.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Reads } from '../access/groups.ts';

export const list = (tx: Reads, userId: number): readonly string[] =>
  tx.alertWords.get([userId])?.words ?? [];

/**
 * Adds words to those of a user; words that differ only in case are the same, and keep the first
 * spelling.
 */
export function add(tx: RealmTransaction, userId: number, words: readonly string[]) {
  const before = list(tx, userId);
  const known = new Set(before.map(folded));
  const added: string[] = [];
  for (const word of words.map((each) => each.trim())) {
    if (word === '' || known.has(folded(word))) continue;
    known.add(folded(word));
    added.push(word);
  }
  if (before.length + added.length > ALERT_WORDS_PER_USER_MAX) {
    throw errors.badRequest(`You can have at most ${ALERT_WORDS_PER_USER_MAX} alert words.`);
  }
  return change(tx, userId, { before, after: [...before, ...added] });
}

export function remove(tx: RealmTransaction, userId: number, words: readonly string[]) {
  const gone = new Set(words.map((word) => folded(word.trim())));
  const before = list(tx, userId);
  return change(tx, userId, { before, after: before.filter((word) => !gone.has(folded(word))) });
}

/** Returns the users who have an alert word in this content. */
export const usersWaitingFor = (tx: RealmTransaction, html: string): ReadonlySet<number> =>
  finderOf(tx)(html);

const folded = (word: string) => word.toLowerCase();

function change(
  tx: RealmTransaction,
  userId: number,
  { before, after }: { before: readonly string[]; after: readonly string[] },
): readonly string[] {
  if (after.length === before.length) return before;
  if (after.length === 0) tx.alertWords.remove([userId]);
  else tx.alertWords.put([userId], { words: after });
  // The number is the version of all words of the realm.
  tx.nextId('alertWord');
  tx.emit({ event: { type: 'alert_words', alert_words: after }, audience: { users: [userId] } });
  return after;
}

interface Ready {
  readonly version: number;
  readonly finder: AlertWordFinder;
}

/**
 * One finder for each open store, which has one table object; it is rebuilt after a user has
 * changed their words.
 */
const READY = new WeakMap<RealmTransaction['alertWords'], Ready>();

function finderOf(tx: RealmTransaction): AlertWordFinder {
  const version = tx.lastId('alertWord');
  const known = READY.get(tx.alertWords);
  if (known?.version === version) return known.finder;
  const finder = alertWordFinder(
    Array.from(tx.alertWords.range({}), ([[userId], { words }]) => ({ userId, words })),
  );
  READY.set(tx.alertWords, { version, finder });
  return finder;
}
