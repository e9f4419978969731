import { openEnvironment } from '../environment.ts';
import type { Key } from '../key.ts';
import { SCHEMA_VERSION, TABLES } from '../schema.ts';
import type { WriteSet, WrittenRow } from './commit-log.ts';

/** Reads all rows of a store that nobody else has open, as a commit that would write them. */
export async function allRows(path: string): Promise<WriteSet> {
  const { env, databases } = openEnvironment(path, SCHEMA_VERSION);
  try {
    return Object.entries(TABLES).flatMap(([name, { name: stored }]) => {
      const database = databases[name as keyof typeof databases]; // one for each table
      const rows: WrittenRow[] = [];
      for (const found of [...database.getKeys()]) {
        // lmdb gives the only part of a one-part key bare.
        const key = Array.isArray(found) ? found : [found];
        const row = database.getBinary(key);
        if (row === undefined) throw new Error(`a row of ${stored} is gone: ${String(key)}`);
        rows.push([key as Key, Uint8Array.from(row)]);
      }
      return rows.length === 0 ? [] : [[stored, rows] as const];
    });
  } finally {
    await env.close();
  }
}
