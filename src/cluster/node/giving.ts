import { setTimeout as pause } from 'node:timers/promises';
import type { Members } from '../nodes/members.ts';
import { type Joined, shardIn } from './joined.ts';

/** Shards are released within this time at a stop, or are claimed after silence. */
export const RELEASE_MS_MAX = 3_000;

/** Resolves with false if the other node copies the shard first. */
export async function move(
  joined: Joined,
  members: Members,
  { number, to }: { readonly number: number; readonly to: string },
): Promise<boolean> {
  await joined.directory.putWish(number, to);
  const isHeld = members.holdersOf(number).some(({ node }) => node === to);
  if (!isHeld) joined.placing?.giveLater(number, to);
  else if (to !== joined.name) await shardIn(joined, number).release(to);
  return isHeld;
}

/** Gives what this node owns to others, as far as others have a copy. */
export async function releaseAll(joined: Joined, members: Members) {
  joined.isLeaving = true;
  members.beat();
  const given = (joined.slots?.all() ?? []).filter(
    ({ number }) => !joined.isDrained || members.holdersOf(number).length > 1,
  );
  await Promise.race([
    Promise.all(given.map((held) => held.release(null))),
    pause(RELEASE_MS_MAX, undefined, { ref: false }),
  ]);
}
