import { filesAway } from '../../src/domain/wire/errors.ts';
import { heardObjects } from '../objects/heard-objects.ts';
import { ObjectStoreAway } from '../objects/object-error.ts';
import type { ObjectStore } from '../objects/object-store.ts';

/** Turns the absence of a store into the refusal that clients are told. */
export const refusingWhenAway = (objects: ObjectStore): ObjectStore =>
  heardObjects(objects, {
    failed: (error) => (error instanceof ObjectStoreAway ? filesAway({ cause: error }) : error),
  });
