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

test('while people are served, the next one waits for a rest, and the answer does not', async () => {
  const { realms, load } = loaded();
  await othersFirst(realms);
  load.accountOperations += 1;
  const log: string[] = [];
  const operation = (name: string) =>
    inTurn(realms, async (sliceMs) => log.push(`${name} for ${sliceMs} ms`));
  const [a, b] = [operation('a'), operation('b')];
  await a;
  await turn();
  expect(log).toEqual([`a for ${IMPORT_SLICE_MS} ms`]);
  await b;
  expect(log).toEqual([`a for ${IMPORT_SLICE_MS} ms`, `b for ${IMPORT_SLICE_MS} ms`]);
});
