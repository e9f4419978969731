import type { Holder } from '../nodes/members.ts';

/** A node that may let go of its copy has done so after this time, and is no holder meanwhile. */
const LET_GO_MS = 30_000;

interface LettingGoInput {
  /** The number of nodes that are to hold a shard. */
  readonly copies: number;
  /** Returns the nodes that live and hold a shard. */
  readonly holdersOf: (shard: number) => readonly Holder[];
}

/** Decides, as the owner of shards, which nodes may remove their copies: one after the other. */
export interface LettingGo {
  mayLetGo(shard: number, node: string): boolean;
  /** Forgets those that have done so, as they may come to copy again. */
  look(): void;
}

interface Leaving {
  readonly shard: number;
  readonly node: string;
  readonly until: number;
}

export function openLettingGo({ copies, holdersOf }: LettingGoInput): LettingGo {
  const leaving = new Map<string, Leaving>();
  const keyOf = (shard: number, node: string) => `${shard} ${node}`;
  return {
    mayLetGo(shard, node) {
      const others = holdersOf(shard).filter(
        (holder) => holder.node !== node && !leaving.has(keyOf(shard, holder.node)),
      );
      if (others.length < copies) return false;
      leaving.set(keyOf(shard, node), { shard, node, until: performance.now() + LET_GO_MS });
      return true;
    },
    look() {
      const now = performance.now();
      for (const [key, { shard, node, until }] of leaving) {
        const isThere = holdersOf(shard).some((holder) => holder.node === node);
        if (!isThere || until <= now) leaving.delete(key);
      }
    },
  };
}
