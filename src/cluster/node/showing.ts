import { type Describing, described, figuresOf } from '../nodes/describing.ts';
import type { Members } from '../nodes/members.ts';
import type { ClusterRealms } from '../realms/cluster-realms.ts';
import type { Node } from './declaration.ts';
import { isUnreadable, type Joined, unreadableOf } from './joined.ts';

/** Says why the node should not be sent requests. */
export function reasonsOf(
  joined: Joined,
  members: Members,
  realms: ClusterRealms,
): readonly string[] {
  const since = members.reachedSince();
  if (since === null) return ['the cluster is not reached'];
  if (hearsTooLittle(joined, members, since)) return ['the other nodes are not heard yet'];
  return [...waitingWords(joined, members), ...missingWords(realms.missing.size)];
}

/** A node that has just started does not know yet whom it passes requests on to. */
function hearsTooLittle(joined: Joined, members: Members, since: number): boolean {
  const { input, slots } = joined;
  if (slots === null || performance.now() - since > input.cluster.silenceMs) return false;
  return Array.from({ length: slots.count }, (_, shard) => shard).some((shard) => {
    const held = slots.isWhole(shard) ? slots.held(shard) : undefined;
    const isHere = held !== undefined && !isUnreadable(joined, held);
    return !isHere && !isServedElsewhere(joined, members, shard);
  });
}

const isServedElsewhere = ({ name }: Joined, members: Members, shard: number): boolean =>
  members.holdersOf(shard).some(({ node, serves }) => serves && node !== name);

/** Requests about shards that are not read here are passed on, if there is a node to serve them. */
function waitingWords(joined: Joined, members: Members): readonly string[] {
  const waiting = unreadableOf(joined).filter(
    ({ number }) => !isServedElsewhere(joined, members, number),
  );
  if (waiting.length === 0) return [];
  return [`${waiting.length} shards have an earlier schema: run \`confab cluster upgrade\``];
}

function missingWords(count: number): readonly string[] {
  if (count === 0) return [];
  return [`${count} of the realms ${count === 1 ? 'is' : 'are'} missing here, and looked for`];
}

const storageIsAway = ({ storage }: Joined) => storage?.standing().isAway ?? false;

/** Returns what operators see of a node. */
export const shownOf = (
  joined: Joined,
  members: Members,
): Pick<Node, 'describe' | 'figures' | 'logStanding' | 'storageStanding'> => ({
  describe: () => described(describing(joined), members),
  figures: () => figuresOf(describing(joined), members, storageIsAway(joined)),
  logStanding: () => joined.input.store.standing(),
  storageStanding: () => joined.storage?.standing() ?? null,
});

const describing = ({ name, founding, slots, placing, directory }: Joined): Describing => ({
  name,
  count: founding.shards,
  held: (shard) => slots?.held(shard),
  wanted: (shard) => placing?.wanted(shard) ?? [],
  pinOf: directory.pinOf,
});
