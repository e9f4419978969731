import type { LetterRow } from '../../../storage/tables/realm/outbox.ts';
import type { RealmReader, RealmTransaction } from '../../../storage/transaction.ts';
import { LETTER_LEASE_MS, LETTER_PAUSE_MS, LETTERS_PER_STEP } from '../../domain/limits.ts';

/** A letter on its way. */
export interface Letter extends LetterRow {
  readonly id: number;
  /** Where its row is while it is on its way. */
  readonly dueAt: number;
}

/** Has something leave the server after this commit, or later. */
export function post(
  tx: RealmTransaction,
  letter: Pick<LetterRow, 'kind' | 'content'>,
  dueAt: number = tx.now,
) {
  tx.outbox.put([dueAt, tx.nextId('letter')], { ...letter, attempts: 0, carriedIn: null });
  tx.wakeAt(dueAt);
}

/** When the next letter is to be carried (UNIX milliseconds). */
export function nextAt(reader: Pick<RealmReader, 'outbox'>): number | undefined {
  for (const [dueAt] of reader.outbox.keys({ limit: 1 })) return dueAt;
  return undefined;
}

/** Letters that are due. */
export function due(reader: Pick<RealmReader, 'outbox'>, now: number): [number, number][] {
  const keys: [number, number][] = [];
  for (const [dueAt, id] of reader.outbox.keys({ limit: LETTERS_PER_STEP })) {
    if (dueAt > now) break;
    keys.push([dueAt, id]);
  }
  return keys;
}

/**
 * Takes a letter to be carried in this run of the server. Its row becomes due again after the lease, in case nobody says what
 * became of it: a letter arrives once or, after a kill, perhaps twice.
 */
export function take(
  tx: RealmTransaction,
  [dueAt, id]: readonly [number, number],
  run: string,
): Letter | undefined {
  const row = tx.outbox.get([dueAt, id]);
  if (row === undefined) return undefined;
  const leased = { dueAt: tx.now + LETTER_LEASE_MS, carriedIn: run };
  const letter = { ...row, id, ...leased, attempts: row.attempts + 1 };
  tx.outbox.remove([dueAt, id]);
  put(tx, letter);
  return letter;
}

/**
 * Letters that an earlier run of the server was carrying when it ended: nobody carries them any more. Only those at their first
 * attempt, so that a letter which itself is the end of the server is not what every start begins with.
 */
export function dropped(
  reader: Pick<RealmReader, 'outbox'>,
  { run, now }: { readonly run: string; readonly now: number },
): Letter[] {
  const letters: Letter[] = [];
  for (const [[dueAt, id], row] of reader.outbox.range({ end: [now + LETTER_LEASE_MS + 1] })) {
    const isDropped = row.carriedIn !== null && row.carriedIn !== run && row.attempts === 1;
    if (isDropped) letters.push({ ...row, dueAt, id });
  }
  return letters;
}

/** They are due at once, as whoever waits for what they bring has waited for a start already. */
export function pickUp(tx: RealmTransaction, run: string) {
  for (const letter of dropped(tx, { run, now: tx.now })) {
    remove(tx, letter);
    put(tx, { ...letter, dueAt: tx.now, carriedIn: null });
  }
}

/**
 * A letter that waited for its courier has its whole lease before it is carried. None when it waited for longer than its
 * lease: then it was taken again, and it is the other one's turn.
 */
export function renew(tx: RealmTransaction, letter: Letter): Letter | undefined {
  if (!tx.outbox.has([letter.dueAt, letter.id])) return undefined;
  remove(tx, letter);
  const renewed = { ...letter, dueAt: tx.now + LETTER_LEASE_MS };
  put(tx, renewed);
  return renewed;
}

/** The letter is to be taken again after a pause, as nobody had the time to carry it: that was no attempt. */
export function postpone(tx: RealmTransaction, letter: Letter) {
  remove(tx, letter);
  const dueAt = tx.now + LETTER_PAUSE_MS;
  put(tx, { ...letter, dueAt, attempts: letter.attempts - 1, carriedIn: null });
}

/** The letter has arrived, or is given up. */
export const remove = (tx: RealmTransaction, { dueAt, id }: Letter) =>
  tx.outbox.remove([dueAt, id]);

/** The letter is to be carried once more, after a pause. */
export function retry(tx: RealmTransaction, letter: Letter, pauseMs: number) {
  remove(tx, letter);
  put(tx, { ...letter, dueAt: tx.now + pauseMs, carriedIn: null });
}

function put(tx: RealmTransaction, { id, dueAt, ...row }: Letter) {
  tx.outbox.put([dueAt, id], row);
  tx.wakeAt(dueAt);
}
