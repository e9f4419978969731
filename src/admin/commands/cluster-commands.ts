import { z } from 'zod';
import { faultWords } from '../../domain/rules/texts/fault-words.ts';
import * as errors from '../../domain/wire/errors.ts';

/** A line of `confab cluster nodes`. A node of an older version leaves some of it out. */
export interface NodeLine {
  readonly node: string;
  readonly address: string;
  readonly shards_owned: number;
  /** The shards of which it has a whole copy, with those that it owns. */
  readonly copies: number;
  /** True if it takes no shards: it is drained, starting or stopping. */
  readonly is_leaving: boolean;
  readonly is_drained: boolean;
  readonly version: string | null;
  readonly since: string | null;
  /** The cores that it keeps busy. */
  readonly cpu: number | null;
  readonly rss_bytes: number | null;
}

/** A line of `confab cluster status`. */
export interface ShardLine {
  readonly shard: number;
  readonly owner: string | null;
  readonly epoch: number;
  readonly sequence: number;
  /** The schema of the copy that this node has; null if it has none. */
  readonly schema: number | null;
  /** The state of this node. */
  readonly state: string;
  /** The nodes that have a copy: how many records they lack, and how long they have (ms). */
  readonly holders: readonly {
    readonly node: string;
    readonly lag: number;
    readonly lag_ms: number;
  }[];
  /** The nodes that should have one, the first in line first. */
  readonly wanted: readonly string[];
  /** The node that holds it until it is unpinned; null if none does. */
  readonly pinned_to: string | null;
  /** How the shard came to its owner; null if that was not said yet. */
  readonly last_change: {
    readonly kind: string;
    readonly from: string | null;
    readonly at: string;
    readonly ms: number;
  } | null;
}

/** A node of a cluster, as its operator sees it. */
export interface OperatedNode {
  readonly name: string;
  /** Describes the cluster, as this node sees it. */
  describe(): {
    readonly nodes: readonly NodeLine[];
    readonly shards: readonly ShardLine[];
  };
  /**
   * Gives a shard to a node. Resolves with false if that node has to copy it first, and gets it
   * then. The shard is pinned to a node that would not keep it otherwise.
   */
  move(shard: number, to: string): Promise<boolean>;
  /** Compares the copies of a shard at all nodes. Resolves with undefined if no node owns it. */
  verify(shard: number): Promise<object | undefined>;
  /** Raises the schema of all shards. Refuses with an `ApiError`. */
  upgrade(): Promise<readonly object[]>;
  /** Lets a shard go to the nodes that it would be at without a `move`. */
  unpin(shard: number): Promise<void>;
  /** Tells whether a node was ever started. */
  knows(node: string): boolean;
  /**
   * Has a node give its shards to other nodes, and then its copies, and serve on, until `undrain`.
   * Resolves after three seconds at the latest.
   */
  drain(node: string): Promise<void>;
  /** Has a node take its place again. */
  undrain(node: string): Promise<void>;
  /** Takes snapshots of all realms that it follows, or has alone. */
  snapshot(): Promise<readonly TakenSnapshot[]>;
}

interface TakenSnapshot {
  readonly shard: number;
  readonly realm: number;
  readonly place: { readonly sequence: number } | null;
  readonly bytes: number;
}

const moved = z.object({ shard: z.coerce.number().int().min(0), to: z.string() });

/** Runs a command on a node that runs. Refuses with an `ApiError`. */
export async function runOnNode(
  node: OperatedNode | null,
  { command, args }: { readonly command: string; readonly args: unknown },
): Promise<readonly object[]> {
  if (node === null) throw errors.badRequest('This server is no node of a cluster');
  if (command === 'cluster status') return [...node.describe().shards];
  if (command === 'cluster nodes') return [...node.describe().nodes];
  if (command === 'cluster drain') return [await drain(node, args)];
  if (command === 'cluster undrain') return [await undrain(node, args)];
  if (command === 'cluster unpin') return [await unpin(node, args)];
  if (command === 'cluster upgrade') return await node.upgrade();
  if (command === 'cluster verify') return await verify(node, args);
  if (command === 'cluster snapshot') {
    return (await node.snapshot()).map(({ shard, realm, place, bytes }) => {
      return { shard, realm, sequence: place?.sequence ?? 0, bytes };
    });
  }
  if (command === 'cluster move') return [await move(node, args)];
  throw errors.badRequest(`Unknown command: ${command}`);
}

