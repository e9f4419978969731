import { setTimeout as pause } from 'node:timers/promises';
import type { Bus } from '../log/bus.ts';
import { packed, unpacked } from '../nodes/frames.ts';
import { type AnsweredMark, type AskedMark, marksSubject } from './frames.ts';

/** A node answers within this time, also while it is busy. */
const ANSWER_MS_MAX = 2_000;
const LOOK_MS = 100;
/** A node that has not met a mark after this time lags, or has just been started. */
const MEET_MS_MAX = 20_000;
/** A node that has not answered for so long was stopped, or is cut off. */
const GONE_MS_MAX = 5_000;
/** A node that hashes no further store and row for so long is stuck. */
const STUCK_MS = 60_000;
/** The tables of so many stores are looked at; of further ones it is said that they differ. */
const LOOKED_INTO_MAX = 20;

/** The copies of a shard at all nodes, compared at one place of its log. */
export interface VerifiedShard {
  readonly shard: number;
  /** The number of the mark. */
  readonly sequence: number;
  readonly realms: number;
  readonly rows: number;
  /** True if all nodes have answered, and have the same rows. */
  readonly is_equal: boolean;
  /** The nodes that have what most nodes have, or what the owner has where there is no most. */
  readonly agree: readonly string[];
  readonly differ: readonly DifferingStore[];
  readonly not_compared: readonly NotCompared[];
}

export interface DifferingStore {
  readonly node: string;
  readonly realm: number;
  /** The tables that differ; empty if they were not looked at, or if the store is missing. */
  readonly tables: readonly string[];
  readonly is_missing: boolean;
}

export interface NotCompared {
  readonly node: string;
  readonly why: string;
}

interface VerifyInput {
  readonly bus: Bus;
  readonly shard: number;
  /** The number of the mark that the owner has written. */
  readonly sequence: number;
  readonly owner: string;
  /** All nodes that have copies of the shard. */
  readonly nodes: readonly string[];
}

interface Stores {
  readonly node: string;
  readonly rows: number;
  readonly hashes: ReadonlyMap<number, string>;
  readonly unknown: readonly number[];
}

/** Asks all nodes for the hashes of their stores at a mark, and compares them. */
export async function compareAt(input: VerifyInput): Promise<VerifiedShard> {
  const { shard, sequence, owner } = input;
  const nodes = input.nodes.toSorted();
  const answers = await Promise.all(nodes.map((node) => storesOf(input, node)));
  const stores = answers.filter((answer) => 'hashes' in answer);
  const realms = new Set(stores.flatMap(({ hashes, unknown }) => [...hashes.keys(), ...unknown]));
  const differing = Array.from(realms).flatMap((realm) => differencesIn(realm, { stores, owner }));
  const differ = await lookInto(input, differing);
  const notCompared = [
    ...answers.filter((answer) => 'why' in answer),
    ...stores.flatMap(({ node, unknown }) =>
      unknown.map((realm) => ({ node, why: `its store of realm ${realm} could not be read` })),
    ),
  ];
  const named = new Set([...differ, ...notCompared].map(({ node }) => node));
  return {
    shard,
    sequence,
    realms: realms.size,
    rows: stores.find(({ node }) => node === owner)?.rows ?? stores[0]?.rows ?? 0,
    is_equal: differ.length === 0 && notCompared.length === 0,
    agree: nodes.filter((node) => !named.has(node)),
    differ,
    not_compared: notCompared,
  };
}

/** A store that has other rows than that of `reference`. */
interface Differing {
  readonly node: string;
  readonly reference: string;
  readonly realm: number;
  readonly isMissing: boolean;
}

/** Most are taken to be right. Where two hashes have as many nodes, the owner is. */
function differencesIn(
  realm: number,
  { stores, owner }: { readonly stores: readonly Stores[]; readonly owner: string },
): readonly Differing[] {
  const groups = new Map<string, string[]>();
  for (const { node, hashes, unknown } of stores) {
    if (unknown.includes(realm)) continue;
    const hash = hashes.get(realm) ?? MISSING;
    groups.set(hash, [...(groups.get(hash) ?? []), node]);
  }
  const weigh = (nodes: readonly string[]) => nodes.length + (nodes.includes(owner) ? 0.5 : 0);
  const [[, most = []] = []] = [...groups].toSorted(([, a], [, b]) => weigh(b) - weigh(a));
  const [reference = ''] = most;
  return [...groups].flatMap(([hash, nodes]) =>
    nodes === most
      ? []
      : nodes.map((node) => ({ node, reference, realm, isMissing: hash === MISSING })),
  );
}

const MISSING = '';

async function lookInto(
  input: VerifyInput,
  differing: readonly Differing[],
): Promise<readonly DifferingStore[]> {
  const found: DifferingStore[] = [];
  for (const { node, reference, realm, isMissing } of differing) {
    let tables: readonly string[] = [];
    if (!isMissing && found.length < LOOKED_INTO_MAX) {
      const [own, other] = [
        await tablesOf(input, { node, realm }),
        await tablesOf(input, { node: reference, realm }),
      ];
      const names = new Set([...own.keys(), ...other.keys()]);
      tables = [...names].filter((name) => own.get(name) !== other.get(name)).toSorted();
    }
    found.push({ node, realm, tables, is_missing: isMissing });
  }
  return found;
}

/** Resolves with no tables if the node does not answer any more. */
async function tablesOf(
  { bus, shard, sequence }: VerifyInput,
  { node, realm }: { readonly node: string; readonly realm: number },
): Promise<ReadonlyMap<string, string>> {
  const answer = await asked(bus, node, ['tables', shard, sequence, realm]);
  return new Map(answer?.[0] === 'tables' ? answer[1] : []);
}

async function storesOf(input: VerifyInput, node: string): Promise<Stores | NotCompared> {
  const { bus, shard, sequence } = input;
  let movedAt = performance.now();
  let done = '';
  for (;;) {
    const answer = await asked(bus, node, ['stores', shard, sequence]);
    if (answer?.[0] === 'stores') {
      const [, rows, hashes, unknown] = answer;
      return { node, rows, hashes: new Map(hashes), unknown };
    }
    const waited = performance.now() - movedAt;
    if (answer?.[0] === 'hashing') {
      const now = answer.join(' ');
      if (now !== done) movedAt = performance.now();
      else if (waited > STUCK_MS) return { node, why: 'it has stopped hashing its stores' };
      done = now;
    } else if (done !== '') {
      return { node, why: 'it ended meanwhile, or another mark came' };
    } else if (answer === undefined && waited > GONE_MS_MAX) {
      return { node, why: 'it does not answer' };
    } else if (waited > MEET_MS_MAX) {
      return { node, why: 'it has not come to the mark' };
    }
    await pause(LOOK_MS);
  }
}

/** Resolves with undefined if no answer came. */
async function asked(bus: Bus, node: string, frame: AskedMark): Promise<AnsweredMark | undefined> {
  try {
    return unpacked<AnsweredMark>(await bus.ask(marksSubject(node), packed(frame), ANSWER_MS_MAX));
  } catch {
    return undefined;
  }
}
