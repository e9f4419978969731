import { REPEATS_MS } from '../bounds.ts';
import type { NewRecord, StoredRecord } from '../shard-log.ts';

/** The log of a shard, as the servers would have it. */
export interface MemoryShard {
  first(): number;
  last(): number;
  at(sequence: number): StoredRecord | undefined;
  store(record: NewRecord): 'stored' | 'refused';
  forgetBefore(sequence: number): void;
  /** Loses the last records, as servers do that had not synced them. */
  cutBack(records: number): void;
  /** Calls back whenever the log has become another. Returns what ends that. */
  watch(onChange: () => void): () => void;
}

export function openMemoryShard(now: () => number): MemoryShard {
  let records: StoredRecord[] = [];
  let first = 1;
  const ids = new Map<string, { readonly sequence: number; readonly at: number }>();
  const watchers = new Set<() => void>();
  const last = () => first + records.length - 1;

  function forgetIds(): void {
    for (const [id, { at }] of ids) {
      if (now() - at < REPEATS_MS) return;
      ids.delete(id);
    }
  }
  function tellWatchers(): void {
    for (const onChange of [...watchers]) onChange();
  }

  return {
    first: () => first,
    last,
    at: (sequence) => records[sequence - first],
    store({ expected, id, epoch, body }) {
      forgetIds();
      const known = ids.get(id);
      // A repeat is answered as the first one was, even if it is not where the writer expects it.
      if (known !== undefined) return known.sequence === expected + 1 ? 'stored' : 'refused';
      if (last() !== expected) return 'refused';
      const sequence = expected + 1;
      records.push({ sequence, id, epoch, body: Uint8Array.from(body) });
      ids.set(id, { sequence, at: now() });
      tellWatchers();
      return 'stored';
    },
    forgetBefore(sequence) {
      const count = Math.min(Math.max(sequence - first, 0), records.length);
      records = records.slice(count);
      first += count;
      tellWatchers();
    },
    cutBack(count) {
      for (const { id } of records.splice(Math.max(records.length - count, 0))) ids.delete(id);
      tellWatchers();
    },
    watch(onChange) {
      watchers.add(onChange);
      return () => watchers.delete(onChange);
    },
  };
}
