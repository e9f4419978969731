import type { Schemas } from '../../../storage/migrations/migration.ts';
import type { Place } from '../../../storage/replication/commit-log.ts';
import type { ShardLog, StoredRecord, Tail } from '../log/shard-log.ts';
import type { HeldRealm } from '../realms/held-realm.ts';
import { openRecordReader, type ReadRecord } from '../records/record-reader.ts';
import { refuseUnknown } from '../versions/schema-records.ts';

/** Copies that no record was about for so long are told where the log is. */
const RECORDS_PER_PASS = 5_000;

interface ShardTailInput {
  readonly log: ShardLog;
  /** The newest record that all copies have; null for none. */
  readonly behind: Place | null;
  /** The time in that record, in UNIX milliseconds. */
  readonly at: number;
  /** The schema of the shard there; 0 if it is not known. */
  readonly schema: number;
  readonly schemas: Schemas;
  readonly realms: {
    all(): readonly HeldRealm[];
    about(realmId: number, sequence: number): Promise<HeldRealm | undefined>;
  };
  readonly onOwner: (node: string) => void;
  readonly onReleased: (to: string | null) => void;
  /** All copies have what came before a mark. The next record waits until it resolves. */
  readonly onMark: (place: Place, at: number) => Promise<void>;
  readonly onBroken: (error: unknown) => void;
}

/** Applies the records of a shard as they come. */
export interface ShardTail extends Pick<Tail, 'noteLast'> {
  /** Returns the newest record that was applied. */
  last(): Place | null;
  /** Returns the time in that record, in UNIX milliseconds. */
  at(): number;
  /** Returns the schema of the shard behind that record; 0 if it is not known. */
  schema(): number;
  /** Resolves when a record is applied, or after that time. */
  reached(sequence: number, msMax?: number): Promise<void>;
  /**
   * Does something between two records. The copies of the shard have all that is said of them up to
   * `place`, behind which the log can be followed; null if there is none yet.
   */
  between<T>(work: (place: Place | null) => Promise<T>): Promise<T>;
  /** Resolves when nothing more is applied, nor done between records. */
  stop(): Promise<void>;
}

interface Waiter {
  readonly sequence: number;
  readonly resolve: () => void;
}

export function openShardTail(input: ShardTailInput): ShardTail {
  const { log, behind, realms, onBroken } = input;
  const reader = openRecordReader(behind);
  let applied = behind;
  /** The newest record behind which none is begun in parts. */
  let whole = behind;
  const turns = oneByOne();
  let isStopped = false;
  let { at, schema } = input;
  let sincePass = 0;
  const waiters = new Set<Waiter>();

  async function apply(stored: StoredRecord) {
    const record = await reader.read(stored);
    if (record !== undefined) {
      refuseUnknown(input.schemas, record.head, record.kind === 'schema' ? record : null);
      at = Math.max(at, record.head.at);
      await act(record, input);
      if (record.kind === 'writes') await passNow(record.place);
      schema = Math.max(schema, record.kind === 'schema' ? record.version : record.head.schema);
      whole = record.place;
    }
    applied = reader.last();
    for (const waiter of waiters) {
      if (waiter.sequence <= stored.sequence) waiter.resolve();
    }
  }

  /** So that a restart need not read the log from the last record of the quietest realm on. */
  async function passNow(place: Place) {
    sincePass += 1;
    if (sincePass < RECORDS_PER_PASS) return;
    sincePass = 0;
    for (const realm of realms.all()) await realm.pass(place);
  }

  const tail = log.tail({
    from: (behind?.sequence ?? 0) + 1,
    async onRecord(stored) {
      try {
        await turns.next(() => apply(stored));
      } catch (error) {
        onBroken(error);
        throw error;
      }
    },
    onBroken,
  });

  return {
    noteLast: tail.noteLast,
    last: () => applied,
    at: () => at,
    schema: () => schema,
    reached: (sequence, msMax) =>
      new Promise((resolve) => {
        if ((applied?.sequence ?? 0) >= sequence) return resolve();
        const waiter = { sequence, resolve: () => done() };
        const timer = msMax === undefined ? undefined : setTimeout(() => done(), msMax);
        const done = () => {
          waiters.delete(waiter);
          clearTimeout(timer);
          resolve();
        };
        waiters.add(waiter);
      }),
    between: (work) =>
      turns.next(() => {
        if (isStopped) throw new Error('the shard is not followed any more');
        return work(whole);
      }),
    async stop() {
      isStopped = true;
      await tail.stop();
      await turns.done();
    },
  };
}

/** Does what a record says. */
async function act(record: ReadRecord, input: ShardTailInput) {
  const { realms } = input;
  const { place, head } = record;
  switch (record.kind) {
    case 'claim':
      return input.onOwner(record.node);
    case 'release':
      return input.onReleased(record.to);
    case 'mark':
      return await input.onMark(place, head.at);
    case 'writes':
      for (const commit of record.realms) {
        const realm = await realms.about(commit.realmId, place.sequence);
        await realm?.apply(commit, place, head.schema);
      }
      return;
    case 'schema':
      for (const realm of realms.all()) {
        const moment = { seed: record.seed, at: head.at, realmId: realm.id };
        await realm.migrate({ to: record.version, moment }, place);
      }
  }
}

/** Does one work after the other. */
export function oneByOne() {
  let working: Promise<unknown> = Promise.resolve();
  return {
    next<T>(work: () => Promise<T>): Promise<T> {
      const done = working.then(work);
      working = done.catch(() => undefined);
      return done;
    },
    done: () => working,
  };
}
