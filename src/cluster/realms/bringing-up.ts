import type { Schemas } from '../../../storage/migrations/migration.ts';
import { openReplica } from '../../../storage/replication/replica.ts';
import type { ShardLog } from '../log/shard-log.ts';
import { openRecordReader, type ReadRecord } from '../records/record-reader.ts';
import { migrateApart } from '../versions/migrate-apart.ts';
import { refuseUnknown } from '../versions/schema-records.ts';

interface BringingUp {
  readonly log: Pick<ShardLog, 'tail'>;
  /** The folder of the realm, whose store nobody else has open; it may have none yet. */
  readonly folder: string;
  readonly realmId: number;
  /** The number of the last record that is applied. */
  readonly to: number;
  readonly schemas: Schemas;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
}

/** Applies to a copy what the log says of its realm, up to a record that the log has. */
export async function bringUp(input: BringingUp): Promise<void> {
  const { log, realmId, to, signal } = input;
  const copy = openCopy(input);
  try {
    const behind = copy.applied();
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
        if (record !== undefined) await copy.act(record);
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
    await copy.close();
  }
}

/** Opens a copy that nobody serves, to do what records say of its realm. */
function openCopy({ folder, realmId, schemas }: BringingUp) {
  let replica = openReplica(folder, schemas);

  async function migrate(record: Extract<ReadRecord, { kind: 'schema' }>) {
    const { place, head, version } = record;
    // If it has no record yet, its first one comes behind this, and is of the new schema.
    if (replica.applied() === null) return;
    if (replica.schema() < version) {
      await replica.close();
      const moment = { seed: record.seed, at: head.at, realmId };
      await migrateApart({ folder, to: version, moment }, { schemas });
      replica = openReplica(folder, schemas);
    }
    await replica.apply([], place);
  }

  return {
    applied: () => replica.applied(),
    async act(record: ReadRecord) {
      refuseUnknown(schemas, record.head, record.kind === 'schema' ? record : null);
      if (record.kind === 'schema') return await migrate(record);
      if (record.kind !== 'writes') return;
      for (const commit of record.realms) {
        if (commit.realmId !== realmId) continue;
        const isFirst = replica.applied() === null;
        const { schema } = record.head;
        if (isFirst && schema !== replica.schema()) await replica.beginAs(schema);
        await replica.apply(commit.writes, record.place);
      }
    },
    close: () => replica.close(),
  };
}
