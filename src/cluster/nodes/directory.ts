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
  /** Returns the node that an operator wants to hold a shard. */
  wishFor(shard: number): string | undefined;
  /** Tells all nodes the names of a realm. */
  putNames(realmId: number, names: readonly string[]): Promise<void>;
  /** Has all nodes forget the names of a realm, if they have any. */
  forgetNames(realmId: number): Promise<void>;
  /** Notes which node is to hold a shard; null for no one in particular. */
  putWish(shard: number, node: string | null): Promise<void>;
  /** Says from now on which realms have changed, beginning with all that are known. */
  follow(onRealm: (realmId: number) => void): void;
  close(): void;
}

interface DirectoryInput {
  readonly values: SharedValues;
  readonly node: string;
}

const KINDS = /^(node|realm|names|wish)\.(.+)$/;

/** Reads the directory, and enters this node in it. */
export async function openDirectory({ values, node }: DirectoryInput): Promise<Directory> {
  const nodes = new Set<string>();
  const realms = new Set<number>();
  const names = new Map<number, readonly string[]>();
  const wishes = new Map<number, string>();
  const run = randomBytes(8).toString('hex');
  let onRealm: ((realmId: number) => void) | null = null;
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
      if (value === undefined) wishes.delete(Number(name));
      else wishes.set(Number(name), unpacked<string>(value));
    } else {
      const id = Number(name);
      if (kind === 'realm') setOrNot(realms, id, value !== undefined && !isRemoved(value));
      else if (value === undefined) names.delete(id);
      else names.set(id, unpacked<readonly string[]>(value));
      onRealm?.(id);
    }
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
    wishFor: (shard) => wishes.get(shard),
    putNames: (realmId, said) => values.put(`names.${realmId}`, packed(said)),
    async forgetNames(realmId) {
      if (names.has(realmId)) await values.remove(`names.${realmId}`);
    },
    putWish: (shard, wanted) =>
      wanted === null
        ? values.remove(`wish.${shard}`)
        : values.put(`wish.${shard}`, packed(wanted)),
    follow(tell) {
      onRealm = tell;
      for (const id of names.keys()) tell(id);
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
