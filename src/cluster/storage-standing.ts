import { heardObjects } from '../../storage/objects/heard-objects.ts';
import { ObjectStoreAway } from '../../storage/objects/object-error.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';

/** The shared storage of files, as the requests of this node have found it. */
export interface StorageStanding {
  readonly address: string;
  readonly isAway: boolean;
  /** UNIX milliseconds of the last answer; null for none yet. */
  readonly answeredAt: number | null;
  /** The last time that it was away, and why; null for never. */
  readonly failure: { readonly at: number; readonly why: string } | null;
}

interface WatchedStorage {
  readonly objects: ObjectStore;
  standing(): StorageStanding;
}

/** Returns the same storage, and how it is. Nothing is asked for that alone. */
export function watchStorage(objects: ObjectStore, now: () => number): WatchedStorage {
  let answeredAt: number | null = null;
  let failure: StorageStanding['failure'] = null;
  let isAway = false;
  return {
    objects: heardObjects(objects, {
      answered() {
        answeredAt = now();
        isAway = false;
      },
      failed(error) {
        // Any other refusal is an answer.
        isAway = error instanceof ObjectStoreAway;
        if (error instanceof ObjectStoreAway) failure = { at: now(), why: error.message };
        else answeredAt = now();
        return error;
      },
    }),
    standing: () => ({ address: objects.address, isAway, answeredAt, failure }),
  };
}
