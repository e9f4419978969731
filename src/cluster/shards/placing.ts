import type { Holder } from '../nodes/members.ts';
import { inLine } from '../placement.ts';
import { openLettingGo } from './letting-go.ts';
import type { Slots } from './slots.ts';

/** How often it is looked who should hold what; a copy takes longer. */
const LOOK_MS = 500;
/** A copy that could not be made is tried again after this time. */
const AGAIN_MS = 30_000;

export interface PlacingInput {
  readonly node: string;
  readonly slots: Slots;
  /** The number of nodes that are to hold a shard. */
  readonly copies: number;
  /** Returns the nodes that count: those that live, and those that may come back. */
  readonly present: () => readonly string[];
  /** Returns the node to which an operator has pinned a shard. */
  readonly pinOf: (shard: number) => string | undefined;
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

export type CopyChange = 'begun' | 'whole' | 'removed';

/** Decides which shards this node holds. */
export interface Placing {
  /** Returns the nodes that should hold a shard, the first in line first. */
  wanted(shard: number): readonly string[];
  /** Orders nodes that hold a shard and may own it. */
  line(shard: number, nodes: readonly string[]): readonly string[];
  /** Tells whether a node holds a shard without being pinned to it. */
  wouldStay(shard: number, node: string): boolean;
  /** Answers as the owner of a shard: may this node remove its copy? */
  mayLetGo(shard: number, node: string): boolean;
  /** Gives a shard to a node as soon as that node has copied it, if this one owns it until then. */
  giveLater(shard: number, node: string): void;
  /** Begins to look. */
  begin(): void;
  /** Looks no more. */
  stop(): void;
}

export function openPlacing(input: PlacingInput): Placing {
  const { slots, copies } = input;
  const wanted = (shard: number) =>
    inLine(shard, input.present(), input.pinOf(shard)).slice(0, copies);
  const lettingGo = openLettingGo(input);
  const moves = new Map<number, string>();
  const placed = { ...input, wanted, moves };
  const nextCopy = openCopyOrder(placed);
  const removal = openRemoval(placed);
  const tried = openTries(input);
  let isBusy = false;
  let timer: NodeJS.Timeout | undefined;

  async function copy(shard: number) {
    input.onCopy(shard, 'begun');
    await slots.begin(shard);
    input.onCopy(shard, 'whole');
  }

  async function look() {
    lettingGo.look();
    if (!input.mayJudge()) return;
    const next = nextCopy((shard) => tried.isDue(shard));
    // One copy at a time; meanwhile nothing is removed either.
    if (next !== undefined) return await tried.run(next, () => copy(next));
    for (const { number } of slots.all()) {
      if (tried.isDue(number)) await tried.run(number, () => removal.look(number));
      await tried.run(number, () => move(placed, number));
    }
  }

  return {
    wanted,
    line: (shard, nodes) => inLine(shard, nodes, input.pinOf(shard)),
    wouldStay: (shard, node) => inLine(shard, input.present()).slice(0, copies).includes(node),
    mayLetGo: lettingGo.mayLetGo,
    giveLater: (shard, node) => void moves.set(shard, node),
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
    stop: () => clearInterval(timer),
  };
}

interface Placed extends PlacingInput {
  readonly wanted: (shard: number) => readonly string[];
  /** The shards that this node gives away once the other node has a copy. */
  readonly moves: Map<number, string>;
}

/** Returns which shard is to be copied next: that with the fewest holders. */
function openCopyOrder({ node, slots, wanted, holdersOf }: Placed) {
  return (isDue: (shard: number) => boolean): number | undefined => {
    let next: { readonly shard: number; readonly holders: number } | undefined;
    for (let shard = 0; shard < slots.count; shard++) {
      if (slots.held(shard) !== undefined || !isDue(shard)) continue;
      if (!wanted(shard).includes(node)) continue;
      const holders = holdersOf(shard).length;
      if (next === undefined || holders < next.holders) next = { shard, holders };
    }
    return next?.shard;
  };
}

/** Removes copies that others should have, once they have what this node had a look before. */
function openRemoval({ node, slots, wanted, holdersOf, ...input }: Placed) {
  const before = new Map<number, number>();

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

  return {
    async look(shard: number) {
      if (slots.isWhole(shard) && !wanted(shard).includes(node)) await letGo(shard);
      else before.delete(shard);
    },
  };
}

/** Gives a shard to the node that it was promised to, once that node has a copy. */
async function move({ node, slots, holdersOf, moves }: Placed, shard: number) {
  const to = moves.get(shard);
  const held = slots.held(shard);
  if (to === undefined) return;
  if (to === node || held?.isOwned() !== true) return void moves.delete(shard);
  const holder = holdersOf(shard).find((one) => one.node === to);
  if (holder === undefined || holder.isLeaving) return;
  moves.delete(shard);
  await held.release(to);
}

/** Notes what fails, and when it may be tried again. */
function openTries({ onFailed }: PlacingInput) {
  const againAt = new Map<number, number>();
  return {
    isDue: (shard: number) => (againAt.get(shard) ?? 0) <= performance.now(),
    async run(shard: number, work: () => Promise<void>) {
      try {
        await work();
      } catch (error) {
        againAt.set(shard, performance.now() + AGAIN_MS);
        onFailed(shard, error);
      }
    },
  };
}
