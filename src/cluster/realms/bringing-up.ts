import { openReplica } from '../../../storage/replication/replica.ts';
import type { ShardLog } from '../log/shard-log.ts';
import { openRecordReader } from '../records/record-reader.ts';

interface BringingUp {
  readonly log: Pick<ShardLog, 'tail'>;
  /** The folder of the realm, whose store nobody else has open; it may have none yet. */
  readonly folder: string;
  readonly realmId: number;
  /** The number of the last record that is applied. */
  readonly to: number;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
}

/** Applies to a copy what the log says of its realm, up to a record that the log has. */
export async function bringUp({ log, folder, realmId, to, signal }: BringingUp): Promise<void> {
  const replica = openReplica(folder);
  try {
    const behind = replica.applied();
    const from = (behind?.sequence ?? 0) + 1;
    if (from > to) return;
    const reader = openRecordReader(behind);
    let end = () => {};
    let fail: (error: Error) => void = () => {};
    const ended = new Promise<void>((resolve, reject) => {
      end = resolve;
      fail = reject;
    });
    const abort = () => fail(new Error(`realm ${realmId} is not waited for any more`));
    signal.addEventListener('abort', abort);
    const tail = log.tail({
      from,
      async onRecord(stored) {
        if (stored.sequence > to) return;
        const record = await reader.read(stored);
        for (const commit of record?.kind === 'writes' ? record.realms : []) {
          if (commit.realmId === realmId && record !== undefined) {
            await replica.apply(commit.writes, record.place);
          }
        }
        if (stored.sequence === to) end();
      },
      onBroken: fail,
    });
    if (signal.aborted) abort();
    await ended.finally(() => {
      signal.removeEventListener('abort', abort);
      return tail.stop();
    });
  } finally {
    await replica.close();
  }
}
