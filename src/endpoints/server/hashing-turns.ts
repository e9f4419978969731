import { availableParallelism } from 'node:os';
import { FairQueue } from '../../domain/fair-queue.ts';
import {
  HASHES_AT_ONCE_MAX,
  HASHES_WAITING_MAX,
  HASHES_WAITING_PER_ORIGIN_MAX,
} from '../../domain/limits/credentials.ts';
import * as errors from '../../domain/wire/errors.ts';

/**
 * Passwords are hashed by the threads that read files as well, and each takes a core for tens of
 * milliseconds; this limit leaves one core to everything else.
 */
const atOnce = Math.max(1, Math.min(HASHES_AT_ONCE_MAX, availableParallelism() - 1));

const waiting = new FairQueue<string, () => void>();
let working = 0;

/**
 * Hashes when it is the turn of its origin: an address that sends thousands only delays itself, and
 * another is served after one of them. Too many are refused before anything is hashed.
 */
export async function inHashingTurn<Result>(
  origin: string,
  hash: () => Promise<Result>,
): Promise<Result> {
  if (
    waiting.size >= HASHES_WAITING_MAX ||
    waiting.sizeOf(origin) >= HASHES_WAITING_PER_ORIGIN_MAX
  ) {
    throw errors.rateLimitHit(BUSY_RETRY_SECONDS);
  }
  await new Promise<void>((begin) => {
    waiting.push(origin, begin);
    beginNext();
  });
  try {
    return await hash();
  } finally {
    working -= 1;
    beginNext();
  }
}

/** Returns how many hashes wait for their turn, for the metrics. */
export const hashesWaiting = (): number => waiting.size;

function beginNext() {
  while (working < atOnce) {
    const begin = waiting.take();
    if (begin === undefined) return;
    // All hashes cost about the same.
    waiting.settle(1);
    working += 1;
    begin();
  }
}

/** The hashes that may wait for one origin take less than this. */
const BUSY_RETRY_SECONDS = 2;
