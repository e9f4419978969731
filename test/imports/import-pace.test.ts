import { expect, test } from 'vitest';
import { othersFirst } from '../../src/admin/commands/import-pace.ts';
import type { Realms } from '../../src/admin/deployment.ts';
import {
  IMPORT_BUSY_MS,
  IMPORT_SLICE_MS,
  IMPORT_SLICE_QUIET_MS,
} from '../../src/domain/limits/archives.ts';
import type { Load } from '../../src/metrics/recorders.ts';

function loaded() {
  const load = { commitsUnderWay: 0, accountOperations: 0 };
  let asked = 0;
  const realms = {
    load: (): Load => {
      asked += 1;
      return load;
    },
  } as Realms; // nothing else is asked for
  return { realms, load, asked: () => asked };
}

test('where no account asks for anything, an import waits for nobody and works for longer', async () => {
  const { realms, load } = loaded();
  load.commitsUnderWay = 1;
  load.accountOperations = 500; // long ago
  expect(await othersFirst(realms)).toBe(IMPORT_SLICE_QUIET_MS);
  expect(await othersFirst(realms)).toBe(IMPORT_SLICE_QUIET_MS);
});

test('where one does, it waits until their commits are done, and works for a short time', async () => {
  const { realms, load, asked } = loaded();
  const standing = () => 0;
  await othersFirst(realms, standing);
  load.accountOperations += 1;
  load.commitsUnderWay = 1;
  let isOver = false;
  const waiting = othersFirst(realms, standing).finally(() => (isOver = true));
  while (asked() < 6) await new Promise((resolve) => setTimeout(resolve, 1));
  expect(isOver).toBe(false);
  load.commitsUnderWay = 0;
  expect(await waiting).toBe(IMPORT_SLICE_MS);
});

test('where there is always a commit of others, it gets on as well', async () => {
  const { realms, load } = loaded();
  let now = 0;
  const passing = () => (now += 1);
  await othersFirst(realms, passing);
  load.commitsUnderWay = 1;
  for (let turn = 0; turn < 3; turn++) {
    load.accountOperations += 1;
    expect(await othersFirst(realms, passing)).toBe(IMPORT_SLICE_MS);
  }
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
