import { expect, test } from 'vitest';
import { inTurn, othersFirst } from '../../src/admin/commands/import-pace.ts';
import type { Realms } from '../../src/admin/deployment.ts';
import {
  IMPORT_BUSY_MS,
  IMPORT_SLICE_MS,
  IMPORT_SLICE_QUIET_MS,
} from '../../src/domain/limits/archives.ts';
import type { Load } from '../../src/metrics/recorders.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

function loaded() {
  const load = { accountOperations: 0 };
  const realms = { load: (): Load => load } as Realms; // nothing else is asked for
  return { realms, load };
}

test('where no account asks for anything, an import works for longer', async () => {
  const { realms, load } = loaded();
  load.accountOperations = 500; // long ago
  expect(await othersFirst(realms)).toBe(IMPORT_SLICE_QUIET_MS);
  expect(await othersFirst(realms)).toBe(IMPORT_SLICE_QUIET_MS);
});

test('where one does, its operations are short', async () => {
  const { realms, load } = loaded();
  await othersFirst(realms);
  load.accountOperations += 1;
  expect(await othersFirst(realms)).toBe(IMPORT_SLICE_MS);
});

test('it takes the server for quiet again when no account has asked for a while', async () => {
  const { realms, load } = loaded();
  let now = 0;
  await othersFirst(realms, () => now);
  load.accountOperations += 1;
  expect(await othersFirst(realms, () => now)).toBe(IMPORT_SLICE_MS);
  now += IMPORT_BUSY_MS;
  expect(await othersFirst(realms, () => now)).toBe(IMPORT_SLICE_QUIET_MS);
});

test('the operations of all imports run one after the other, also after one that failed', async () => {
  const { realms } = loaded();
  const log: string[] = [];
  const ends: (() => void)[] = [];
  const operation = (name: string) =>
    inTurn(realms, async () => {
      log.push(`${name} begins`);
      await new Promise<void>((resolve) => ends.push(resolve));
      log.push(`${name} ends`);
      if (name === 'a') throw new Error('a failed');
      return name;
    });
  const [a, b] = [operation('a'), operation('b')];
  const failed = expect(a).rejects.toThrow('a failed');
  while (ends.length < 1) await turn();
  for (let turns = 0; turns < 5; turns++) await turn();
  expect(log).toEqual(['a begins']);
  ends[0]?.();
  await failed;
  while (ends.length < 2) await turn();
  expect(log).toEqual(['a begins', 'a ends', 'b begins']);
  ends[1]?.();
  expect(await b).toBe('b');
});
