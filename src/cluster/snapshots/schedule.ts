import type { Clock } from '../../../actors/clock.ts';
import { ObjectStoreAway } from '../../../storage/objects/object-error.ts';
import type { ShardLog } from '../log/shard-log.ts';
import { forgetLog } from './copies.ts';
import type { Snapshot, SnapshotSource, Snapshots } from './snapshot.ts';

/** A realm of which this node takes snapshots: it follows it, or is the only one that has it. */
export interface RealmToCopy {
  readonly shard: number;
  readonly realmId: number;
  readonly source: SnapshotSource;
  /** The bytes of the log that the node has read of the shard since it started. */
  readonly logBytes: number;
}

export interface ScheduleInput {
  readonly snapshots: Snapshots;
  /** A folder on the disk of the stores, with room for a copy of the largest. */
  readonly scratch: string;
  readonly clock: Clock;
  readonly toCopy: () => readonly RealmToCopy[];
  /** Returns all realms of a shard. */
  readonly realmsOf: (shard: number) => readonly number[];
  readonly logOf: (shard: number) => Pick<ShardLog, 'last' | 'forgetBefore'>;
  readonly onTaken?: (snapshot: Snapshot) => void;
  readonly onFailed: (error: unknown) => void;
}

/** A day: a node that joins reads no more than a day of the log. */
export const SNAPSHOT_MS = 86_400_000;
/** 4 GiB of the log: reading it takes a node that joins some minutes. */
export const SNAPSHOT_LOG_BYTES = 4 * 1024 ** 3;
/** How often it is looked whether a snapshot is due. */
const LOOK_MS = 300_000;

export interface SnapshotSchedule {
  /** Takes what is due, one after the other. */
  look(): Promise<void>;
  /** Takes one of each realm, due or not. */
  takeAll(): Promise<readonly Snapshot[]>;
  /** Takes no further ones. Resolves when none is being taken. */
  stop(): Promise<void>;
}

interface Known {
  /** UNIX milliseconds. */
  readonly at: number;
  readonly logBytes: number;
}

/** Takes a snapshot of each realm once a day, and after 4 GiB of the log of its shard. */
export function scheduleSnapshots(input: ScheduleInput): SnapshotSchedule {
  const { snapshots, scratch, clock, onFailed } = input;
  const known = new Map<string, Known>();
  const failures = openFailures(onFailed);
  let isStopped = false;
  let timer: unknown;

  const isDue = ({ logBytes }: RealmToCopy, last: Known | undefined) =>
    last === undefined ||
    clock.now() - last.at >= SNAPSHOT_MS ||
    logBytes - last.logBytes >= SNAPSHOT_LOG_BYTES;

  /** Another node may have taken one meanwhile. */
  async function isStillDue(realm: RealmToCopy, key: string) {
    const before = known.get(key);
    const newest = await snapshots.newest(realm);
    if (newest === undefined) return true;
    const at = Date.parse(newest.taken_at);
    if (before === undefined || at > before.at) known.set(key, { at, logBytes: realm.logBytes });
    return isDue(realm, known.get(key));
  }

  async function take(realm: RealmToCopy, key: string) {
    const { shard, realmId, source, logBytes } = realm;
    const taken = await snapshots.take({ shard, realmId, source, scratch });
    known.set(key, { at: clock.now(), logBytes });
    input.onTaken?.(taken);
    await snapshots.forgetOlder(realm);
    const realmIds = input.realmsOf(shard);
    await forgetLog({ snapshots, shard, realmIds, log: input.logOf(shard) });
    return taken;
  }

  async function takeAll() {
    const taken: Snapshot[] = [];
    for (const realm of input.toCopy()) {
      if (isStopped) break;
      taken.push(await take(realm, keyOf(realm)));
    }
    return taken;
  }

  async function look() {
    for (const realm of input.toCopy()) {
      if (isStopped) return;
      const key = keyOf(realm);
      if (!isDue(realm, known.get(key))) continue;
      try {
        if (await isStillDue(realm, key)) await take(realm, key);
        failures.ended(key);
      } catch (error) {
        // The next look tries it again.
        failures.note(key, error);
      }
    }
  }

  let working: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = working.then(work);
    working = done.catch(() => undefined);
    return done;
  }
  const lookNow = () => inTurn(look);
  const wait = () => {
    timer = clock.setTimeout(() => {
      void lookNow().then(() => {
        if (!isStopped) wait();
      });
    }, LOOK_MS);
  };
  wait();
  return {
    look: lookNow,
    takeAll: () => inTurn(takeAll),
    async stop() {
      isStopped = true;
      clock.clearTimeout(timer);
      await working;
    },
  };
}

const keyOf = ({ shard, realmId }: RealmToCopy) => `${shard}/${realmId}`;

/** A storage that is away fails all realms, and is one failure. */
const AWAY = 'away';

/** Tells of a failure once, until what has failed was done. */
function openFailures(onFailed: (error: unknown) => void) {
  const failing = new Set<string>();
  return {
    note(key: string, error: unknown) {
      const what = error instanceof ObjectStoreAway ? AWAY : key;
      if (!failing.has(what)) onFailed(error);
      failing.add(what);
    },
    ended(key: string) {
      failing.delete(key);
      failing.delete(AWAY);
    },
  };
}
