import { setTimeout as pause } from 'node:timers/promises';
import { filesOver } from '../../../storage/files/open-file-store.ts';
import type { OwnerAsking } from '../nodes/asking.ts';
import type { Members } from '../nodes/members.ts';
import { holdsOf } from '../nodes/node-file.ts';
import { shardOf } from '../placement.ts';
import { realmFolder, realmsFolder, uploadsFolder } from '../realm-folders.ts';
import { type ClusterRealms, openClusterRealms } from '../realms/cluster-realms.ts';
import { openCopying } from '../realms/copying.ts';
import { openUpkeep, settleMade } from '../realms/upkeep.ts';
import type { SnapshotSchedule } from '../snapshots/schedule.ts';
import { RELEASE_MS_MAX } from './giving.ts';
import { type Joined, ownerOf, shardIn } from './joined.ts';

export function realmsOf(joined: Joined, members: Members, asking: OwnerAsking): ClusterRealms {
  const { input } = joined;
  const openFiles = filesOver(input.objects);
  return openClusterRealms({
    ...input,
    askForQueue: asking.queue,
    node: joined.name,
    shards: joined.founding.shards,
    numbers: joined.numbers,
    heads: joined.heads,
    snapshots: joined.snapshots,
    filesOf: (realmId) => openFiles(uploadsFolder(input.path, realmId), realmId),
    openFiles,
    registry: joined.registry,
    keepUp: async () => joined.upkeep?.look(),
    heldShard: (number) => joined.slots?.held(number),
    holds: holdsOf(input.path),
    directory: joined.directory,
    ownerOf: (number) => ownerOf(joined, members, number),
    isCutOff: () => members.reachedSince() === null,
    schemas: joined.schemas,
    async stop(retryAfterMs) {
      joined.isLeaving = true;
      joined.isStopping = true;
      joined.placing?.stop();
      joined.links?.end();
      joined.retryAfterMs = retryAfterMs;
      // One that is being taken is of no use without its end, and the copy of it is removed.
      const copied = joined.copying?.stop();
      const kept = joined.upkeep?.stop();
      joined.nightly?.stop();
      await joined.marks.close();
      await joined.slots?.stop();
      await Promise.race([
        Promise.all([copied, kept]),
        pause(RELEASE_MS_MAX, undefined, { ref: false }),
      ]);
      members.close();
    },
  });
}

export function copyingOf(
  { input, snapshots, ...joined }: Joined,
  members: Members,
  realms: ClusterRealms,
): SnapshotSchedule | null {
  if (snapshots === null) return null;
  return openCopying({
    snapshots,
    path: input.path,
    clock: input.clock,
    realms: {
      missing: realms.missing,
      *everyHeld() {
        for (const realm of realms.everyHeld()) {
          if (joined.slots?.isWhole(realm.shard)) yield realm;
        }
      },
    },
    shardOf: (realmId) => shardOf(realmId, joined.founding.shards),
    heldShard: (number) => shardIn(joined, number),
    isAlone: (number) => members.holdersOf(number).length === 1,
    onTaken: input.onSnapshot,
    onFailed: input.onNoSnapshot,
  });
}

export const upkeepOf = (
  { input, registry, snapshots, founding, ...joined }: Joined,
  realms: ClusterRealms,
) =>
  openUpkeep({
    registry,
    folder: realmsFolder(input.path),
    held: realms.held,
    missing: realms.missing,
    folderOf: (realmId) => realmFolder(input.path, realmId),
    shardFor: (realmId) => joined.slots?.held(shardOf(realmId, founding.shards)),
    forgetNames: joined.directory.forgetNames,
    snapshots,
    objects: input.objects,
    now: () => input.clock.now(),
    onMissing: input.onMissing,
    onFound: input.onFound,
    onFailed: input.onBug,
  });

/** Sees to the realms that this node was making when it ended. */
export async function settleOwn(joined: Joined, { held }: ClusterRealms) {
  const { name, registry, input, slots, founding } = joined;
  for (const [realmId, entry] of registry.all()) {
    if (entry.is !== 'made' || entry.by !== name) continue;
    // Only those who have the shard know if its first record is stored.
    if (slots?.isWhole(shardOf(realmId, founding.shards)) !== true) continue;
    await settleMade({ registry, held, now: () => input.clock.now() }, realmId);
  }
}
