import { expect, test } from 'vitest';
import {
  IMPORT_STEPS_AT_ONCE_MAX,
  IMPORTED_CHARACTERS_PER_STEP,
  IMPORTED_ROWS_PER_STEP_MAX,
} from '../../src/domain/limits/archives.ts';
import { openSteps } from '../../src/imports/running/steps.ts';
import type { StepReply } from '../../src/imports/running/target.ts';

const DONE: StepReply = { counts: {}, refused: [] };
const noneIsRefused = (row: number, why: string) => expect.fail(`${row}: ${why}`);

test('rows are sent in order, in bounded steps, and few steps are under way however many come', async () => {
  const sent: number[][] = [];
  const lengthOf = (row: number) => (row % 3 === 0 ? 10_000 : 10);
  const answers: (() => void)[] = [];
  let most = 0;
  const steps = openSteps<number>({
    send(rows) {
      sent.push([...rows]);
      return new Promise((resolve) => {
        answers.push(() => resolve(DONE));
        most = Math.max(most, answers.length);
      });
    },
    onRefused: noneIsRefused,
    charactersOf: lengthOf,
  });
  const rows = Array.from({ length: 6 * IMPORTED_ROWS_PER_STEP_MAX }, (_, at) => at);
  let added = 0;
  const adding = (async () => {
    for (const row of rows) {
      await steps.add(row);
      added += 1;
    }
    await steps.end();
  })();
  let isDone = false;
  void adding.then(() => (isDone = true));
  while (!isDone) {
    await new Promise(setImmediate);
    // No step is answered meanwhile, so no more rows are taken than these steps and one more hold.
    const answered = sent.slice(0, sent.length - answers.length).flat().length;
    const kept = (answers.length + 1) * IMPORTED_ROWS_PER_STEP_MAX;
    expect(added - answered).toBeLessThanOrEqual(kept);
    answers.shift()?.();
  }
  expect(sent.flat()).toEqual(rows);
  expect(most).toBe(IMPORT_STEPS_AT_ONCE_MAX);
  for (const step of sent) {
    const before = step.slice(0, -1).reduce((sum, row) => sum + lengthOf(row), 0);
    expect(before).toBeLessThan(IMPORTED_CHARACTERS_PER_STEP);
    expect(step.length).toBeLessThanOrEqual(IMPORTED_ROWS_PER_STEP_MAX);
  }
});

test('a step that fails ends the sending', async () => {
  let count = 0;
  const steps = openSteps<number>({
    async send() {
      count += 1;
      if (count === 2) throw new Error('the server has gone');
      return DONE;
    },
    onRefused: noneIsRefused,
  });
  const all = (async () => {
    for (let row = 0; row < 50 * IMPORTED_ROWS_PER_STEP_MAX; row++) await steps.add(row);
    await steps.end();
  })();
  await expect(all).rejects.toThrow('the server has gone');
  expect(count).toBeLessThanOrEqual(2 + IMPORT_STEPS_AT_ONCE_MAX);
});
