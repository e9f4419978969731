import type { Place } from '../../../storage/replication/commit-log.ts';
import type { SnapshotManifest } from './manifest.ts';

/** A copy of a realm's store with its place in the log, as it is in the store of objects. */
export interface Snapshot extends SnapshotManifest {
  /** The key of its description. */
  readonly key: string;
}

/** A store that can be copied while it is used: a replica, or one that is frozen. */
export interface SnapshotSource {
  /** Writes a copy of one moment, with its place, into an empty folder. */
  copyTo(folder: string): Promise<void>;
}

export interface TakeInput {
  readonly shard: number;
  readonly realmId: number;
  readonly source: SnapshotSource;
  /** A folder in which the copy is made, and removed again. */
  readonly scratch: string;
}

export interface OfRealm {
  readonly shard: number;
  readonly realmId: number;
}

/** The snapshots of a cluster. */
export interface Snapshots {
  /** Stores a snapshot of a realm: all of it or nothing. */
  take(input: TakeInput): Promise<Snapshot>;
  /** Returns the ids of the realms of a shard that have snapshots. */
  realms(shard: number): Promise<readonly number[]>;
  /** Returns the whole snapshots of a realm, the newest first. */
  list(realm: OfRealm): Promise<readonly Snapshot[]>;
  newest(realm: OfRealm): Promise<Snapshot | undefined>;
  /**
   * Makes a store of a snapshot in a folder that is empty or not there. Throws `SnapshotError`, and
   * changes nothing, if the snapshot is damaged or is not that of this realm of this cluster.
   * Returns the place from which the store follows the log.
   */
  restore(snapshot: Snapshot, realm: OfRealm, folder: string): Promise<Place | null>;
  /** Removes all but the newest snapshots of a realm, and returns how many were removed. */
  forgetOlder(realm: OfRealm, kept?: number): Promise<number>;
  /** Removes all snapshots of a realm that is gone, whole ones first. */
  removeAll(realm: OfRealm): Promise<void>;
}
