import type { Holder } from '../nodes/members.ts';
import { inLine } from '../placement.ts';
import type { Slots } from './slots.ts';

/** How often it is looked who should hold what; a copy takes longer. */
const LOOK_MS = 500;
/** A copy that could not be made is tried again after this time. */
const AGAIN_MS = 30_000;
/** A node that may let go of its copy has done so after this time, and is no holder meanwhile. */
const LET_GO_MS = 30_000;

export interface PlacingInput {
  readonly node: string;
  readonly slots: Slots;
  /** The number of nodes that are to hold a shard. */
  readonly copies: number;
  /** Returns the nodes that count: those that live, and those that may come back. */
  readonly present: () => readonly string[];
  /** Returns the node that an operator wants to hold a shard. */
  readonly wishFor: (shard: number) => string | undefined;
  /** Returns the nodes that live and hold a shard. */
  readonly holdersOf: (shard: number) => readonly Holder[];
  /** Tells whether this node may judge: it reaches the others, and is not about to stop. */
  readonly mayJudge: () => boolean;
  /** Asks the owner of a shard whether this node may remove its copy. */
  readonly askToLetGo: (shard: number) => Promise<boolean>;
  /** Called with each look, for what else is done then. */
  readonly onLook: () => void;
  /** The copy of a shard has begun, is whole, or was removed. */
  readonly onCopy: (shard: number, change: CopyChange) => void;
  /** A copy could not be made or removed; it is tried again. */
  readonly onFailed: (shard: number, error: unknown) => void;
}

/** A node that was told that it may let go. */
interface Leaving {
  readonly shard: number;
  readonly node: string;
  readonly until: number;
}

export type CopyChange = 'begun' | 'whole' | 'removed';

/** Decides which shards this node holds. */
export interface Placing {
  /** Returns the nodes that should hold a shard, the first in line first. */
  wanted(shard: number): readonly string[];
  /** Orders all nodes that hold a shard and may own it. */
  line(shard: number, nodes: readonly string[]): readonly string[];
  /** Answers as the owner of a shard: may this node remove its copy? */
  mayLetGo(shard: number, node: string): boolean;
  /** Begins to look. */
  begin(): void;
  /** Looks no more. */
  stop(): void;
}

export function openPlacing(input: PlacingInput): Placing {
  const { node, slots, copies, holdersOf } = input;
  const tryAgainAt = new Map<number, number>();
  /** The newest records that this node had at the look before. */
  const before = new Map<number, number>();
  const leaving = new Map<string, Leaving>();
  let isBusy = false;
  let timer: NodeJS.Timeout | undefined;

  const wanted = (shard: number) =>
    inLine(shard, input.present(), input.wishFor(shard)).slice(0, copies);

  /** Returns the shard that this node is to copy next: that with the fewest holders. */
  function nextCopy(): number | undefined {
    let next: { readonly shard: number; readonly holders: number } | undefined;
    const now = performance.now();
    for (let shard = 0; shard < slots.count; shard++) {
      if (slots.held(shard) !== undefined || (tryAgainAt.get(shard) ?? 0) > now) continue;
      if (!wanted(shard).includes(node)) continue;
      const holders = holdersOf(shard).length;
      if (next === undefined || holders < next.holders) next = { shard, holders };
    }
    return next?.shard;
  }

  async function copy(shard: number) {
    input.onCopy(shard, 'begun');
    await slots.begin(shard);
    input.onCopy(shard, 'whole');
  }

  /** Returns whether all that should hold a shard have what this node had at its last look. */
  function areThere(shard: number, should: readonly string[], sequence: number): boolean {
    const holders = new Map(holdersOf(shard).map((holder) => [holder.node, holder.sequence]));
    return should.length > 0 && should.every((name) => (holders.get(name) ?? -1) >= sequence);
  }

  async function letGo(shard: number) {
    const held = slots.held(shard);
    const sequence = before.get(shard);
    before.set(shard, held?.sequence() ?? 0);
    const should = wanted(shard);
    if (held === undefined || sequence === undefined || !areThere(shard, should, sequence)) return;
    if (held.isOwned()) return await held.release(should[0] ?? null);
    if (held.state() !== 'following' || !(await input.askToLetGo(shard))) return;
    await slots.giveUp(shard);
    before.delete(shard);
    input.onCopy(shard, 'removed');
  }

  /** Gives a shard to the node that an operator wants to have it, once its copy is whole. */
  async function fulfil(shard: number, wish: string | undefined) {
    const held = slots.held(shard);
    if (wish === undefined || wish === node || held?.isOwned() !== true) return;
    const holder = holdersOf(shard).find((one) => one.node === wish);
    if (holder === undefined || holder.isLeaving) return;
    await held.release(wish);
  }

  /** Forgets that nodes may let go which have done so, as they may come to copy again. */
  function forgetLeaving() {
    const now = performance.now();
    for (const [key, { shard, node: other, until }] of leaving) {
      const isThere = holdersOf(shard).some((holder) => holder.node === other);
      if (!isThere || until <= now) leaving.delete(key);
    }
  }

  async function look() {
    forgetLeaving();
    if (!input.mayJudge()) return;
    const next = nextCopy();
    if (next !== undefined) return await tried(next, () => copy(next));
    for (const { number } of slots.all()) {
      if (!slots.isWhole(number) || wanted(number).includes(node)) before.delete(number);
      else await tried(number, () => letGo(number));
      await tried(number, () => fulfil(number, input.wishFor(number)));
    }
  }

  async function tried(shard: number, work: () => Promise<void>) {
    try {
      await work();
    } catch (error) {
      tryAgainAt.set(shard, performance.now() + AGAIN_MS);
      input.onFailed(shard, error);
    }
  }

  return {
    wanted,
    line: (shard, nodes) => inLine(shard, nodes, input.wishFor(shard)),
    mayLetGo(shard, asking) {
      const others = holdersOf(shard).filter(
        (holder) => holder.node !== asking && !leaving.has(`${shard} ${holder.node}`),
      );
      if (others.length < copies) return false;
      leaving.set(`${shard} ${asking}`, {
        shard,
        node: asking,
        until: performance.now() + LET_GO_MS,
      });
      return true;
    },
    begin() {
      timer = setInterval(() => {
        input.onLook();
        if (isBusy) return;
        isBusy = true;
        void look().finally(() => {
          isBusy = false;
        });
      }, LOOK_MS).unref();
    },
    stop() {
      clearInterval(timer);
    },
  };
}
