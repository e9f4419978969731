import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../actors/clock.ts';
import type { HeldShard } from '../shards/declaration.ts';
import { frozenSource } from '../snapshots/frozen-source.ts';
import {
  type RealmToCopy,
  type SnapshotSchedule,
  scheduleSnapshots,
} from '../snapshots/schedule.ts';
import type { Snapshot, SnapshotSource, Snapshots } from '../snapshots/snapshot.ts';
import type { HeldRealm } from './held-realm.ts';

/**
 * Copies of quiet realms are told so often where the log is. It is shortened to where it was a day
 * ago, as a rule, so that a node that starts again goes on with its own copies.
 */
const PASS_MS = 21_600_000;

export interface CopyingInput {
  readonly snapshots: Snapshots;
  /** The data directory. */
  readonly path: string;
  readonly clock: Clock;
  readonly realms: { everyHeld(): Iterable<HeldRealm>; readonly missing: ReadonlySet<number> };
  readonly shardOf: (realmId: number) => number;
  readonly heldShard: (shard: number) => HeldShard;
  /** Tells whether no other node that lives has a copy of a shard. */
  readonly isAlone: (shard: number) => boolean;
  readonly onTaken: (snapshot: Snapshot) => void;
  readonly onFailed: (error: unknown) => void;
}

/**
 * Takes snapshots of the realms of a node: those that it follows, so that owners have less to do,
 * and those that it writes where it is the only one that has them.
 */
export function openCopying(input: CopyingInput): SnapshotSchedule {
  const { snapshots, path, clock, realms, heldShard } = input;
  const scratch = join(path, 'snapshots');
  // A kill leaves what was being copied.
  rmSync(scratch, { recursive: true, force: true });

  let passedAt = clock.now();
  function passQuiet() {
    if (clock.now() - passedAt < PASS_MS) return;
    passedAt = clock.now();
    const shards = new Set(Array.from(realms.everyHeld(), ({ shard }) => shard));
    for (const shard of shards) heldShard(shard).pass().catch(input.onFailed);
  }
  function* toCopy(): Generator<RealmToCopy> {
    for (const realm of realms.everyHeld()) {
      const source = sourceOf(realm, input);
      if (source === undefined) continue;
      const { shard, id: realmId } = realm;
      yield { shard, realmId, source, logBytes: heldShard(shard).logBytes() };
    }
  }
  return scheduleSnapshots({
    snapshots,
    scratch,
    clock,
    toCopy() {
      passQuiet();
      return [...toCopy()];
    },
    // The log stays for those, too, of which this node still has to get a copy.
    realmsOf: (shard) =>
      [...Array.from(realms.everyHeld(), ({ id }) => id), ...realms.missing].filter(
        (realmId) => input.shardOf(realmId) === shard,
      ),
    logOf(shard) {
      const held = heldShard(shard);
      return {
        last: held.log.last,
        // Behind its own place this node does not know which realms there are.
        forgetBefore: (sequence) => held.log.forgetBefore(Math.min(sequence, held.sequence())),
      };
    },
    onTaken: input.onTaken,
    onFailed: input.onFailed,
  });
}

function sourceOf(
  realm: HeldRealm,
  { heldShard, isAlone }: CopyingInput,
): SnapshotSource | undefined {
  if (realm.following() !== null) {
    return {
      async copyTo(folder) {
        const copy = await heldShard(realm.shard).openCopy(realm);
        try {
          await copy.copyTo(folder);
        } finally {
          await copy.close();
        }
      },
    };
  }
  const written = realm.written();
  if (written === null || !isAlone(realm.shard)) return undefined;
  return frozenSource(() => written.current().freeze());
}
