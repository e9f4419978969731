/** An error of an object store, with one line for the operator. */
export class ObjectStoreError extends Error {}

/** The store did not answer, or had no answer for now: a later request may succeed. */
export class ObjectStoreAway extends ObjectStoreError {}