const verified = z.object({ shard: z.coerce.number().int().min(0).optional() });

/** Compares the copies of one shard, or of all, one after the other. */
async function verify(node: OperatedNode, args: unknown): Promise<readonly object[]> {
  const parsed = verified.safeParse(args, { error: faultWords });
  if (!parsed.success) throw errors.badRequest('Usage: confab cluster verify [--shard <number>]');
  const { shard } = parsed.data;
  const count = node.describe().shards.length;
  if (shard !== undefined && shard >= count) throw errors.badRequest(`There is no shard ${shard}`);
  const wanted = shard === undefined ? Array.from({ length: count }, (_, each) => each) : [shard];
  const found: object[] = [];
  for (const each of wanted) {
    const compared = await node.verify(each);
    if (compared === undefined) {
      throw errors.badRequest(`No node owns shard ${each} at the moment; try again`);
    }
    found.push(compared);
  }
  return found;
}

const drained = z.object({ node: z.string().optional() });

/** Returns the node that is named, or the one that is asked. */
function nodeIn(node: OperatedNode, args: unknown): string {
  const parsed = drained.safeParse(args, { error: faultWords });
  if (!parsed.success) throw errors.badRequest('Usage: confab cluster drain [--node <node>]');
  const name = parsed.data.node ?? node.name;
  if (!node.knows(name)) throw errors.badRequest(`There is no node '${name}'`);
  return name;
}

async function drain(node: OperatedNode, args: unknown): Promise<object> {
  const name = nodeIn(node, args);
  await node.drain(name);
  const { nodes, shards } = node.describe();
  const left = shards.filter(({ owner }) => owner === name).length;
  const copies = nodes.find((one) => one.node === name)?.copies ?? 0;
  return { node: name, is_drained: left === 0, shards_owned: left, copies };
}

async function undrain(node: OperatedNode, args: unknown): Promise<object> {
  const name = nodeIn(node, args);
  await node.undrain(name);
  return { node: name, is_drained: false };
}

const unpinned = z.object({ shard: z.coerce.number().int().min(0) });

async function unpin(node: OperatedNode, args: unknown): Promise<object> {
  const parsed = unpinned.safeParse(args, { error: faultWords });
  if (!parsed.success) throw errors.badRequest('Usage: confab cluster unpin --shard <number>');
  const { shard } = parsed.data;
  const known = node.describe().shards[shard];
  if (known === undefined) throw errors.badRequest(`There is no shard ${shard}`);
  await node.unpin(shard);
  return { shard, was_pinned_to: known.pinned_to };
}

async function move(node: OperatedNode, args: unknown): Promise<object> {
  const parsed = moved.safeParse(args, { error: faultWords });
  if (!parsed.success) {
    throw errors.badRequest('Usage: confab cluster move --shard <number> --to <node>');
  }
  const { shard, to } = parsed.data;
  const { nodes, shards } = node.describe();
  const known = shards[shard];
  if (known === undefined) throw errors.badRequest(`There is no shard ${shard}`);
  if (known.owner !== node.name) {
    throw errors.badRequest(
      known.owner === null
        ? `No node owns shard ${shard} at the moment`
        : `Node ${known.owner} owns shard ${shard}: run the command there`,
    );
  }
  const next = nodes.find((one) => one.node === to);
  if (next === undefined) throw errors.badRequest(`There is no node '${to}' that lives`);
  if (next.is_leaving) {
    throw errors.badRequest(`Node '${to}' takes no shards: it is drained, starting or stopping`);
  }
  const isMoved = await node.move(shard, to);
  const isPinned = (node.describe().shards[shard]?.pinned_to ?? null) !== null;
  return { shard, from: node.name, to, is_moved: isMoved, is_pinned: isPinned };
}
