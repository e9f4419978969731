import { comparingOf, upgradingOf } from './node/comparing.ts';
import { copyingOf, realmsOf, settleOwn, upkeepOf } from './node/copies.ts';
import type { Node, NodeInput } from './node/declaration.ts';
import { drain, move, releaseAll, releaseDrained } from './node/giving.ts';
import { holdAtStart, placingOf, slotsOf } from './node/holding.ts';
import { openJoined } from './node/joined.ts';
import { reasonsOf, shownOf } from './node/showing.ts';
import {
  askingOf,
  catchingUpOf,
  followNotices,
  membersOf,
  openRelaying,
  passingOf,
} from './node/talking.ts';
import { openHolderLinks } from './passing/holder-links.ts';
import { upgradeCluster } from './versions/upgrading.ts';

/** Joins the cluster. Resolves when the node has read the logs, and can serve. */
export async function openNode(input: NodeInput): Promise<Node> {
  const { cluster, store } = input;
  const joined = await openJoined(input);
  const { founding } = joined;
  const members = membersOf(joined);
  joined.links = openHolderLinks({ node: cluster.node, members });
  const asking = askingOf(joined);
  const realms = realmsOf(joined, members, asking);
  joined.realms = realms;
  joined.slots = await slotsOf(joined, members, realms);
  joined.placing = placingOf(joined, members, realms);
  const unsubscribe = followNotices(joined, realms);
  await holdAtStart(joined);
  await settleOwn(joined, realms);
  joined.upkeep = upkeepOf(joined, realms);
  await joined.registry.watch(() => void joined.upkeep?.look());
  joined.copying = copyingOf(joined, members, realms);
  const comparing = comparingOf(joined, members);
  return {
    name: joined.name,
    address: cluster.address,
    realms: { ...realms, whenCaughtUp: catchingUpOf(joined, realms) },
    secret: founding.secret,
    ask: asking.request,
    relayTargetOf: openRelaying(joined, members, realms),
    passing: (isTls) => passingOf(joined, realms, isTls),
    begin(answers, port) {
      joined.answers = answers;
      joined.port = port;
      joined.placing?.begin();
      joined.directory.whenDrained(() => void releaseDrained(joined, members));
      // The others hear at once what it holds.
      members.beat();
    },
    async release() {
      joined.isStopping = true;
      joined.isLeaving = true;
      await releaseAll(joined, members);
    },
    knows: (node) => [joined.name, ...joined.directory.nodes()].includes(node),
    drain: (node) => drain(joined, members, node),
    undrain: (node) => joined.directory.putDrained(node, false),
    takeSnapshots: async () => joined.copying?.look(),
    snapshot: async () => (await joined.copying?.takeAll()) ?? [],
    ...comparing,
    upgrade: () => upgradeCluster(upgradingOf(joined, members)),
    move: (number, to) => move(joined, members, { number, to }),
    unpin: (number) => joined.directory.putPin(number, null),
    reasons: () => reasonsOf(joined, members, realms),
    ...shownOf(joined, members),
    async close() {
      unsubscribe();
      joined.directory.close();
      await store.close();
    },
  };
}
