import { setTimeout as pause } from 'node:timers/promises';
import type { Node } from '../../cluster/node/declaration.ts';
import type { ClusterView, ShardView } from '../wire.ts';

/** The parts of a node that the view is read from. */
export type ShownNode = Pick<
  Node,
  'name' | 'describe' | 'figures' | 'logStanding' | 'storageStanding'
>;

/** Servers that do not answer within this time are shown as such, and the rest of the view is. */
const ANSWER_MS_MAX = 1_500;

/** Describes the cluster as this node sees it, as `confab cluster status` and `nodes` do. */
export async function clusterView(node: ShownNode): Promise<ClusterView> {
  const { isConnected, server, roundTripMs, logs } = await logOf(node);
  const { nodes, shards } = node.describe();
  const byShard = new Map(logs.map(({ shard, ...log }) => [shard, log]));
  return {
    node: node.name,
    isReached: node.figures().isReached,
    log: { isConnected, server, roundTripMs },
    storage: node.storageStanding(),
    nodes: nodes
      .map((one) => ({
        node: one.node,
        address: one.address,
        version: one.version,
        since: one.since === null ? null : Date.parse(one.since),
        owned: one.shards_owned,
        copies: one.copies,
        cpu: one.cpu,
        rssBytes: one.rss_bytes,
        isLeaving: one.is_leaving,
        isDrained: one.is_drained,
      }))
      .sort((one, other) => (one.node < other.node ? -1 : 1)),
    shards: shards.map((one) => ({
      shard: one.shard,
      owner: one.owner,
      state: one.state,
      epoch: one.epoch,
      sequence: one.sequence,
      followers: one.holders
        .filter((holder) => holder.node !== one.owner)
        .map((holder) => ({ node: holder.node, records: holder.lag, ms: holder.lag_ms }))
        .sort((holder, other) => (holder.node < other.node ? -1 : 1)),
      lacking: one.wanted.filter((name) => !one.holders.some((holder) => holder.node === name)),
      pinnedTo: one.pinned_to,
      change: changeOf(one.last_change),
      log: byShard.get(one.shard) ?? null,
    })),
  };
}

type Described = ReturnType<Node['describe']>['shards'][number];

const changeOf = (change: Described['last_change']): ShardView['change'] =>
  change === null ? null : { ...change, at: Date.parse(change.at) };

async function logOf(node: ShownNode): ReturnType<Node['logStanding']> {
  const asked = node.logStanding();
  const late = pause(ANSWER_MS_MAX, null, { ref: false });
  const known = await Promise.race([asked, late]);
  return known ?? { isConnected: false, server: null, roundTripMs: null, logs: [] };
}
