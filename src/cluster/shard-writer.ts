import {
  type CommitLog,
  NotLogged,
  type Place,
  type WriteSet,
} from '../../storage/replication/commit-log.ts';
import { COMMIT_BYTES_FULL } from '../../storage/replication/journal.ts';
import type { ShardLog } from './log/shard-log.ts';
import {
  encodeRecord,
  newRecordId,
  type Payload,
  payloadsOf,
  type RecordContent,
} from './records/record.ts';

/** The owner's side of the log of a shard: it alone appends there, one record at a time. */
export interface ShardWriter {
  /** The log of the commits of one realm. */
  commitLogOf(realmId: number): CommitLog;
  /** Appends a record behind the commits that wait. */
  append(content: Exclude<RecordContent, { kind: 'writes' | 'claim' }>): Promise<Place>;
  /**
   * Appends a mark. Nothing more is appended until `onMarked` resolves, which has to. By then the
   * stores of this node may still lack the last records of their realms.
   */
  mark(onMarked: (place: Place, lastOf: LastOf) => Promise<void>): Promise<Place>;
  /** Returns the newest record that this writer knows of. */
  last(): Place;
  /** Returns the time in the newest record, in UNIX milliseconds. */
  at(): number;
  /** Takes nothing more. Resolves when no append is under way. */
  close(): Promise<void>;
}

export interface ShardWriterInput {
  readonly log: ShardLog;
  /** The claim that made this node the owner; the writer goes on behind it. */
  readonly claim: Place;
  /** The time in the claim (UNIX milliseconds). */
  readonly at: number;
  /** The schema of the shard. */
  readonly schema: number;
  readonly now: () => number;
  /**
   * Called once, when an append was refused or its outcome is not known: this node is no longer the
   * owner, or must claim again.
   */
  readonly onDeposed: (error: NotLogged) => void;
}

/** The last records that this writer has stored of the realms of its shard. */
export type LastOf = (realmId: number) => number;

interface Waiting {
  readonly content: RecordContent;
  readonly resolve: (place: Place) => void;
  readonly reject: (error: NotLogged) => void;
  /** Waited for before anything else is appended. */
  readonly onStored?: (place: Place) => Promise<void>;
}

/**
 * Realms that bring commits while an append is under way share the next record, as each record
 * costs a sync of the log.
 */
export function openShardWriter(input: ShardWriterInput): ShardWriter {
  const { log, now, claim, schema } = input;
  const { epoch } = claim;
  let last = claim;
  let lastAt = input.at;
  let waiting: Waiting[] = [];
  /** The appends that are under way; they go on until nobody waits. */
  let working: Promise<void> | undefined;
  let ended: NotLogged | undefined;
  const lastOfRealms = openLastOf();

  function add(content: RecordContent, onStored?: Waiting['onStored']): Promise<Place> {
    if (ended !== undefined) return Promise.reject(notSent(ended));
    return new Promise((resolve, reject) => {
      waiting.push({ content, resolve, reject, ...(onStored && { onStored }) });
      working ??= work();
    });
  }

  async function work() {
    while (waiting.length > 0 && ended === undefined) {
      const taken = takeTogether(waiting);
      waiting = waiting.slice(taken.length);
      try {
        const content = merged(taken);
        const place = await store(content);
        lastOfRealms.note(content, place);
        for (const { resolve } of taken) resolve(place);
        for (const { onStored } of taken) await onStored?.(place);
      } catch (error) {
        fail(taken, asNotLogged(error));
      }
    }
    working = undefined;
  }

  /** Rejects those whose record was under way, and those who wait, whose commits were not sent. */
  function fail(taken: readonly Waiting[], error: NotLogged) {
    ended = error;
    for (const { reject } of taken) reject(error);
    for (const { reject } of waiting.splice(0)) reject(notSent(error));
    input.onDeposed(error);
  }

  async function store(content: RecordContent): Promise<Place> {
    const payloads = await payloadsOf(content).catch((cause: unknown) => {
      throw new NotLogged('a commit is too long for the log', { isUnknown: false, cause });
    });
    for (const payload of payloads) last = await storeOne(payload);
    return last;
  }

  async function storeOne(payload: Payload): Promise<Place> {
    const id = newRecordId();
    lastAt = Math.max(lastAt, now());
    const head = { epoch, id, former: last.id, schema, at: lastAt };
    const body = encodeRecord(head, payload);
    const outcome = await log.append({ expected: last.sequence, id, epoch, body });
    if (outcome === 'refused') {
      // Parts that are stored already are void without their end.
      throw new NotLogged('another node has claimed the shard', { isUnknown: false });
    }
    return { sequence: last.sequence + 1, id, epoch };
  }

  return {
    commitLogOf: (realmId) => ({
      append: (commit) => add({ kind: 'writes', realms: [{ realmId, ...commit }] }),
    }),
    append: (content) => add(content),
    mark: (onMarked) => add({ kind: 'mark' }, (place) => onMarked(place, lastOfRealms.of)),
    last: () => last,
    at: () => lastAt,
    async close() {
      ended ??= new NotLogged('the shard is closed', { isUnknown: false });
      for (const { reject } of waiting.splice(0)) reject(ended);
      await working;
    },
  };
}

/** Keeps the last record of each realm. */
function openLastOf() {
  const last = new Map<number, number>();
  return {
    of: (realmId: number) => last.get(realmId) ?? 0,
    note(content: RecordContent, { sequence }: Place) {
      if (content.kind !== 'writes') return;
      for (const { realmId } of content.realms) last.set(realmId, sequence);
    },
  };
}

const notSent = (cause: NotLogged) => new NotLogged(cause.message, { isUnknown: false, cause });

const asNotLogged = (error: unknown): NotLogged =>
  error instanceof NotLogged
    ? error
    : new NotLogged('the log has not confirmed a commit', { isUnknown: true, cause: error });

/** Takes the commits from the front that fit into one record, or the one record that is there. */
function takeTogether(waiting: readonly Waiting[]): readonly Waiting[] {
  let bytes = 0;
  let count = 0;
  for (const { content } of waiting) {
    if (content.kind !== 'writes') break;
    for (const { writes } of content.realms) bytes += sizeOf(writes);
    if (count > 0 && bytes > COMMIT_BYTES_FULL) break;
    count += 1;
  }
  return waiting.slice(0, Math.max(count, 1));
}

/** About the bytes that the writes take in a record. */
function sizeOf(writes: WriteSet): number {
  let bytes = 0;
  for (const [, rows] of writes) for (const [, row] of rows) bytes += 32 + (row?.length ?? 0);
  return bytes;
}

function merged(taken: readonly Waiting[]): RecordContent {
  const [first] = taken;
  if (first !== undefined && taken.length === 1) return first.content;
  const realms = taken.flatMap(({ content }) => (content.kind === 'writes' ? content.realms : []));
  return { kind: 'writes', realms };
}
