import { setTimeout as pause } from 'node:timers/promises';
import type { Bus } from '../log/bus.ts';
import { packed, unpacked } from '../nodes/frames.ts';
import { SnapshotError } from './manifest.ts';

/** The nodes say here what they have while `rebuild-log` runs on each of them. */
const OFFERS = 'confab.rebuild';
const SAY_MS = 200;

/** The copy of a shard that a node has: its newest record, and its realms. */
export type OfferedShard = readonly [
  shard: number,
  epoch: number,
  sequence: number,
  realms: readonly number[],
];

export interface Offer {
  readonly node: string;
  readonly shards: readonly OfferedShard[];
}

interface HearingInput {
  readonly bus: Bus;
  readonly own: Offer;
  /** So long after the last node that was heard first another one is waited for. */
  readonly waitMs: number;
  readonly onHeard: (offer: Offer) => void;
}

/**
 * Says what this node has, and hears what others have. All wait for as long after the last one, so
 * that they know the same. `end` has the node say no more.
 */
export async function hearOffers({ bus, own, waitMs, onHeard }: HearingInput) {
  const offers = new Map<string, Offer>([[own.node, own]]);
  let until = performance.now() + waitMs;
  const unsubscribe = bus.subscribe(OFFERS, (body) => {
    const offer = unpacked<Offer>(body);
    if (offers.has(offer.node)) return;
    offers.set(offer.node, offer);
    until = performance.now() + waitMs;
    onHeard(offer);
  });
  const say = () => bus.publish(OFFERS, packed(own));
  const timer = setInterval(say, SAY_MS);
  say();
  while (performance.now() < until) await pause(Math.min(SAY_MS, waitMs));
  unsubscribe();
  return { offers: [...offers.values()], end: () => clearInterval(timer) };
}

/** The node over whose copy the log of a shard begins, and what the others have. */
export interface Chosen {
  readonly node: string;
  readonly sequence: number;
  readonly others: readonly { readonly node: string; readonly sequence: number }[];
}

/**
 * Chooses for each shard the node that has most of it, or the one that the operator has named. All
 * nodes choose the same. Throws if the one with most lacks a realm.
 */
export function chooseNodes(
  offers: readonly Offer[],
  named: string | undefined,
): ReadonlyMap<number, Chosen> {
  if (named !== undefined && !offers.some(({ node }) => node === named)) {
    throw new SnapshotError(`${named} does not answer: run the command there as well`);
  }
  const byShard = new Map<number, { node: string; shard: OfferedShard }[]>();
  for (const { node, shards } of offers) {
    for (const shard of shards) {
      byShard.set(shard[0], [...(byShard.get(shard[0]) ?? []), { node, shard }]);
    }
  }
  const chosen = new Map<number, Chosen>();
  for (const [number, copies] of byShard) {
    const [first, ...others] = copies.sort(
      (one, other) =>
        Number(other.node === named) - Number(one.node === named) ||
        other.shard[1] - one.shard[1] ||
        other.shard[2] - one.shard[2] ||
        other.shard[3].length - one.shard[3].length ||
        (one.node < other.node ? -1 : 1),
    );
    if (first === undefined) continue;
    if (first.node !== named) refuseWithoutRealms(number, first, others);
    const lines = others.map(({ node, shard }) => ({ node, sequence: shard[2] }));
    chosen.set(number, { node: first.node, sequence: first.shard[2], others: lines });
  }
  return chosen;
}

interface Copy {
  readonly node: string;
  readonly shard: OfferedShard;
}

function refuseWithoutRealms(number: number, first: Copy, others: readonly Copy[]) {
  for (const { node, shard } of others) {
    const lacking = shard[3].filter((realm) => !first.shard[3].includes(realm));
    if (lacking.length === 0) continue;
    throw new SnapshotError(
      `${first.node} has the newest records of shard ${number}, but not realm ${lacking.join(', ')}, which ${node} has: name the node to take with --from`,
    );
  }
}
