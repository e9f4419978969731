import type { StreamInfo } from '@nats-io/jetstream';
import { BrokenLogError } from '../errors.ts';
import { streamOf } from './nats-streams.ts';
import type { OpenedStream } from './opened-stream.ts';

/** Looks at the stream as its leader knows it. */
export interface Looks {
  /**
   * Returns the number of the last record. Throws a `BrokenLogError` if the log does not go on
   * where a reader is that needs the record `next`.
   */
  look(next: number): Promise<number>;
}

/**
 * A leader that was cut off from the other servers may know less than they do, for as long as it
 * takes itself for their leader. So it is believed that records are gone only after some looks at a
 * leader that heard from most of the others just before.
 */
const LOOKS = 3;
const HEARD_MS = 2_000;
const BETWEEN_MS = 1_000;

export function openLooks({ shard, jsm, made }: OpenedStream): Looks {
  let missing = 0;
  let lookedAt = 0;
  return {
    async look(next) {
      const info = await jsm.streams.info(streamOf(shard));
      const { first_seq: first, last_seq: last } = info.state;
      if (info.created !== made) {
        throw new BrokenLogError('The log was removed, and another one was made');
      }
      if (first > next) {
        throw new BrokenLogError(`The log begins with record ${first}, and ${next} is next`);
      }
      if (last >= next - 1) missing = 0;
      else if (isHeard(info) && Date.now() - lookedAt >= BETWEEN_MS) {
        lookedAt = Date.now();
        missing += 1;
        if (missing >= LOOKS) {
          throw new BrokenLogError(`The log ends with record ${last}, and ${next} is next`);
        }
      }
      return last;
    },
  };
}

/** Tells whether most of the servers of a stream were heard by its leader just now. */
export function isHeard({ cluster, config }: Pick<StreamInfo, 'cluster' | 'config'>): boolean {
  const heard = (cluster?.replicas ?? []).filter(
    // The time is in nanoseconds.
    ({ current, active }) => current && active < HEARD_MS * 1e6,
  );
  return heard.length + 1 > config.num_replicas / 2;
}
