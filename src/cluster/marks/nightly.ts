import type { Clock } from '../../../actors/clock.ts';
import type { SharedValues } from '../log/bus.ts';
import { packed, unpacked } from '../nodes/frames.ts';
import type { Verify } from './verification.ts';
import type { VerifiedShard } from './verifying.ts';

interface NightlyInput {
  readonly clock: Clock;
  readonly values: Pick<SharedValues, 'get' | 'put'>;
  readonly shards: number;
  readonly isOwned: (shard: number) => boolean;
  readonly verify: Verify;
  readonly onVerified: (verified: VerifiedShard) => void;
  /** The copies could not be compared; it is tried again. */
  readonly onFailed: (error: unknown) => void;
}

const DAY_MS = 86_400_000;
/** Most people sleep at three in the morning, by the clock of the machine. */
const HOUR = 3;
/** How often it is looked whether it is time. */
const LOOK_MS = 300_000;
/** After a failure it is tried again so much later. */
const AGAIN_MS = 3_600_000;

/** The shared value that has the day on which copies were last compared. */
const KEY = 'verified';

export interface Nightly {
  /** Compares the copies of the shard of this day, if that is due and this node owns it. */
  look(): Promise<void>;
  stop(): void;
}

/**
 * Compares the copies of one shard each night, of all in turn; the owner of the shard begins it.
 * Bits rot on disks, and a fault in the code of a follower would show nowhere else.
 */
export function verifyNightly(input: NightlyInput): Nightly {
  const { clock, values, shards, isOwned } = input;
  let timer: unknown;
  let failedAt = Number.NEGATIVE_INFINITY;
  let isLooking = false;

  async function isDone(day: number) {
    const value = await values.get(KEY);
    return value !== undefined && unpacked<{ readonly day: number }>(value).day >= day;
  }

  async function verifyDue() {
    const day = nightOf(clock.now());
    const shard = day % shards;
    if (!isOwned(shard) || clock.now() - failedAt < AGAIN_MS || (await isDone(day))) return;
    const verified = await input.verify(shard);
    // It has moved, and its next owner looks as well.
    if (verified === undefined) return;
    input.onVerified(verified);
    if (verified.not_compared.length > 0) failedAt = clock.now();
    else await values.put(KEY, packed({ day }));
  }

  async function look() {
    if (isLooking) return;
    isLooking = true;
    try {
      await verifyDue();
    } catch (error) {
      failedAt = clock.now();
      input.onFailed(error);
    } finally {
      isLooking = false;
    }
  }

  const wait = () => {
    timer = clock.setTimeout(() => {
      void look();
      wait();
    }, LOOK_MS);
  };
  wait();
  return { look, stop: () => clock.clearTimeout(timer) };
}

/** Numbers the nights, by the clock of the machine: a night begins at three. */
function nightOf(now: number): number {
  const zoneMs = new Date(now).getTimezoneOffset() * 60_000;
  return Math.floor((now - zoneMs - HOUR * 3_600_000) / DAY_MS);
}
