import { canRead } from '../../../storage/migrations/migration.ts';
import { type Describing, described, figuresOf } from '../nodes/describing.ts';
import type { Members } from '../nodes/members.ts';
import type { ClusterRealms } from '../realms/cluster-realms.ts';
import type { Node } from './declaration.ts';
import { type Joined, wholeOf } from './joined.ts';

/** Says why the node should not be sent requests. */
export function reasonsOf(
  joined: Joined,
  members: Members,
  realms: ClusterRealms,
): readonly string[] {
  const since = members.reachedSince();
  if (since === null) return ['the cluster is not reached'];
  if (hearsTooLittle(joined, members, since)) return ['the other nodes are not heard yet'];
  return [...waitingWords(joined), ...missingWords(realms.missing.size)];
}

/** A node that has just started does not know yet whom it passes requests on to. */
function hearsTooLittle({ input, slots }: Joined, members: Members, since: number): boolean {
  if (slots === null || performance.now() - since > input.cluster.silenceMs) return false;
  return Array.from({ length: slots.count }, (_, shard) => shard).some(
    (shard) => !slots.isWhole(shard) && members.holdersOf(shard).length === 0,
  );
}

function waitingWords(joined: Joined): readonly string[] {
  const waiting = wholeOf(joined).filter((held) => {
    const schema = held.schema();
    return schema !== 0 && !canRead(joined.schemas, schema);
  });
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
