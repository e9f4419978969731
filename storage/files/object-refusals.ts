import { filesAway } from '../../src/domain/wire/errors.ts';
import { ObjectStoreAway } from '../objects/object-error.ts';
import type { ObjectStore } from '../objects/object-store.ts';

/** Turns the absence of a store into the refusal that clients are told. */
export function refusingWhenAway(objects: ObjectStore): ObjectStore {
  const told = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error: unknown) => {
      throw refusalOf(error);
    });
  async function* each<Item>(items: AsyncIterable<Item>) {
    try {
      yield* items;
    } catch (error) {
      throw refusalOf(error);
    }
  }
  return {
    address: objects.address,
    put: (key, content) => told(objects.put(key, content)),
    sizeOf: (key) => told(objects.sizeOf(key)),
    chunks: (key, range) => each(objects.chunks(key, range)),
    list: (prefix) => each(objects.list(prefix)),
    remove: (key) => told(objects.remove(key)),
  };
}

const refusalOf = (error: unknown): unknown =>
  error instanceof ObjectStoreAway ? filesAway({ cause: error }) : error;
