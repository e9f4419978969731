import type { RootDatabase } from 'lmdb';

/**
 * Follows the readers of a store, of this process and of others. LMDB keeps each page that the
 * oldest of them may still read, so a reader that stays lets the file grow. It tells which
 * transaction a reader sees and not since when, so an age begins when the reader is first seen
 * behind the newest transaction.
 */
function openReaderAges(env: RootDatabase): (now: number) => number {
  let behind: ReadonlyMap<string, number> = new Map();
  return (now) => {
    const newest = newestTransaction(env);
    const still = new Map<string, number>();
    for (const [reader, transaction] of readersOf(env)) {
      if (transaction < newest) still.set(reader, Math.min(now, behind.get(reader) ?? now));
    }
    behind = still;
    return still.size === 0 ? 0 : now - Math.min(...still.values());
  };
}

/** The process, the thread and the transaction of a reader, as LMDB lists them: `  123 7f3c 45`. */
const READER = /^\s*(\d+) +([0-9a-f]+) (\d+)$/;

function* readersOf(env: RootDatabase): Iterable<readonly [reader: string, transaction: number]> {
  for (const line of env.readerList().split('\n')) {
    const [reader, , , transaction] = READER.exec(line) ?? [];
    if (reader !== undefined) yield [reader, Number(transaction)];
  }
}

function newestTransaction(env: RootDatabase): number {
  const { lastTxnId = 0 } = env.getStats() as Record<string, number>; // their type says nothing
  return lastTxnId;
}

/** Returns what a store tells of its readers. */
export const openReaders = (env: RootDatabase) => ({
  oldestReaderMs: openReaderAges(env),
  forgetDeadReaders: () => void env.readerCheck(),
});
