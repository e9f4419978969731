import { setTimeout as pause } from 'node:timers/promises';
import type { Place } from '../../../storage/replication/commit-log.ts';
import {
  openRowHashing,
  type RowHashing,
  type StoreHashes,
} from '../../../storage/replication/row-hashes.ts';
import type { Bus } from '../log/bus.ts';
import { packed, unpacked } from '../nodes/frames.ts';
import { type AnsweredMark, type AskedMark, marksSubject } from './frames.ts';

/** A store is hashed for so long at a time, and rests so long: a fifth of the thread at most. */
const STEP_MS = 2;
const REST_MS = 8;
/**
 * A store that lags behind its log is waited for so long: it is about to apply what the log has.
 * Nothing else is appended to the shard meanwhile.
 */
const APPLY_MS_MAX = 2_000;
const APPLY_LOOK_MS = 2;

/** A store of a shard, by its realm and its folder. */
export interface MarkedStore {
  readonly id: number;
  readonly path: string;
}

/** Stores that are about to be frozen at a mark. */
export interface PreparedMark {
  /**
   * Freezes the stores at a mark, while nothing of its shard is applied, and begins to hash them. A
   * store that is to have a record of its realm first is waited for. Never rejects.
   */
  freeze(mark: Mark): Promise<void>;
  /** There is no mark. */
  giveUp(): Promise<void>;
}

interface Mark {
  readonly place: Place;
  readonly stores: readonly MarkedStore[];
  /** Returns the last record of a realm that may not be applied yet; by default all are. */
  readonly lastOf?: (realmId: number) => number;
}

/** The hashes of the stores of a node at the newest mark of each shard. */
export interface Marks {
  /** Opens stores of a shard, which takes some milliseconds each. Never rejects. */
  prepare(shard: number, stores: readonly MarkedStore[]): Promise<PreparedMark>;
  /** Gives up what is under way, and answers no more. */
  close(): Promise<void>;
}

interface MarksInput {
  readonly bus: Bus;
  readonly node: string;
  readonly onBug: (error: unknown) => void;
}

/** The stores of a shard at its newest mark. */
interface Noted {
  readonly sequence: number;
  readonly waiting: Map<number, RowHashing>;
  readonly done: Map<number, StoreHashes>;
  readonly unknown: number[];
  rows: number;
  isGivenUp: boolean;
}

export function openMarks({ bus, node, onBug }: MarksInput): Marks {
  const noted = new Map<number, Noted>();
  /** One store of the node is hashed at a time. */
  let hashing: Promise<void> = Promise.resolve();
  let isClosed = false;

  async function open(stores: readonly MarkedStore[], opened: Map<number, RowHashing>) {
    for (const { id, path } of stores) {
      if (opened.has(id)) continue;
      try {
        const rows = openRowHashing(path);
        if (rows !== undefined) opened.set(id, rows);
      } catch (error) {
        onBug(error);
      }
      await nextTurn();
    }
  }

  async function hash(shard: Noted) {
    for (const [id, rows] of shard.waiting) {
      let hashes: StoreHashes | undefined;
      while (hashes === undefined && !shard.isGivenUp) {
        hashes = rows.step(STEP_MS);
        await pause(REST_MS, undefined, { ref: false });
      }
      shard.waiting.delete(id);
      await rows.close();
      if (hashes === undefined) continue;
      shard.done.set(id, hashes);
      shard.rows += hashes.rows;
    }
  }

  function begin(shard: number, now: Noted) {
    const former = noted.get(shard);
    if (former !== undefined) former.isGivenUp = true;
    now.isGivenUp = isClosed;
    noted.set(shard, now);
    hashing = hashing.then(() => hash(now)).catch(onBug);
  }

  const end = bus.serve(marksSubject(node), (body) =>
    Promise.resolve(packed(answerTo(unpacked<AskedMark>(body), noted))),
  );

  return {
    async prepare(shard, stores) {
      const opened = new Map<number, RowHashing>();
      await open(stores, opened);
      return {
        async freeze({ place, stores: all, lastOf = () => 0 }) {
          await open(all, opened);
          const now = await frozen(opened, { sequence: place.sequence, lastOf, onBug });
          begin(shard, now);
        },
        giveUp: () => closeAll(opened.values()),
      };
    },
    async close() {
      isClosed = true;
      end();
      for (const one of noted.values()) one.isGivenUp = true;
      await hashing;
    },
  };
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

interface Freezing {
  readonly sequence: number;
  readonly lastOf: (realmId: number) => number;
  readonly onBug: (error: unknown) => void;
}

async function frozen(
  opened: ReadonlyMap<number, RowHashing>,
  { sequence, lastOf, onBug }: Freezing,
): Promise<Noted> {
  const shard: Noted = {
    sequence,
    waiting: new Map(),
    done: new Map(),
    unknown: [],
    rows: 0,
    isGivenUp: false,
  };
  const until = performance.now() + APPLY_MS_MAX;
  for (const [id, rows] of opened) {
    const at = await freezeOne(rows, { last: lastOf(id), until }).catch(onBug);
    if (at !== undefined && at >= lastOf(id) && at <= sequence) {
      shard.waiting.set(id, rows);
      continue;
    }
    await rows.close();
    // A store that no record was applied to is that of a realm which is still to come.
    if (at !== undefined && (at > 0 || lastOf(id) > 0)) shard.unknown.push(id);
    if (at === undefined) shard.unknown.push(id);
  }
  return shard;
}

interface Freeze {
  readonly last: number;
  readonly until: number;
}

/** Resolves with the number of the record that the frozen rows are of; 0 for none. */
async function freezeOne(rows: RowHashing, { last, until }: Freeze): Promise<number> {
  for (;;) {
    const at = rows.freeze()?.sequence ?? 0;
    if (at >= last || performance.now() >= until) return at;
    await pause(APPLY_LOOK_MS);
  }
}

async function closeAll(opened: Iterable<RowHashing>) {
  for (const rows of opened) await rows.close();
}

function answerTo(asked: AskedMark, noted: ReadonlyMap<number, Noted>): AnsweredMark {
  const [what, shard, sequence] = asked;
  const known = noted.get(shard);
  if (known === undefined || known.sequence !== sequence || known.isGivenUp) {
    return ['no such mark'];
  }
  if (known.waiting.size > 0) return ['hashing', known.done.size, known.rows];
  if (what === 'stores') {
    const stores = Array.from(known.done, ([id, { whole }]) => [id, whole] as const);
    return ['stores', known.rows, stores, known.unknown];
  }
  return ['tables', [...(known.done.get(asked[3])?.tables ?? [])]];
}
