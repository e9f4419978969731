import { diskCode } from '../../../storage/files/disk-fault.ts';
import { type ObjectStore, shortObject } from '../../../storage/objects/object-store.ts';
import { decodeManifest, MANIFEST_BYTES_MAX, SnapshotError } from './manifest.ts';
import { restoreSnapshot } from './restoring.ts';
import type { OfRealm, Snapshot, Snapshots } from './snapshot.ts';
import { takeSnapshot } from './taking.ts';

interface SnapshotsInput {
  readonly objects: ObjectStore;
  /** The id that the cluster was founded with. */
  readonly cluster: string;
  readonly node: string;
  readonly now: () => number;
}

/** The log is kept from the second newest on, so that a damaged one loses nothing. */
export const SNAPSHOTS_KEPT = 2;
/** The store of a snapshot without a description after so long was left by a node that ended. */
const UNFINISHED_MS = 86_400_000;

export function openSnapshots({ objects, cluster, node, now }: SnapshotsInput): Snapshots {
  const root = `clusters/${cluster}/snapshots/`;
  const folderOf = ({ shard, realmId }: OfRealm) => `${root}${shard}/${realmId}/`;

  async function read(key: string): Promise<Snapshot> {
    const bytes = await shortObject(objects, key, MANIFEST_BYTES_MAX);
    return { ...decodeManifest(bytes, key), key };
  }

  async function list(realm: OfRealm): Promise<readonly Snapshot[]> {
    const keys: string[] = [];
    for await (const { key } of objects.list(folderOf(realm))) {
      if (key.endsWith('.json')) keys.push(key);
    }
    const found: Snapshot[] = [];
    for (const key of keys) {
      // One that is damaged, or that another node has just removed, is as good as none.
      const snapshot = await read(key).catch(ifUnusable);
      if (snapshot !== undefined) found.push(snapshot);
    }
    return found.sort(newestFirst);
  }

  return {
    take: (input) => takeSnapshot({ objects, root, cluster, node, now }, input),
    async realms(shard) {
      const ids = new Set<number>();
      for await (const { key } of objects.list(`${root}${shard}/`)) {
        const [, id] = /\/(\d+)\/[^/]+\.json$/.exec(key) ?? [];
        if (id !== undefined) ids.add(Number(id));
      }
      return [...ids];
    },
    list,
    newest: async (realm) => (await list(realm))[0],
    restore: (snapshot, realm, folder) =>
      restoreSnapshot({ objects, root, cluster }, { snapshot, realm, folder }),
    async forgetOlder(realm, kept = SNAPSHOTS_KEPT) {
      const all = await list(realm);
      const older = all.slice(kept);
      for (const { key, store } of older) {
        // Without its description a snapshot is none.
        await objects.remove(key);
        await objects.remove(`${root}${store}`);
      }
      const known = new Set(all.slice(0, kept).map(({ store }) => `${root}${store}`));
      for await (const { key, storedAt } of objects.list(folderOf(realm))) {
        const isOld = storedAt < Date.now() - UNFINISHED_MS;
        if (key.endsWith('.mdb') && isOld && !known.has(key)) await objects.remove(key);
      }
      return older.length;
    },
    async removeAll(realm) {
      // Descriptions come first: `.json` is before `.mdb` in the order of the keys.
      for await (const { key } of objects.list(folderOf(realm))) await objects.remove(key);
    },
  };
}

function ifUnusable(error: unknown): undefined {
  if (error instanceof SnapshotError || diskCode(error) === 'ENOENT') return;
  throw error;
}

/** A log that was begun again has a later epoch and lower numbers. */
const newestFirst = (one: Snapshot, other: Snapshot): number =>
  (other.place?.epoch ?? 0) - (one.place?.epoch ?? 0) ||
  (other.place?.sequence ?? 0) - (one.place?.sequence ?? 0) ||
  Date.parse(other.taken_at) - Date.parse(one.taken_at);
