import type { StoredRecord } from '../shard-log.ts';

/**
 * Records that came before the reader was ready for them. What does not fit is read from the
 * stream later.
 */
export interface Arrivals {
  add(record: StoredRecord): void;
  /** Returns the record of a number if it has come, and forgets it and those before it. */
  take(sequence: number): StoredRecord | undefined;
}

/** A reader that applies 3,000 records a second can be 300 ms late before it reads some again. */
const RECORDS_MAX = 1_000;
const BYTES_MAX = 16 * 1_048_576;

export function openArrivals(): Arrivals {
  const records = new Map<number, StoredRecord>();
  let bytes = 0;

  function forget(record: StoredRecord): void {
    records.delete(record.sequence);
    bytes -= record.body.length;
  }

  return {
    add(record) {
      const fits = records.size < RECORDS_MAX && bytes + record.body.length <= BYTES_MAX;
      if (!fits || records.has(record.sequence)) return;
      records.set(record.sequence, record);
      bytes += record.body.length;
    },
    take(sequence) {
      const record = records.get(sequence);
      if (record !== undefined) forget(record);
      // The map has them in the order in which they came, which is nearly that of their numbers.
      for (const old of records.values()) {
        if (old.sequence >= sequence) break;
        forget(old);
      }
      return record;
    },
  };
}
