import type { Place } from '../../../storage/replication/commit-log.ts';
import type { ShardLog } from '../log/shard-log.ts';

/**
 * Returns the place behind which a log can be read by a node that has none of it: null for a log
 * from its first record on. The first record that is left of a log is the place of a snapshot, so
 * that a realm without one has all of its records behind it (`forgetLog`).
 */
export async function placeBefore(log: Pick<ShardLog, 'last' | 'record'>): Promise<Place | null> {
  let last = await log.last();
  if (last === 0 || (await log.record(1)) !== undefined) return null;
  // The log has nothing up to `gone`, and something from `last` on.
  let gone = 1;
  while (last - gone > 1) {
    const middle = Math.floor((gone + last) / 2);
    if ((await log.record(middle)) === undefined) gone = middle;
    else last = middle;
  }
  const first = await log.record(last);
  if (first === undefined) throw new Error(`the log has lost record ${last} while it was read`);
  return { sequence: first.sequence, id: first.id, epoch: first.epoch };
}
