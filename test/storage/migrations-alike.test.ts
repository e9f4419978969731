import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  canRead,
  canWrite,
  type Migration,
  type MigrationMoment,
  type Schemas,
} from '../../storage/migrations/migration.ts';
import { MIGRATIONS, SCHEMAS } from '../../storage/migrations/migrations.ts';
import { migrateStore } from '../../storage/replication/migrating.ts';
import { openReplica } from '../../storage/replication/replica.ts';
import { openRowHashing, type StoreHashes } from '../../storage/replication/row-hashes.ts';
import { SCHEMA_VERSION, TABLES } from '../../storage/schema.ts';
import { differencesOf, hashStore } from '../support/cluster/compare-stores.ts';
import { run } from '../support/processes/run.ts';
import { makeScratch } from '../support/scratch.ts';

const STORES = resolve(import.meta.dirname, '../fixtures/stores');
const SCHEMAS_STORED = readdirSync(STORES)
  .map((name) => Number(/^schema-(\d+)\.tar\.gz$/.exec(name)?.[1]))
  .toSorted((one, other) => one - other);

/** Returns the folder of a realm as a version of that schema left it. */
async function storeOf(schema: number): Promise<string> {
  const folder = makeScratch();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const archive = join(STORES, `schema-${schema}.tar.gz`);
  expect(await run('tar', ['-xzf', archive, '-C', folder])).toMatchObject({ code: 0 });
  return join(folder, 'data', 'realms', '1');
}

const moment: MigrationMoment = {
  now: 1_750_000_000_000,
  secret: (word) => createHash('sha256').update(word).digest(),
};

async function hashesOf(folder: string): Promise<StoreHashes> {
  const replica = openReplica(folder);
  const rows = openRowHashing(folder) ?? expect.fail('there is no store');
  rows.freeze();
  let hashes = rows.step(50);
  while (hashes === undefined) hashes = rows.step(50);
  await rows.close();
  await replica.close();
  return hashes;
}

test.each(SCHEMAS_STORED)(
  'each migration of a store of schema %i comes to the same bytes, wherever and whenever it runs',
  async (schema) => {
    const folders = [await storeOf(schema), await storeOf(schema)];
    const clock = vi.spyOn(Date, 'now');
    onTestFinished(() => clock.mockRestore());
    for (let to = schema + 1; to <= SCHEMA_VERSION; to++) {
      const hashes: StoreHashes[] = [];
      for (const [index, folder] of folders.entries()) {
        clock.mockReturnValue(1_600_000_000_000 + index * 86_400_000_000);
        await migrateStore(folder, { to, moment, schemas: SCHEMAS });
        hashes.push(await hashesOf(folder));
      }
      expect(hashes[1]).toEqual(hashes[0]);
      expect(hashes[0]?.tables.get('schema')).toBe(String(to));
    }
    // A second look that knows nothing of what the first one leaves out.
    const [one = '', other = ''] = folders;
    expect(differencesOf(hashStore(one), hashStore(other))).toEqual([]);
  },
);

const step = (readsFormer: boolean, writesFormer: boolean): Migration => ({
  run: () => undefined,
  readsFormer,
  writesFormer,
});

test('a schema can be read or written by a later version if each step between allows it', () => {
  const schemas: Schemas = {
    newest: 5,
    steps: new Map([
      [2, step(false, false)],
      [3, step(true, true)],
      [4, step(true, false)],
      [5, step(true, true)],
    ]),
  };
  const all = [1, 2, 3, 4, 5, 6];
  expect(all.filter((schema) => canRead(schemas, schema))).toEqual([2, 3, 4, 5]);
  expect(all.filter((schema) => canWrite(schemas, schema))).toEqual([4, 5]);
});

test('of the present migrations the last six leave stores that are read as they were', () => {
  const readable = Array.from(MIGRATIONS.keys()).filter((schema) => canRead(SCHEMAS, schema));
  expect(readable).toEqual([17, 18, 19, 20, 21, 22]);
  expect(canWrite(SCHEMAS, 19)).toBe(false);
});

/**
 * A node of an earlier version applies records by the tables that it knows. So a new table, or one
 * that is gone, is a new schema, which such a node does not follow: raise it with a migration that
 * declares it, and write the new number and hash here.
 */
const TABLES_OF = { schema: 22, tables: 145, sha256: '3ad7eeed776a5966' };

test('a table is only added or removed with a new schema', () => {
  const names = Object.values(TABLES)
    .map(({ name }) => name)
    .toSorted();
  const sha256 = createHash('sha256').update(names.join('\n')).digest('hex').slice(0, 16);
  expect({ schema: SCHEMA_VERSION, tables: names.length, sha256 }).toEqual(TABLES_OF);
});
