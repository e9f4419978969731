import { Agent } from 'node:http';
import type { Members } from '../nodes/members.ts';
import { inLineFor } from '../placement.ts';

/** The place of a node that has a copy. */
export interface HolderPlace {
  readonly node: string;
  readonly host: string;
  readonly port: number;
}

/** Idle connections to another node are closed before that node closes them, after ten seconds. */
const IDLE_MS = 5_000;
/** How often it is looked whether the nodes live to which requests were passed on. */
const LOOK_MS = 250;

interface LinksInput {
  readonly node: string;
  readonly members: Pick<Members, 'holdersOf' | 'addressOf' | 'beats'>;
}

/** The ways to the nodes that have copies, and what is under way there. */
export interface HolderLinks {
  readonly agent: Agent;
  /**
   * Returns the node that is asked about a shard: always the same as long as it lives, so that a
   * client reads what it wrote. Undefined if none is left.
   */
  holderOf(shard: number, avoided?: ReadonlySet<string>): HolderPlace | undefined;
  /** Returns how much is under way. */
  count(): number;
  /** Has `lost` called when the node is no longer heard of. Returns what ends that. */
  watch(node: string, lost: () => void): () => void;
  /** Calls all that watch; from then on no node is asked. */
  end(): void;
}

export function openHolderLinks({ node, members }: LinksInput): HolderLinks {
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });
  const watching = new Map<string, Set<() => void>>();
  let count = 0;
  let isEnded = false;

  const timer = setInterval(() => {
    const living = new Set(members.beats().map((said) => said.node));
    for (const [name, all] of watching) {
      // A machine that is lost closes no connection.
      if (!living.has(name)) for (const lost of [...all]) lost();
    }
  }, LOOK_MS).unref();

  return {
    agent,
    count: () => count,
    holderOf(shard, avoided) {
      if (isEnded) return undefined;
      const holders = members
        .holdersOf(shard)
        .filter(({ node: name, serves }) => serves && name !== node && !avoided?.has(name));
      const staying = holders.filter(({ isLeaving }) => !isLeaving);
      const among = staying.length > 0 ? staying : holders;
      const [first] = inLineFor(
        node,
        shard,
        among.map((holder) => holder.node),
      );
      if (first === undefined) return undefined;
      const place = placeIn(members.addressOf(first));
      return place === undefined ? undefined : { node: first, ...place };
    },
    watch(name, lost) {
      const all = watching.get(name) ?? new Set();
      watching.set(name, all.add(lost));
      count += 1;
      return () => {
        if (!all.delete(lost)) return;
        count -= 1;
        if (all.size === 0 && watching.get(name) === all) watching.delete(name);
      };
    },
    end() {
      isEnded = true;
      clearInterval(timer);
      for (const all of watching.values()) for (const lost of [...all]) lost();
      agent.destroy();
    },
  };
}

/** Reads an address as beats say it. */
export function placeIn(address: string | undefined) {
  const [, host = '', port = ''] = /^\[?(.+?)\]?:(\d+)$/.exec(address ?? '') ?? [];
  return host === '' ? undefined : { host, port: Number(port) };
}
