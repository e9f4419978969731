import { expect, test } from 'vitest';
import { sliceMs, turnOfImport } from '../../src/admin/commands/import-pace.ts';
import type { Realms } from '../../src/admin/deployment.ts';
import {
  IMPORT_BUSY_MS,
  IMPORT_SLICE_MS,
  IMPORT_SLICE_QUIET_MS,
} from '../../src/domain/limits/archives.ts';
import type { Load } from '../../src/metrics/recorders.ts';

function loaded() {
  const load = { accountOperations: 0 };
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
