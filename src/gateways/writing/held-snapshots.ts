import type { Realm } from '../../../actors/realm/realm-handle.ts';

/** How often it is looked whether some reader stays. */
const LOOK_MS = 10_000;
/** No request reads for so long: a process hangs, or does not end what it reads. */
const HELD_MS = 60_000;

interface HeldInput {
  readonly realms: () => readonly Pick<Realm, 'id' | 'isOpen' | 'measure'>[];
  /** A reader of this realm has held back freed pages for so long (ms). Called once for each. */
  readonly onHeld: (held: { readonly realmId: number; readonly ms: number }) => void;
}

/**
 * Watches for readers that stay: LMDB keeps all pages that they may still read, so the file of
 * the store grows with each commit.
 */
export function watchHeldSnapshots({ realms, onHeld }: HeldInput): { close(): void } {
  const told = new Set<number>();
  const timer = setInterval(() => {
    for (const realm of realms()) {
      if (!realm.isOpen()) continue;
      const ms = realm.measure().oldestReaderMs;
      if (ms < HELD_MS) told.delete(realm.id);
      else if (!told.has(realm.id)) {
        told.add(realm.id);
        onHeld({ realmId: realm.id, ms });
      }
    }
  }, LOOK_MS).unref();
  return { close: () => clearInterval(timer) };
}
