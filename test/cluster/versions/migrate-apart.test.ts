import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { migrateApart } from '../../../src/cluster/versions/migrate-apart.ts';
import { SCHEMAS } from '../../../storage/migrations/migrations.ts';
import { openReplica } from '../../../storage/replication/replica.ts';
import { SCHEMA_VERSION } from '../../../storage/schema.ts';
import { differencesOf, hashStore } from '../../support/cluster/compare-stores.ts';
import { laterSchemas } from '../../support/cluster/schemas.ts';
import { builtFile } from '../../support/processes/dist.ts';
import { run } from '../../support/processes/run.ts';
import { makeScratch } from '../../support/scratch.ts';

const STORES = resolve(import.meta.dirname, '../../fixtures/stores');
const FORMER = 16;
const SEEDED = { seed: 'a word', realmId: 1, at: 1_750_000_000_000 };

async function formerStore(): Promise<string> {
  const folder = makeScratch();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const archive = join(STORES, `schema-${FORMER}.tar.gz`);
  expect(await run('tar', ['-xzf', archive, '-C', folder])).toMatchObject({ code: 0 });
  return join(folder, 'data', 'realms', '1');
}

function schemaOf(folder: string): number {
  const replica = openReplica(folder);
  const schema = replica.schema();
  void replica.close();
  return schema;
}

/** A large store, as far as its migration is concerned. */
const APART = { schemas: SCHEMAS, bytesMin: 1, program: builtFile('migrate-process') };

test('a large store is migrated by a process of its own, to the same bytes', async () => {
  const [apart, here] = [await formerStore(), await formerStore()];
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  await migrateApart({ folder: apart, to: SCHEMA_VERSION, moment: SEEDED }, APART);
  clearInterval(timer);
  // The node does other things meanwhile.
  expect(turns).toBeGreaterThan(5);
  await migrateApart({ folder: here, to: SCHEMA_VERSION, moment: SEEDED }, { schemas: SCHEMAS });
  expect(schemaOf(apart)).toBe(SCHEMA_VERSION);
  expect(differencesOf(hashStore(apart), hashStore(here))).toEqual([]);
});

test('two that migrate one store do it once', async () => {
  const [twice, once] = [await formerStore(), await formerStore()];
  const task = { folder: twice, to: SCHEMA_VERSION, moment: SEEDED };
  await Promise.all([migrateApart(task, APART), migrateApart(task, APART)]);
  await migrateApart({ ...task, folder: once }, { schemas: SCHEMAS });
  expect(differencesOf(hashStore(twice), hashStore(once))).toEqual([]);
});

test('a migration that cannot be done is refused with its reason', async () => {
  const folder = await formerStore();
  const task = { folder, to: SCHEMA_VERSION + 1, moment: SEEDED };
  await expect(migrateApart(task, APART)).rejects.toThrow(
    `there is no migration to schema ${SCHEMA_VERSION + 1}`,
  );
  await expect(
    migrateApart(task, { ...APART, program: join(STORES, 'no-such-program.js') }),
  ).rejects.toThrow('ended');
  // No other process knows schemas that are made here.
  const later = laterSchemas({ readsFormer: true, writesFormer: true });
  await migrateApart(task, { ...APART, schemas: later });
});
