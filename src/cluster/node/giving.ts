import { setTimeout as pause } from 'node:timers/promises';
import type { Members } from '../nodes/members.ts';
import type { HeldShard } from '../shards/declaration.ts';
import { isDrained, type Joined, shardIn } from './joined.ts';

/** Shards are released within this time at a stop, or are claimed after silence. */
export const RELEASE_MS_MAX = 3_000;
const LOOK_MS = 50;

/**
 * Gives a shard to another node, and pins it there if that node would not keep it otherwise.
 * Resolves with false if the other node copies the shard first.
 */
export async function move(
  joined: Joined,
  members: Members,
  { number, to }: { readonly number: number; readonly to: string },
): Promise<boolean> {
  const { placing, directory } = joined;
  await directory.putPin(number, placing?.wouldStay(number, to) === true ? null : to);
  const isHeld = members.holdersOf(number).some(({ node }) => node === to);
  if (!isHeld) placing?.giveLater(number, to);
  else if (to !== joined.name) await shardIn(joined, number).release(to);
  return isHeld;
}

/** Has a node give its shards and copies away until `undrain`, also when it is started again. */
export async function drain(joined: Joined, members: Members, node: string): Promise<void> {
  await joined.directory.putDrained(node, true);
  if (node === joined.name) return await releaseDrained(joined, members);
  const until = performance.now() + RELEASE_MS_MAX;
  const owns = () => members.beats().find((said) => said.node === node)?.owns.length ?? 0;
  while (owns() > 0 && performance.now() < until) await pause(LOOK_MS);
}

/**
 * Gives what this node owns to others, as it stops. Reads of that are refused from then on: another
 * node may have less than this one has shown.
 */
export async function releaseAll({ slots }: Joined, members: Members): Promise<void> {
  members.beat();
  await released(slots?.all() ?? [], (held) => held.release(null, { isLast: true }));
}

/** Gives what this node owns to others that have a copy, if it is drained. */
export async function releaseDrained(joined: Joined, members: Members): Promise<void> {
  members.beat();
  if (!isDrained(joined)) return;
  const held = joined.slots?.all() ?? [];
  const given = held.filter(({ number }) => areOthersThere(joined, members, number));
  await released(given, (one) => one.release(null));
}

/** Tells whether another node that lives may own a shard, as it has a copy. */
export const areOthersThere = ({ name }: Joined, members: Members, number: number): boolean =>
  members.holdersOf(number).some(({ node, isLeaving }) => node !== name && !isLeaving);

async function released(
  given: readonly HeldShard[],
  release: (held: HeldShard) => Promise<void>,
): Promise<void> {
  await Promise.race([
    Promise.all(given.map(release)),
    pause(RELEASE_MS_MAX, undefined, { ref: false }),
  ]);
}
