import { expect, onTestFinished, test, vi } from 'vitest';
import { BackgroundTurns } from '../../src/domain/background-turns.ts';
import { BACKGROUND_REST_MS_MAX, BACKGROUND_WAIT_MS_MAX } from '../../src/domain/limits/turns.ts';

function timed() {
  let now = 0;
  const pass = (ms: number) => {
    now += ms;
  };
  return { turns: new BackgroundTurns(() => now), pass };
}

test('it is free where there are no commits, and a piece gives its result', () => {
  const { turns } = timed();
  expect(turns.isFree).toBe(true);
  expect(turns.run(() => 'done')).toBe('done');
});

test('it waits for all commits of others', () => {
  const { turns } = timed();
  turns.beginCommit();
  turns.beginCommit();
  turns.endCommit();
  expect(turns.isFree).toBe(false);
  turns.endCommit();
  expect(turns.isFree).toBe(true);
});

test.each([
  { took: 1, rest: 1 },
  { took: 2.5, rest: 2.5 },
  { took: 1_000, rest: BACKGROUND_REST_MS_MAX },
])('after a piece of $took ms it rests for $rest ms', ({ took, rest }) => {
  const { turns, pass } = timed();
  turns.run(() => pass(took));
  pass(rest - 0.5);
  expect(turns.isFree).toBe(false);
  pass(0.5);
  expect(turns.isFree).toBe(true);
});

test('a short piece ends no rest after a longer one, nor does one that throws', () => {
  const { turns, pass } = timed();
  turns.run(() => pass(3));
  turns.run(() => undefined);
  expect(turns.isFree).toBe(false);
  pass(3);
  const failing = () =>
    turns.run(() => {
      pass(1);
      throw new Error('a piece that fails');
    });
  expect(failing).toThrow('a piece that fails');
  expect(turns.isFree).toBe(false);
});

test('whoever waits comes at once where it is free', () => {
  const { turns } = timed();
  let came = 0;
  turns.whenFree(() => {
    came += 1;
  });
  expect(came).toBe(1);
});

test('else after the commit, and requests that have arrived before it', async () => {
  const turns = new BackgroundTurns();
  turns.beginCommit();
  const log: string[] = [];
  const came = new Promise<void>((resolve) =>
    turns.whenFree(() => {
      log.push('background');
      resolve();
    }),
  );
  setImmediate(() => {
    log.push('another');
    turns.endCommit();
  });
  expect(turns.waiting).toBe(1);
  await came;
  expect(turns.waiting).toBe(0);
  expect(log).toEqual(['another', 'background']);
});

test('patient work lets other pieces that wait go first, and comes in its time', async () => {
  const { turns, pass } = timed();
  turns.run(() => pass(1));
  // The clock stands still: on a busy machine nobody has waited for too long.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  const log: string[] = [];
  const came = (name: string, isPatient: boolean) =>
    new Promise<void>((resolve) => {
      const act = () => {
        log.push(name);
        resolve();
      };
      turns.whenFree(act, { isPatient });
    });
  const all = [came('patient', true), came('hurried', false)];
  pass(1);
  const later = came('patient, later', true);
  expect(log, 'it is free, and somebody else waits').toEqual([]);
  await Promise.all([...all, later]);
  expect(log.indexOf('hurried')).toBe(0);
  clock.mockRestore();
  turns.beginCommit();
  const begunAt = performance.now();
  await came('beside a commit', true);
  expect(performance.now() - begunAt).toBeGreaterThanOrEqual(BACKGROUND_WAIT_MS_MAX);
});

test('where there is always a commit, it comes after its time', async () => {
  const turns = new BackgroundTurns();
  turns.beginCommit();
  const begunAt = performance.now();
  await new Promise<void>((resolve) => turns.whenFree(resolve));
  expect(performance.now() - begunAt).toBeGreaterThanOrEqual(BACKGROUND_WAIT_MS_MAX);
});
