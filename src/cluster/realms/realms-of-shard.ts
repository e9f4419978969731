import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../../../storage/files/disk.ts';
import { ObjectStoreAway } from '../../../storage/objects/object-error.ts';
import type { ShardLog } from '../log/shard-log.ts';
import { shardOf } from '../placement.ts';
import type { RealmsOfShard } from '../shards/declaration.ts';
import { readyCopy } from '../snapshots/copies.ts';
import type { Cast } from './cast.ts';
import type { HeldRealm } from './held-realm.ts';
import { hold, write } from './holding.ts';
import { noteElsewhere } from './known-names.ts';

export const ofShard = (cast: Cast, shard: number): RealmsOfShard => ({
  all: () => Array.from(cast.all.values()).filter((realm) => realm.shard === shard),
  async ready(log) {
    for (const id of await readyCopies(cast, shard, log)) {
      if (!cast.all.has(id)) hold(cast, id);
    }
  },
  about: (id, sequence) => about(cast, id, sequence),
  hold: (id) => hold(cast, id),
  release(realm) {
    cast.all.delete(realm.id);
    cast.names.free(realm);
    cast.hosts.forget();
    cast.input.onRealmsChanged?.();
  },
  folderOf: (id) => join(cast.folder, String(id)),
  lacksSome: () => lacksSome(cast, shard),
  write: (realm, writer, notBefore) => write(cast, realm, { writer, notBefore }),
});

export const lacksSome = ({ missing, input }: Cast, shard: number): boolean =>
  [...missing].some((id) => shardOf(id, input.shards) === shard);

/** Makes sure that this node has a copy of each realm of a shard from which the log goes on. */
async function readyCopies(cast: Cast, shard: number, log: ShardLog) {
  const { input, folder, all, missing } = cast;
  const { snapshots, registry, shards } = input;
  if (snapshots === null) return [];
  const found: number[] = [];
  for (const [realmId, entry] of registry.all()) {
    if (entry.is !== 'there' || shardOf(realmId, shards) !== shard) continue;
    const path = join(folder, String(realmId));
    try {
      const ready = await readyCopy({ snapshots, log, folder: path, shard, realmId });
      // A realm that a record has made is in the log from there on.
      if (ready !== 'none' || entry.since !== undefined) found.push(realmId);
      else missing.add(realmId);
    } catch (error) {
      // The node begins without it, and gets it when the storage is there again.
      if (!(error instanceof ObjectStoreAway)) throw error;
      const isInLog = Math.max(1, entry.since ?? -1) >= (await log.first());
      if (!all.has(realmId) && entry.since !== undefined && isInLog) found.push(realmId);
      else {
        all.delete(realmId);
        missing.add(realmId);
      }
    }
  }
  return found;
}

/** Returns the realm that a record is about; it gets a copy if this is its first record. */
async function about(cast: Cast, id: number, sequence: number): Promise<HeldRealm | undefined> {
  const { input, all, missing } = cast;
  const known = all.get(id);
  if (known !== undefined) return known;
  const entry = input.registry.entry(id) ?? (await input.registry.ask(id));
  if (entry?.is === 'removed') return undefined;
  if (entry?.is === 'there' && entry.since !== sequence) {
    missing.add(id);
    void input.keepUp();
    return undefined;
  }
  const realm = hold(cast, id);
  realm.follow();
  return realm;
}

/** Removes the copies of a shard, whose realms other nodes have. */
export async function drop(cast: Cast, shard: number) {
  const { input, folder, all, names, hosts } = cast;
  const dropped = ofShard(cast, shard).all();
  for (const realm of dropped) await realm.close(() => DROPPED_MS);
  // All at once: a part of them would be taken for all realms of the shard.
  for (const realm of dropped) {
    all.delete(realm.id);
    names.free(realm);
    noteElsewhere(cast, realm.id);
  }
  hosts.forget();
  input.onRealmsChanged?.();
  for (const { path } of dropped) await rm(path, { recursive: true, force: true });
  if (dropped.length > 0) await syncFolder(folder);
}

/** Clients of a copy that goes come back at once: the node passes them on. */
const DROPPED_MS = 200;
