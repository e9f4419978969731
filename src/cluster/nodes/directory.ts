import { randomBytes } from 'node:crypto';
import type { SharedValues } from '../log/bus.ts';
import type { Entry } from '../realms/registry.ts';
import { packed, unpacked } from './frames.ts';

/** How long a node that starts waits until it has read what the nodes share. */
const READ_MS_MAX = 30_000;

/** The values that all nodes share, as this one has read them; it is told of each change. */
export interface Directory {
  /** Returns the nodes that have ever been started, as far as they are known. */
  nodes(): readonly string[];
  /** Returns the numbers of the realms that the cluster has, or is about to have. */
  realmIds(): Iterable<number>;
  /** Returns the names of a realm; undefined for one that nobody has written yet. */
  namesOf(realmId: number): readonly string[] | undefined;
  /** Returns the node to which an operator has pinned a shard. */
  pinOf(shard: number): string | undefined;
  /** Tells whether an operator has drained a node. */
  isDrained(node: string): boolean;
  /** Tells all nodes the names of a realm. */
  putNames(realmId: number, names: readonly string[]): Promise<void>;
  /** Has all nodes forget the names of a realm, if they have any. */
  forgetNames(realmId: number): Promise<void>;
  /** Pins a shard to a node; null for none. */
  putPin(shard: number, node: string | null): Promise<void>;
  /** Notes that a node is drained, or is no longer. */
  putDrained(node: string, isDrained: boolean): Promise<void>;
  /** Says from now on which realms have changed, beginning with all that are known. */
  follow(onRealm: (realmId: number) => void): void;
  /** Says from now on that this node is drained, or is no longer. */
  whenDrained(onChange: () => void): void;
  close(): void;
}

interface DirectoryInput {
  readonly values: SharedValues;
  readonly node: string;
}

/** A pin is called a wish in the shared values. */
const KINDS = /^(node|realm|names|wish|drained)\.(.+)$/;

/** Reads the directory, and enters this node in it. */
export async function openDirectory({ values, node }: DirectoryInput): Promise<Directory> {
  const nodes = new Set<string>();
  const realms = new Set<number>();
  const names = new Map<number, readonly string[]>();
  const pins = new Map<number, string>();
  const drained = new Set<string>();
  const run = randomBytes(8).toString('hex');
  let onRealm: ((realmId: number) => void) | null = null;
  let onDrained: () => void = () => undefined;
  let read: () => void = () => undefined;
  const isRead = new Promise<void>((resolve) => {
    read = resolve;
  });

  function note(kind: string, name: string, value: Uint8Array | undefined) {
    if (kind === 'node') {
      setOrNot(nodes, name, value !== undefined);
      // All that was stored earlier was told earlier.
      if (name === node && value !== undefined && unpacked<{ run: string }>(value).run === run) {
        read();
      }
    } else if (kind === 'wish') {
      notePin(Number(name), value === undefined ? null : unpacked<string>(value));
    } else if (kind === 'drained') noteDrained(name, value !== undefined);
    else {
      const id = Number(name);
      if (kind === 'realm') setOrNot(realms, id, value !== undefined && !isRemoved(value));
      else if (value === undefined) names.delete(id);
      else names.set(id, unpacked<readonly string[]>(value));
      onRealm?.(id);
    }
  }

  function notePin(shard: number, pinnedTo: string | null) {
    if (pinnedTo === null) pins.delete(shard);
    else pins.set(shard, pinnedTo);
  }

  function noteDrained(name: string, isDrained: boolean) {
    const isNews = drained.has(name) !== isDrained;
    setOrNot(drained, name, isDrained);
    if (isNews && name === node) onDrained();
  }

  const unwatch = await values.watch((key, value) => {
    const [, kind, name] = KINDS.exec(key) ?? [];
    if (kind !== undefined && name !== undefined) note(kind, name, value);
  });
  await values.put(`node.${node}`, packed({ run }));
  await within(isRead);
  return {
    nodes: () => [...nodes],
    realmIds: () => realms,
    namesOf: (realmId) => (realms.has(realmId) ? names.get(realmId) : undefined),
    pinOf: (shard) => pins.get(shard),
    isDrained: (name) => drained.has(name),
    putNames: (realmId, said) => values.put(`names.${realmId}`, packed(said)),
    async forgetNames(realmId) {
      if (names.has(realmId)) await values.remove(`names.${realmId}`);
    },
    async putPin(shard, pinnedTo) {
      await (pinnedTo === null
        ? values.remove(`wish.${shard}`)
        : values.put(`wish.${shard}`, packed(pinnedTo)));
      // The watch may tell it a moment later.
      notePin(shard, pinnedTo);
    },
    async putDrained(name, isDrained) {
      await (isDrained
        ? values.put(`drained.${name}`, packed(true))
        : values.remove(`drained.${name}`));
      noteDrained(name, isDrained);
    },
    follow(tell) {
      onRealm = tell;
      for (const id of names.keys()) tell(id);
    },
    whenDrained(tell) {
      onDrained = tell;
    },
    close: unwatch,
  };
}

const isRemoved = (value: Uint8Array) => unpacked<Entry>(value).is === 'removed';

function setOrNot<One>(all: Set<One>, one: One, isThere: boolean) {
  if (isThere) all.add(one);
  else all.delete(one);
}

async function within(done: Promise<void>) {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error('the shared values of the cluster cannot be read')),
      READ_MS_MAX,
    );
  });
  await Promise.race([done, late]).finally(() => clearTimeout(timer));
}
