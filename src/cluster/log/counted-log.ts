import type { ShardLog } from './shard-log.ts';

/** A log that counts the bytes of the records which were read from it, or appended. */
export interface CountedLog extends ShardLog {
  bytes(): number;
}

export function countedLog(log: ShardLog): CountedLog {
  let bytes = 0;
  return {
    ...log,
    bytes: () => bytes,
    append(record) {
      bytes += record.body.length;
      return log.append(record);
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
