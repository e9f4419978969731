import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { collectLessOften } from '../../src/processes/heap.ts';

const MEGABYTE = 1024;

test('the old generation grows by as much as was left of it, before it is collected again', () => {
  const { left, limit } = limitAfter('collectLessOften();');
  expect(left).toBeGreaterThan(40 * MEGABYTE);
  // V8 adds the size of the young generation.
  expect(limit - 2 * left).toBeGreaterThanOrEqual(0);
  expect(limit - 2 * left).toBeLessThan(50 * MEGABYTE);
  // A program that allocates as much and is left alone may grow to four times as much.
  const alone = limitAfter('');
  expect(alone.limit - 2 * alone.left).toBeGreaterThan(50 * MEGABYTE);
});

/** Returns the KB that a collection leaves of a heap, and those at which the next one begins. */
function limitAfter(before: string) {
  const program = `
    import { setFlagsFromString } from 'node:v8';
    ${collectLessOften}
    ${before}
    const kept = Array.from({ length: 500_000 }, (_, at) => ({ at, list: [at] }));
    gc();
    gc();
    process.exitCode = kept.length === 0 ? 1 : 0;`;
  const said = execFileSync(
    process.execPath,
    ['--expose-gc', '--trace-gc-verbose', '--input-type=module', '--eval', program],
    { encoding: 'utf8' },
  );
  const limits = [
    ...said.matchAll(/\[HeapController\] Limit: old size: (\d+) KB, new limit: (\d+)/g),
  ];
  const [, left, limit] = limits.at(-1) ?? expect.fail('there was no collection');
  return { left: Number(left), limit: Number(limit) };
}
