// Bounds of the logs and of the bus, each with its reason. The memory of a test keeps them as well.

/**
 * How long an append is repeated: NATS may take 9 seconds to elect another leader, and there is
 * no setting for it.
 */
export const APPEND_MS = 12_000;
/** How long one attempt at an append is waited for; a leader that is there answers in 50 ms. */
export const ATTEMPT_MS = 1_500;
/** How long a question to the log or to the shared values is waited for. */
export const QUESTION_MS = 5_000;
/**
 * How long a node waits for servers that start as it does, before it gives up its own start: they
 * elect a leader for all, and one for each stream.
 */
export const OPEN_MS = 30_000;
/**
 * How long the log knows the id of a record, so that a repeat is not stored again: ten times as
 * long as an append is repeated.
 */
export const REPEATS_MS = 120_000;
/** Bytes of the body of a record: larger ones are written in parts of 4 MiB. */
export const RECORD_BYTES_MAX = 5 * 1_048_576;
/** Bytes of a message on the bus, and of a value: NATS refuses those above its `max_payload`. */
export const MESSAGE_BYTES_MAX = 8_000_000;
/** Characters of the name of a subject, or of the key of a value. */
export const NAME_LENGTH_MAX = 200;

const NAME = /^[A-Za-z0-9_=/-]+(?:\.[A-Za-z0-9_=/-]+)*$/;

/** Throws if a text is not the name of a subject, or the key of a value. */
export function requireName(name: string): void {
  if (name.length <= NAME_LENGTH_MAX && NAME.test(name)) return;
  throw new RangeError(`${JSON.stringify(name.slice(0, NAME_LENGTH_MAX))} is no name of a subject`);
}

/** Throws if there are more bytes than a bound allows. */
export function requireFitting(body: Uint8Array, bytesMax: number): void {
  if (body.length <= bytesMax) return;
  throw new RangeError(`${body.length} bytes are more than the ${bytesMax} that are allowed`);
}
