import type { SupervisedShard } from '../../../actors/shard.ts';
import { canWrite } from '../../../storage/migrations/migration.ts';
import type { Place } from '../../../storage/replication/commit-log.ts';
import type { ShardWriter } from '../shard-writer.ts';
import type { HeldShard, HeldShardInput } from './declaration.ts';
import type { Lag } from './lag.ts';
import type { Former, OwnerChange } from './ownership.ts';
import type { oneByOne, ShardTail } from './shard-tail.ts';
import type { Turns } from './turns.ts';

/** The owner's side of a shard. */
export interface Owning {
  readonly writer: ShardWriter;
  readonly change: OwnerChange;
  readonly end: () => void;
  readonly schema: number;
}

/** The state of a shard at this node. */
export interface Holding {
  readonly input: HeldShardInput;
  readonly turns: Turns;
  readonly lag: Lag;
  /** Functions that are called whenever a node claims the shard. */
  readonly onClaims: Set<() => void>;
  tail: ShardTail | null;
  claim: {
    readonly place: Place;
    readonly at: number;
    readonly former: Former;
    readonly schema: number;
  } | null;
  owning: Owning | null;
  isReleasing: boolean;
  /** The node is about to stop, and opens no copies again. */
  isLast: boolean;
  /** The next release raises the schema first. */
  isUpgrading: boolean;
  /** Aborted when the node leaves the shard. */
  readonly leaving: AbortController;
  /** Changes of the state of the shard, and of its realms, come one after the other. */
  readonly turn: ReturnType<typeof oneByOne>;
}

/** The record behind which a log is followed. */
export interface Start {
  readonly behind: Place | null;
  /** The time in that record, in UNIX milliseconds. */
  readonly at: number;
  readonly schema: number;
}

/** The rest of the node, as the work on a shard reaches it. */
export interface Reached {
  readonly shard: () => HeldShard;
  readonly supervised: () => SupervisedShard;
}

/** Notes that a node has claimed the shard, and calls all that wait for a claim. */
export function claimedBy({ turns, onClaims }: Holding, node: string): void {
  turns.claimed(node);
  for (const call of [...onClaims]) call();
}

export const epochOf = ({ owning, tail, claim }: Holding) =>
  owning?.writer.last().epoch ?? tail?.last()?.epoch ?? claim?.place.epoch ?? 0;

export const appliedBy = ({ tail }: Holding) => tail?.last()?.sequence ?? 0;

export const schemaOf = ({ owning, tail, claim }: Holding) =>
  owning?.schema ?? tail?.schema() ?? claim?.schema ?? 0;

/** A shard without records or stores has no schema yet, and gets that of its first owner. */
export const isWritable = ({ schemas }: HeldShardInput, schema: number) =>
  schema === 0 || canWrite(schemas, schema);

/** A shard that cannot be written here yet is left to nodes that can, if there are any. */
export const isForThisNode = (holding: Holding) =>
  isWritable(holding.input, schemaOf(holding)) || !holding.input.isOlderAlive();

/** Returns the newest record that the node has stored or applied. */
export const lastOf = ({ owning: owned, tail, claim }: Holding): Place | null =>
  owned?.writer.last() ?? (tail === null ? (claim?.place ?? null) : tail.last());
