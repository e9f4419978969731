import { expect, test } from 'vitest';
import {
  noteImported,
  restMs,
  sliceMs,
  turnOfImport,
} from '../../src/admin/commands/import-pace.ts';
import type { Realms } from '../../src/admin/deployment.ts';
import {
  IMPORT_BUSY_MS,
  IMPORT_LATE_MS_MAX,
  IMPORT_SLICE_MS,
  IMPORT_SLICE_QUIET_MS,
  IMPORT_YIELD_MS_MAX,
  IMPORTED_ROWS_PER_SECOND,
} from '../../src/domain/limits/archives.ts';
import type { Load } from '../../src/metrics/recorders.ts';

function loaded() {
  const load = { accountOperations: 0, shortCommitsUnderWay: 0 };
  const realms = { load: (): Load => load } as Realms; // nothing else is asked for
  return { realms, load };
}

test('where no account asks for anything, an import works for longer', () => {
  const { realms, load } = loaded();
  load.accountOperations = 500; // long ago
  expect(sliceMs(realms)).toBe(IMPORT_SLICE_QUIET_MS);
  expect(sliceMs(realms)).toBe(IMPORT_SLICE_QUIET_MS);
});

test('where one does, its operations are short', () => {
  const { realms, load } = loaded();
  sliceMs(realms);
  load.accountOperations += 1;
  expect(sliceMs(realms)).toBe(IMPORT_SLICE_MS);
});

test('it takes the server for quiet again when no account has asked for a while', () => {
  const { realms, load } = loaded();
  sliceMs(realms, 0);
  load.accountOperations += 1;
  expect(sliceMs(realms, 0)).toBe(IMPORT_SLICE_MS);
  expect(sliceMs(realms, IMPORT_BUSY_MS)).toBe(IMPORT_SLICE_QUIET_MS);
});

test('while people are served, so many rows are entered in a second', () => {
  const { realms, load } = loaded();
  restMs(realms, 0);
  noteImported(realms, 10 * IMPORTED_ROWS_PER_SECOND, 0);
  expect(restMs(realms, 0), 'nobody is served').toBe(0);
  load.accountOperations += 1;
  expect(restMs(realms, 1_000)).toBe(0);
  noteImported(realms, IMPORTED_ROWS_PER_SECOND / 2, 1_000);
  const due = 1_500 - IMPORT_LATE_MS_MAX;
  expect(restMs(realms, 1_000)).toBe(due - 1_000);
  expect(restMs(realms, due), 'they have had their time').toBe(0);
  noteImported(realms, IMPORTED_ROWS_PER_SECOND / 10, due + 10);
  expect(restMs(realms, due + 10), 'rows that were late are made up for').toBe(90);
  noteImported(realms, IMPORTED_ROWS_PER_SECOND / 10, due + 10);
  expect(restMs(realms, due + 10), 'the operations of all imports are counted').toBe(190);
});

test.each(['quiet', 'busy'])(
  'the turns of all imports come one by one at a %s server',
  async (how) => {
    const { realms, load } = loaded();
    sliceMs(realms);
    if (how === 'busy') load.accountOperations += 1;
    const log: string[] = [];
    let isOver = false;
    const turns = ['a', 'b', 'c'].map(async (name) => {
      await turnOfImport(realms);
      log.push(name);
    });
    const others = async () => {
      while (!isOver) {
        await new Promise((resolve) => setImmediate(resolve));
        if (log.at(-1) !== 'other') log.push('other');
      }
    };
    const othersEnd = others();
    await Promise.all(turns);
    isOver = true;
    await othersEnd;
    expect(log.slice(log.indexOf('a'), log.indexOf('c') + 1)).toEqual([
      'a',
      'other',
      'b',
      'other',
      'c',
    ]);
  },
);

test('an operation waits until no commit of others is under way', async () => {
  const { realms, load } = loaded();
  sliceMs(realms);
  load.accountOperations += 1;
  const underWay = [2, 1, 0];
  let looks = 0;
  Object.defineProperty(load, 'shortCommitsUnderWay', {
    get() {
      looks += 1;
      return underWay.shift() ?? 0;
    },
  });
  await turnOfImport(realms);
  expect(looks).toBeGreaterThan(1);
});

test('where there is always one, it waits for its time', async () => {
  const { realms, load } = loaded();
  sliceMs(realms);
  load.accountOperations += 1;
  load.shortCommitsUnderWay = 1;
  const begunAt = performance.now();
  await turnOfImport(realms);
  expect(performance.now() - begunAt).toBeGreaterThanOrEqual(IMPORT_YIELD_MS_MAX);
});

test('at a server that serves nobody, it does not ask for commits', async () => {
  const { realms, load } = loaded();
  Object.defineProperty(load, 'shortCommitsUnderWay', { get: () => expect.fail('it asked') });
  await turnOfImport(realms);
});
