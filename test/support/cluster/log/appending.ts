import type { ShardLog } from '../../../../src/cluster/log/shard-log.ts';
import { newRecord } from './records.ts';

/** An owner who appends without a pause. */
export interface Appending {
  /** The ids of the records that were acknowledged, in order. */
  readonly acked: readonly string[];
  /** How long each append took, in milliseconds. */
  readonly tookMs: readonly number[];
  /** Returns what ended it, if an append was refused or given up. */
  failure(): Error | undefined;
  /** Resolves once the append that is under way is over. Throws if one was refused or unknown. */
  stop(): Promise<void>;
}

/** Appends records of so many bytes after each other, from a place in the log on. */
export function appendOn(log: ShardLog, from: number, bytes = 500): Appending {
  const acked: string[] = [];
  const tookMs: number[] = [];
  let isOver = false;
  const done = (async () => {
    for (let expected = from; !isOver; expected += 1) {
      const record = { ...newRecord(expected), body: Buffer.alloc(bytes, expected % 256) };
      const since = performance.now();
      const outcome = await log.append(record);
      tookMs.push(performance.now() - since);
      if (outcome !== 'stored') throw new Error(`Record ${expected + 1} was ${outcome}`);
      acked.push(record.id);
    }
  })();
  let failure: Error | undefined;
  done.catch((error: unknown) => {
    failure = error instanceof Error ? error : new Error(String(error));
  });
  return {
    acked,
    tookMs,
    failure: () => failure,
    async stop() {
      isOver = true;
      await done;
    },
  };
}
