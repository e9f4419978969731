import { ObjectStoreAway } from './object-error.ts';
import type { ObjectStore } from './object-store.ts';

interface Hearing {
  /** Called when the store has answered. */
  readonly answered?: () => void;
  /** Returns the error that is thrown instead. */
  readonly failed: (error: unknown) => unknown;
}

/** Returns the same store; the outcome of each request is heard. */
export function heardObjects(objects: ObjectStore, { answered, failed }: Hearing): ObjectStore {
  async function one<Result>(work: Promise<Result>): Promise<Result> {
    try {
      const result = await work;
      answered?.();
      return result;
    } catch (error) {
      throw failed(error);
    }
  }
  async function* each<Item>(items: AsyncIterable<Item>) {
    try {
      yield* items;
      answered?.();
    } catch (error) {
      throw failed(error);
    }
  }
  return {
    address: objects.address,
    put: (key, content) => one(objects.put(key, content)),
    sizeOf: (key) => one(objects.sizeOf(key)),
    chunks: (key, range) => each(objects.chunks(key, range)),
    list: (prefix) => each(objects.list(prefix)),
    remove: (key) => one(objects.remove(key)),
  };
}

/** A store is away, with its error, or it is there again. */
export type Presence =
  | { readonly isAway: true; readonly error: Error }
  | { readonly isAway: false };

/** A store that comes and goes is said to be away once a minute at most. */
const ABSENCE_MS_MIN = 60_000;

/** Returns the same store, which says when it is away, and when it has answered again. */
export function watchedObjects(
  objects: ObjectStore,
  onChange: (now: Presence) => void,
  now = () => performance.now(),
): ObjectStore {
  let isAway = false;
  let awayAt = Number.NEGATIVE_INFINITY;
  return heardObjects(objects, {
    answered() {
      if (!isAway) return;
      isAway = false;
      onChange({ isAway });
    },
    failed(error) {
      if (error instanceof ObjectStoreAway && !isAway && now() - awayAt >= ABSENCE_MS_MIN) {
        isAway = true;
        awayAt = now();
        onChange({ isAway, error });
      }
      return error;
    },
  });
}
