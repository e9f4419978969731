import { expect, test, vi } from 'vitest';
import {
  inTurn,
  noteImported,
  restMs,
  sliceMs,
  turnOfImport,
} from '../../src/admin/commands/import-pace.ts';
import type { Realms } from '../../src/admin/deployment.ts';
import { BackgroundTurns } from '../../src/domain/background-turns.ts';
import {
  IMPORT_BUSY_MS,
  IMPORT_LATE_MS_MAX,
  IMPORT_SLICE_MS,
  IMPORT_SLICE_QUIET_MS,
  IMPORTED_ROWS_PER_SECOND,
} from '../../src/domain/limits/archives.ts';
import type { Load } from '../../src/metrics/recorders.ts';

function loaded() {
  const load = { accountOperations: 0, background: new BackgroundTurns() };
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

test('while people are served, an operation has a turn of work that nobody waits for', async () => {
  const { realms, load } = loaded();
  sliceMs(realms);
  load.accountOperations += 1;
  load.background.beginCommit();
  let isHere = false;
  const turn = turnOfImport(realms).then(() => {
    isHere = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isHere).toBe(false);
  load.background.endCommit();
  await turn;
  let now = 0;
  const background = new BackgroundTurns(() => now);
  Object.assign(load, { background });
  inTurn(realms, () => {
    now += 2;
  });
  expect(background.isFree).toBe(false);
});

test('at a server that serves nobody, it waits for nothing and others rest for nothing', async () => {
  let now = 0;
  const background = new BackgroundTurns(() => now);
  const { realms, load } = loaded();
  Object.assign(load, { background });
  inTurn(realms, () => {
    now += 2;
  });
  expect(background.isFree).toBe(true);
  vi.spyOn(background, 'whenFree').mockImplementation(() => expect.fail('it waits'));
  await turnOfImport(realms);
});
