import { createHash } from 'node:crypto';

/** The first 32 bits of a hash, which are the same at every node and for ever. */
const hashOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE();

/** Returns the shard of a realm. A realm stays in it. */
export const shardOf = (realmId: number, shards: number): number =>
  hashOf(`realm ${realmId}`) % shards;

/**
 * Orders nodes for a shard by rendezvous hashing: when one is gone, only its shards go to others,
 * and to different ones. The node to which the shard is pinned comes first.
 */
export const inLine = (
  shard: number,
  nodes: Iterable<string>,
  pinnedTo?: string,
): readonly string[] =>
  Array.from(nodes, (node) => ({ node, weight: hashOf(`shard ${shard} at ${node}`) }))
    .sort(
      (one, other) =>
        Number(other.node === pinnedTo) - Number(one.node === pinnedTo) ||
        other.weight - one.weight ||
        (one.node < other.node ? -1 : 1),
    )
    .map(({ node }) => node);

/** Orders the holders of a shard for a node that has no copy, so that nodes ask different ones. */
export const inLineFor = (
  node: string,
  shard: number,
  holders: Iterable<string>,
): readonly string[] =>
  Array.from(holders, (holder) => ({ holder, weight: hashOf(`${node} asks ${holder} ${shard}`) }))
    .sort((one, other) => other.weight - one.weight || (one.holder < other.holder ? -1 : 1))
    .map(({ holder }) => holder);
