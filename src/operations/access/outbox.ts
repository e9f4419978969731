import type { OutboxRow } from '../../../storage/tables/realm/outbox.ts';
import type { RealmReader, RealmTransaction } from '../../../storage/transaction.ts';
import {
  OUTBOX_ENTRIES_PER_STEP,
  OUTBOX_LEASE_MS,
  OUTBOX_PAUSE_MS,
} from '../../domain/limits/outbox.ts';

/** An outbox entry on its way. */
export interface Entry extends OutboxRow {
  readonly id: number;
  /** The key of its row while it is on its way. */
  readonly dueAt: number;
}

/** Adds an outbox entry, which is delivered after this commit, or later. */
export function post(
  tx: RealmTransaction,
  entry: Pick<OutboxRow, 'kind' | 'content'>,
  dueAt: number = tx.now,
) {
  tx.outbox.put([dueAt, tx.nextId('letter')], { ...entry, attempts: 0, leasedBy: null });
  tx.wakeAt(dueAt);
}

/** Returns when the next entry is due (UNIX milliseconds). */
export function nextAt(reader: Pick<RealmReader, 'outbox'>): number | undefined {
  for (const [dueAt] of reader.outbox.keys({ limit: 1 })) return dueAt;
  return undefined;
}

/** Returns the keys of entries that are due. */
export function due(reader: Pick<RealmReader, 'outbox'>, now: number): [number, number][] {
  const keys: [number, number][] = [];
  for (const [dueAt, id] of reader.outbox.keys({ limit: OUTBOX_ENTRIES_PER_STEP })) {
    if (dueAt > now) break;
    keys.push([dueAt, id]);
  }
  return keys;
}

/**
 * Leases an entry to this run of the server. Its row becomes due again after the lease, in case no
 * result is reported: an entry is delivered once or, after a kill, perhaps twice.
 */
export function take(
  tx: RealmTransaction,
  [dueAt, id]: readonly [number, number],
  run: string,
): Entry | undefined {
  const row = tx.outbox.get([dueAt, id]);
  if (row === undefined) return undefined;
  const leased = { dueAt: tx.now + OUTBOX_LEASE_MS, leasedBy: run };
  const entry = { ...row, id, ...leased, attempts: row.attempts + 1 };
  tx.outbox.remove([dueAt, id]);
  put(tx, entry);
  return entry;
}

/**
 * Returns entries that an earlier run of the server was delivering when it ended. Only first
 * attempts are included, so that an entry which crashes the server is not the beginning of every
 * start.
 */
export function dropped(
  reader: Pick<RealmReader, 'outbox'>,
  { run, now }: { readonly run: string; readonly now: number },
): Entry[] {
  const entries: Entry[] = [];
  for (const [[dueAt, id], row] of reader.outbox.range({ end: [now + OUTBOX_LEASE_MS + 1] })) {
    const isDropped = row.leasedBy !== null && row.leasedBy !== run && row.attempts === 1;
    if (isDropped) entries.push({ ...row, dueAt, id });
  }
  return entries;
}

/** Makes those entries due at once, because their receivers have waited for a start already. */
export function pickUp(tx: RealmTransaction, run: string) {
  for (const entry of dropped(tx, { run, now: tx.now })) {
    remove(tx, entry);
    put(tx, { ...entry, dueAt: tx.now, leasedBy: null });
  }
}

/**
 * Renews the lease of an entry that waited for its worker, before it is delivered. Returns
 * undefined if it waited for longer than its lease: then it was leased again, and the other holder
 * delivers it.
 */
export function renew(tx: RealmTransaction, entry: Entry): Entry | undefined {
  if (!tx.outbox.has([entry.dueAt, entry.id])) return undefined;
  remove(tx, entry);
  const renewed = { ...entry, dueAt: tx.now + OUTBOX_LEASE_MS };
  put(tx, renewed);
  return renewed;
}

/**
 * Makes an entry due after a pause, because no worker had the time for it; it does not count as an
 * attempt.
 */
export function postpone(tx: RealmTransaction, entry: Entry) {
  remove(tx, entry);
  const dueAt = tx.now + OUTBOX_PAUSE_MS;
  put(tx, { ...entry, dueAt, attempts: entry.attempts - 1, leasedBy: null });
}

/** Removes an entry that was delivered, or given up. */
export const remove = (tx: RealmTransaction, { dueAt, id }: Entry) => tx.outbox.remove([dueAt, id]);

/** Makes an entry due again after a pause. */
export function retry(tx: RealmTransaction, entry: Entry, pauseMs: number) {
  remove(tx, entry);
  put(tx, { ...entry, dueAt: tx.now + pauseMs, leasedBy: null });
}

/** Makes an entry due now. Returns false if it is not at this place any more, or is under way. */
export function hasten(
  tx: RealmTransaction,
  [dueAt, id]: readonly [dueAt: number, id: number],
): boolean {
  const row = tx.outbox.get([dueAt, id]);
  if (row === undefined || (row.leasedBy !== null && dueAt > tx.now)) return false;
  tx.outbox.remove([dueAt, id]);
  put(tx, { ...row, id, dueAt: tx.now, leasedBy: null });
  return true;
}

function put(tx: RealmTransaction, { id, dueAt, ...row }: Entry) {
  tx.outbox.put([dueAt, id], row);
  tx.wakeAt(dueAt);
}
