import type { NodeLine, ShardLine } from '../../admin/commands/cluster-commands.ts';
import type { ClusterFigures } from '../../metrics/declaration.ts';
import type { HeldShard } from '../shards/declaration.ts';
import type { About, Change } from './about.ts';
import type { Beat } from './frames.ts';
import type { Members } from './members.ts';

/** The node that describes, and what it has of the shards. */
export interface Describing {
  readonly name: string;
  /** The number of shards of the cluster. */
  readonly count: number;
  /** Returns a shard that the node holds. */
  readonly held: (shard: number) => HeldShard | undefined;
  /** Returns the nodes that should have a copy of a shard. */
  readonly wanted: (shard: number) => readonly string[];
  /** Returns the node to which a shard is pinned. */
  readonly pinOf: (shard: number) => string | undefined;
}

/** Describes the cluster as this node sees it, for commands and for the console. */
export function described({ name, count, held, wanted, pinOf }: Describing, members: Members) {
  const beats = members.beats();
  const told = toldBy(beats);
  const shards = Array.from({ length: count }, (_, shard): ShardLine => {
    const own = held(shard);
    const holders = members.holdersOf(shard);
    const newest = Math.max(own?.sequence() ?? 0, ...holders.map(({ sequence }) => sequence));
    const owner = own?.isOwned() ? name : (members.ownerOf(shard) ?? null);
    return {
      shard,
      owner,
      epoch: own?.epoch() ?? members.epochOf(shard) ?? 0,
      sequence: own?.sequence() ?? newest,
      schema: own?.schema() ?? null,
      state: own?.state() ?? 'passing on',
      holders: holders.map(({ node, sequence }) => ({
        node,
        ...lagOf(told.get(node), shard, newest - sequence),
      })),
      wanted: wanted(shard),
      pinned_to: pinOf(shard) ?? null,
      last_change: changeOf(owner === null ? undefined : told.get(owner)?.changes.get(shard)),
    };
  });
  return { nodes: beats.map(nodeLine), shards };
}

/** Returns what each node has said about itself, by shard. */
const toldBy = (beats: readonly Beat[]) =>
  new Map(
    beats.flatMap(({ node, about }) =>
      about === undefined
        ? []
        : [
            [
              node,
              {
                behind: new Map(about.behind.map((one) => [one[0], one])),
                changes: new Map(about.changes.map((one) => [one[0], one])),
              },
            ],
          ],
    ),
  );

type Told = ReturnType<typeof toldBy> extends Map<string, infer Value> ? Value : never;

/** A node knows its own lag best: what it says, and what the owner says, are of two moments. */
function lagOf(told: Told | undefined, shard: number, difference: number) {
  if (told === undefined) return { lag: difference, lag_ms: 0 };
  const [, lag = 0, ms = 0] = told.behind.get(shard) ?? [];
  return { lag, lag_ms: ms };
}

const nodeLine = ({ node, address, owns, follows, about, ...said }: Beat): NodeLine => ({
  node,
  address,
  shards_owned: owns.length,
  copies: owns.length + follows.length,
  is_leaving: said.isLeaving,
  is_drained: said.isDrained,
  ...loadOf(about),
});

/** A node of an older version says nothing about itself. */
const loadOf = (about: About | undefined) =>
  about === undefined
    ? { version: null, since: null, cpu: null, rss_bytes: null }
    : {
        version: about.version,
        since: new Date(about.since).toISOString(),
        cpu: Number(about.cpu.toFixed(2)),
        rss_bytes: about.rssBytes,
      };

function changeOf(change: Change | undefined) {
  if (change === undefined) return null;
  const [, kind, from, at, ms] = change;
  return { kind, from, at: new Date(at).toISOString(), ms };
}

/** Returns what the metrics of this node are read from. */
export function figuresOf(
  { count, held }: Pick<Describing, 'count' | 'held'>,
  members: Members,
  isStorageAway: boolean,
): ClusterFigures {
  const shards = Array.from({ length: count }, (_, shard) => held(shard) ?? []).flat();
  const owned = shards.filter((one) => one.isOwned()).length;
  const followed = shards.filter((one) => one.state() === 'following').length;
  const behind = shards.map((one) => one.behind());
  const beats = members.beats();
  const heardOf = new Set(beats.flatMap(({ owns }) => owns.map(([number]) => number)));
  return {
    nodes: beats.length,
    isReached: members.reachedSince() !== null,
    shards: { owned, followed, changing: shards.length - owned - followed },
    shardsWithoutOwner: count - heardOf.size,
    lagRecords: Math.max(0, ...behind.map(({ records }) => records)),
    lagMs: Math.max(0, ...behind.map(({ ms }) => ms)),
    isStorageAway,
  };
}
