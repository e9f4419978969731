import { createHash } from 'node:crypto';
import { open } from 'lmdb';

/** The rows of a store, as hashes of the bytes of each table. */
export interface StoreHashes {
  readonly rows: number;
  readonly tables: ReadonlyMap<string, string>;
}

/** More tables than a store has. */
const TABLES_MAX = 400;

/** Hashes what is stored, without knowing what it means. The store may be open elsewhere. */
export function hashStore(path: string): StoreHashes {
  const env = open({ path, readOnly: true, maxDbs: TABLES_MAX });
  const tables = new Map<string, string>();
  let rows = 0;
  try {
    for (const name of [...env.getKeys()].map(String).toSorted()) {
      const database = env.openDB<Buffer, Buffer>({
        name,
        encoding: 'binary',
        keyEncoding: 'binary',
      });
      const hash = createHash('sha256');
      for (const { key, value } of database.getRange({})) {
        rows += 1;
        hash.update(`${key.length} ${value.length} `).update(key).update(value);
      }
      tables.set(name, hash.digest('hex'));
    }
  } finally {
    void env.close();
  }
  return { rows, tables };
}

/** Returns the names of the tables in which two stores differ. */
export function differencesOf(one: StoreHashes, other: StoreHashes): readonly string[] {
  const names = new Set([...one.tables.keys(), ...other.tables.keys()]);
  return [...names].filter((name) => one.tables.get(name) !== other.tables.get(name));
}
