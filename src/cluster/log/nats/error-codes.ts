import { JetStreamApiError } from '@nats-io/jetstream';

// Error codes of NATS that are looked at; its client names them in part.

export const NO_MESSAGE = 10_037;
export const NO_LEADER = 10_008;
export const STREAM_NOT_FOUND = 10_059;
export const NAME_IN_USE = 10_058;
const NO_PEERS = 10_005;
const WITHOUT_CLUSTER = 10_074;
const WRONG_LAST_SEQUENCES = [10_071, 10_164];

/** Returns the code of an error that JetStream has answered with. */
export const codeOf = (error: unknown): number | undefined =>
  error instanceof JetStreamApiError ? error.code : undefined;

/** Tells whether something was not stored because somebody else has stored before. */
export const isWrongLastSequence = (error: unknown): boolean =>
  WRONG_LAST_SEQUENCES.includes(codeOf(error) ?? 0);

/** Tells whether there are fewer servers than replicas. */
export const areServersTooFew = (error: unknown): boolean =>
  [NO_PEERS, WITHOUT_CLUSTER].includes(codeOf(error) ?? 0);
