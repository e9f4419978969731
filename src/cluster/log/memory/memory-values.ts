import { MESSAGE_BYTES_MAX, requireFitting, requireName } from '../bounds.ts';
import type { SharedValues } from '../bus.ts';
import type { MemoryLink } from './memory-link.ts';

interface Held {
  readonly revision: number;
  /** Undefined once the value was removed. */
  readonly value: Uint8Array | undefined;
}

/** The values of a cluster in memory. */
export interface HeldValues {
  get(key: string): Uint8Array | undefined;
  put(key: string, value: Uint8Array | undefined): void;
  keys(): readonly string[];
  /** Returns the values that changed after a revision, the oldest change first. */
  since(revision: number): readonly (readonly [key: string, held: Held])[];
  watch(onChange: () => void): () => void;
}

export function openHeldValues(): HeldValues {
  const held = new Map<string, Held>();
  const watchers = new Set<() => void>();
  let revision = 0;
  return {
    get: (key) => held.get(key)?.value,
    put(key, value) {
      revision += 1;
      held.delete(key); // The order of the map is that of the changes.
      held.set(key, { revision, value: value && Uint8Array.from(value) });
      for (const onChange of [...watchers]) onChange();
    },
    keys: () => [...held].flatMap(([key, { value }]) => (value === undefined ? [] : key)),
    since: (from) => [...held].filter(([, { revision: at }]) => at > from),
    watch(onChange) {
      watchers.add(onChange);
      return () => watchers.delete(onChange);
    },
  };
}

const isOf = (group: string, key: string) =>
  key.startsWith(`${group}.`) && !key.slice(group.length + 1).includes('.');

/** Opens the values as one node sees them. */
export function openMemoryValues(held: HeldValues, link: MemoryLink): SharedValues {
  return {
    async get(key) {
      requireName(key);
      return link.ask(() => held.get(key));
    },
    async put(key, value) {
      requireName(key);
      requireFitting(value, MESSAGE_BYTES_MAX);
      await link.ask(() => held.put(key, value));
    },
    async putNew(key, value) {
      requireName(key);
      requireFitting(value, MESSAGE_BYTES_MAX);
      return link.ask(() => {
        if (held.get(key) !== undefined) return false;
        held.put(key, value);
        return true;
      });
    },
    async replace(key, former, value) {
      requireName(key);
      requireFitting(value, MESSAGE_BYTES_MAX);
      return link.ask(() => {
        const known = held.get(key);
        if (known === undefined || !Buffer.from(known).equals(former)) return false;
        held.put(key, value);
        return true;
      });
    },
    keys: (group) => link.ask(() => held.keys().filter((key) => isOf(group, key))),
    async remove(key) {
      requireName(key);
      await link.ask(() => {
        if (held.get(key) !== undefined) held.put(key, undefined);
      });
    },
    async watch(onValue) {
      let seen = 0;
      const known = new Set<string>();
      const tell = () => {
        if (!link.sends() || !link.hears()) return;
        for (const [key, { revision, value }] of held.since(seen)) {
          seen = revision;
          // A value that came and went unseen is no news.
          if (value === undefined && !known.delete(key)) continue;
          if (value !== undefined) known.add(key);
          onValue(key, value);
        }
      };
      await link.ask(tell);
      const unwatch = [held.watch(tell), link.watch(tell)];
      return () => {
        for (const end of unwatch) end();
      };
    },
  };
}
