import type { SharedValues } from '../log/bus.ts';
import { packed, unpacked } from '../nodes/frames.ts';

/** The shared value that says what the cluster has under the number of a realm. */
export type Entry =
  /** A node makes it. What a snapshot of it would have is not whole yet. */
  | { readonly is: 'made'; readonly by: string; readonly at: number }
  /**
   * The cluster has it: by a snapshot, or by the record with this number, which is its first; 0 if
   * its number is not known. An adopted one names the directory that it is from.
   */
  | { readonly is: 'there'; readonly since?: number; readonly from?: string }
  /** It was deleted, and its number is not given again; `at` is UNIX ms. */
  | { readonly is: 'removed'; readonly at: number; readonly isClean: boolean };

/** The realms of a cluster by their numbers, as this node has heard of them. */
export interface Registry {
  entry(realmId: number): Entry | undefined;
  all(): readonly (readonly [realmId: number, entry: Entry])[];
  /** Asks the cluster for an entry. */
  ask(realmId: number): Promise<Entry | undefined>;
  /** Asks the cluster for all entries. */
  read(): Promise<void>;
  /** Makes an entry for a number that has none. Resolves with false if it has one. */
  begin(realmId: number, entry: Entry): Promise<boolean>;
  /** Exchanges an entry. Resolves with false if somebody else has done so before. */
  exchange(realmId: number, former: Entry, entry: Entry): Promise<boolean>;
  /** Calls back with each change from now on. */
  watch(onChange: () => void): Promise<void>;
  close(): void;
}

const GROUP = 'realm';
/** So many numbers nobody has given; a bound for the search of a free one. */
const REALMS_MAX = 1_000_000;

/** The key of the entry of a realm. */
export const entryKey = (realmId: number) => `${GROUP}.${realmId}`;

export const readEntry = async (
  values: SharedValues,
  realmId: number,
): Promise<Entry | undefined> => {
  const bytes = await values.get(entryKey(realmId));
  return bytes && unpacked<Entry>(bytes);
};

/** Reads all entries, and follows what becomes of them. */
export async function openRegistry(values: SharedValues): Promise<Registry> {
  const known = new Map<number, Entry>();
  let unwatch = () => {};

  function note(realmId: number, bytes: Uint8Array | undefined) {
    if (bytes === undefined) known.delete(realmId);
    else known.set(realmId, unpacked<Entry>(bytes));
  }
  async function ask(realmId: number) {
    note(realmId, await values.get(entryKey(realmId)));
    return known.get(realmId);
  }
  const registry: Registry = {
    entry: (realmId) => known.get(realmId),
    all: () => [...known],
    ask,
    async read() {
      for (const key of await values.keys(GROUP)) {
        const realmId = realmIdIn(key);
        if (realmId !== undefined) await ask(realmId);
      }
    },
    async begin(realmId, entry) {
      const isBegun = await values.putNew(entryKey(realmId), packed(entry));
      if (isBegun) known.set(realmId, entry);
      return isBegun;
    },
    async exchange(realmId, former, entry) {
      const key = entryKey(realmId);
      const isDone = await values.replace(key, packed(former), packed(entry));
      if (isDone) known.set(realmId, entry);
      else await ask(realmId);
      return isDone;
    },
    async watch(onChange) {
      unwatch = await values.watch((key, bytes) => {
        const realmId = realmIdIn(key);
        if (realmId === undefined) return;
        note(realmId, bytes);
        onChange();
      });
    },
    close: () => unwatch(),
  };
  await registry.read();
  return registry;
}

function realmIdIn(key: string): number | undefined {
  const [, digits] = /^realm\.(\d+)$/.exec(key) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

interface NumberInput {
  readonly registry: Registry;
  readonly node: string;
  /** UNIX milliseconds. */
  readonly at: number;
  /** Tells whether a new realm of this number could be made here. */
  readonly fits: (realmId: number) => boolean;
  /** Returns the largest number that the node has a copy of. */
  readonly newest: number;
}

/** Takes a number for a new realm, which no other node takes as well. */
export async function takeNumber(input: NumberInput): Promise<number> {
  const { registry, node, at, fits, newest } = input;
  const given = Math.max(newest, ...registry.all().map(([realmId]) => realmId));
  for (let id = given + 1; id <= REALMS_MAX; id++) {
    if (fits(id) && (await registry.begin(id, { is: 'made', by: node, at }))) return id;
  }
  throw new Error('there is no number left for a realm');
}

/** Says that the cluster has a realm which this node has made. */
export async function settleRealm(
  registry: Registry,
  realmId: number,
  there: Extract<Entry, { is: 'there' }>,
): Promise<void> {
  const made = await registry.ask(realmId);
  if (made?.is === 'made' && (await registry.exchange(realmId, made, there))) return;
  throw new Error(`realm ${realmId} was given up while it was made`);
}

/** Says that a realm which was being made is none. It is not given up if it is there by now. */
export async function giveUp(registry: Registry, realmId: number, at: number): Promise<void> {
  const made = await registry.ask(realmId);
  if (made?.is !== 'made') return;
  await registry.exchange(realmId, made, { is: 'removed', at, isClean: false });
}
