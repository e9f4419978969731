import type { ShardLog } from './shard-log.ts';

/** A log that counts the bytes of the records which were read from it, or appended. */
export interface CountedLog extends ShardLog {
  bytes(): number;
}

/** `onAppended` is told how long each append took, whatever came of it. */
export function countedLog(log: ShardLog, onAppended?: (ms: number) => void): CountedLog {
  let bytes = 0;
  return {
    ...log,
    bytes: () => bytes,
    async append(record) {
      bytes += record.body.length;
      const since = performance.now();
      try {
        return await log.append(record);
      } finally {
        onAppended?.(performance.now() - since);
      }
    },
    tail: (input) =>
      log.tail({
        ...input,
        onRecord(record) {
          bytes += record.body.length;
          return input.onRecord(record);
        },
      }),
  };
}
