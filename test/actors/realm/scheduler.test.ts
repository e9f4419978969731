import { expect, test } from 'vitest';
import type { Commits } from '../../../actors/realm/commits.ts';
import { type Job, openScheduler, type SchedulerInput } from '../../../actors/realm/scheduler.ts';
import { BackgroundTurns } from '../../../src/domain/background-turns.ts';
import { openRealmRecord } from '../../../src/metrics/recorders.ts';
import type { RealmReader, RealmTransaction } from '../../../storage/transaction.ts';
import { testClock } from '../../support/test-clock.ts';

const KIND = {};

interface Item {
  readonly at: number;
  readonly name: string;
  readonly kind?: object;
  readonly fails?: 'once' | 'always';
  readonly prepare?: () => boolean;
}

/** Opens a scheduler over a list of times. Operations run at once unless the realm is busy. */
function openList({
  isBusy = () => false,
  isActive = () => true,
  beforeLooking = () => {},
  background = new BackgroundTurns(() => 0),
}: {
  isBusy?: () => boolean;
  isActive?: () => boolean;
  beforeLooking?: () => void;
  background?: BackgroundTurns;
} = {}) {
  const clock = testClock();
  const due: Item[] = [];
  /** How many kinds each look was at. */
  const looks: (number | 'all')[] = [];
  const done: string[] = [];
  const delivered: unknown[] = [];
  const bugs: unknown[] = [];
  const failures: unknown[] = [];
  let wakes = 0;
  const record = openRealmRecord();
  const remove = (name: string) =>
    due.splice(
      due.findIndex((item) => item.name === name),
      1,
    );
  const input: SchedulerInput = {
    nextAt() {
      beforeLooking();
      return due.length === 0 ? undefined : Math.min(...due.map(({ at }) => at));
    },
    due(_reader, now, kinds) {
      beforeLooking();
      looks.push(kinds?.size ?? 'all');
      return due
        .filter(({ at, kind = KIND }) => at <= now && (kinds === undefined || kinds.has(kind)))
        .map(
          ({ name, kind = KIND, fails, prepare }): Job => ({
            kind,
            ...(prepare && { prepare }),
            attempt() {
              if (fails !== undefined) throw new Error(name);
              remove(name);
              done.push(name);
              return [`entry of ${name}`];
            },
            onFailure(_tx, error) {
              if (fails === 'always') throw error;
              remove(name);
              done.push(`refused: ${(error as Error).message}`);
            },
          }),
        );
    },
    noteFailure: (error) => failures.push(error),
    deliver: (entries) => delivered.push(...entries),
  };
  const commits: Commits = {
    runInTurns: () => expect.fail('no long work is due'),
    hasFailed: () => false,
    run(operation, settle) {
      if (isBusy()) return false;
      try {
        settle({ isDone: true, reply: operation({} as RealmTransaction) });
      } catch (error) {
        settle({ isDone: false, error });
      }
      return true;
    },
    idle: () => Promise.resolve(),
    waiting: () => 0,
    underWayMs: () => 0,
  };
  const scheduler = openScheduler({
    input,
    reader: {} as RealmReader,
    clock,
    record,
    background,
    commits: () => commits,
    onBug: (error) => bugs.push(error),
    wake: () => {
      wakes += 1;
    },
    isActive,
  });
  return {
    scheduler,
    clock,
    record,
    due,
    done,
    looks,
    delivered,
    bugs,
    failures,
    wakes: () => wakes,
  };
}

test('it waits until the earliest time, and a day at most', () => {
  const { scheduler, clock, due, wakes } = openList();
  expect(scheduler.untilDue()).toBe(86_400_000);
  due.push({ at: clock.now() + 5_000, name: 'b' }, { at: clock.now() + 2_000, name: 'a' });
  expect(scheduler.untilDue()).toBe(2_000);
  scheduler.noteDue(clock.now() + 2_000);
  expect(wakes()).toBe(0);
  scheduler.noteDue(clock.now() + 1_999);
  expect(wakes()).toBe(1);
  due.push({ at: clock.now() - 1, name: 'late' });
  expect(scheduler.untilDue()).toBe(0);
});

test('due jobs are done, others wait, and entries are delivered when all due jobs are done', () => {
  const { scheduler, clock, due, done, delivered } = openList();
  due.push({ at: clock.now(), name: 'a' }, { at: clock.now() - 5, name: 'b' });
  due.push({ at: clock.now() + 1, name: 'c' });
  scheduler.work();
  expect(done).toEqual(['a', 'b']);
  expect(delivered).toEqual(['entry of a', 'entry of b']);
  expect(due.map(({ name }) => name)).toEqual(['c']);
  clock.advance(1);
  expect(done).toEqual(['a', 'b', 'c']);
});

test('a job is prepared in parts with pauses in between, while others are done', () => {
  const { scheduler, clock, due, done } = openList();
  const parts: number[] = [];
  const prepare = () => parts.push(clock.now()) === 3;
  const begun = clock.now();
  due.push({ at: begun, name: 'long', prepare }, { at: begun, name: 'short' });
  scheduler.work();
  expect(done).toEqual(['short']);
  expect(scheduler.untilDue(), 'the realm does not begin it again').toBe(86_400_000);
  for (let turn = 0; turn < 5; turn++) clock.advance(1);
  expect(parts).toEqual([begun, begun + 1, begun + 2]);
  expect(done).toEqual(['short', 'long']);
});

test('while a kind has jobs, the others are looked at now and then, and at once when something is stored', () => {
  const { scheduler, clock, due, done, looks } = openList();
  const begun = clock.now();
  const kind = {};
  due.push({ at: begun, name: 'long', kind, prepare: () => clock.now() > begun + 40 });
  scheduler.work();
  due.push({ at: begun, name: 'not told' });
  while (clock.now() < begun + 24) clock.advance(1);
  expect(done).toEqual([]);
  expect(looks).toEqual(['all', ...Array(24).fill(1)]);
  clock.advance(1);
  expect(done).toEqual(['not told']);
  due.push({ at: clock.now(), name: 'told', kind: {} });
  scheduler.noteDue(clock.now());
  clock.advance(1);
  expect(done).toEqual(['not told', 'told']);
  while (clock.now() < begun + 50) clock.advance(1);
  expect(done).toEqual(['not told', 'told', 'long']);
  expect(looks.slice(-1), 'that nothing is due is known of all').toEqual(['all']);
});

test('a job whose preparation fails is refused', () => {
  const { scheduler, clock, due, done, failures, bugs } = openList();
  const prepare = () => {
    throw new Error('a damaged row');
  };
  due.push({ at: clock.now(), name: 'long', prepare });
  scheduler.work();
  expect(done).toEqual(['refused: a damaged row']);
  expect([failures.length, bugs.length]).toEqual([1, 0]);
});

test('what is stored and due at once is done without the realm', () => {
  const { scheduler, clock, due, done, wakes } = openList();
  due.push({ at: clock.now() + 5_000, name: 'later' });
  scheduler.untilDue();
  due.push({ at: clock.now(), name: 'a' });
  scheduler.noteDue(clock.now());
  scheduler.noteDue(clock.now());
  expect(done).toEqual([]);
  clock.advance(1);
  expect(done).toEqual(['a']);
  clock.advance(10);
  // The realm waits for the time of the later one already.
  expect(wakes()).toBe(0);
});

test('the realm is woken for a job that is due before it would look', () => {
  const { scheduler, clock, due, done, wakes } = openList();
  due.push({ at: clock.now(), name: 'a' }, { at: clock.now() + 5_000, name: 'later' });
  scheduler.work();
  // While a job is open, the realm waits for a day.
  expect(scheduler.untilDue()).toBe(86_400_000);
  clock.advance(1);
  expect(done).toEqual(['a']);
  expect(wakes()).toBe(1);
  expect(scheduler.untilDue()).toBe(4_999);
});

test('it goes on until no job is due, and waits for no earlier time meanwhile', () => {
  const { scheduler, clock, due, done, wakes } = openList();
  due.push({ at: clock.now(), name: 'a' });
  scheduler.work();
  due.push({ at: clock.now(), name: 'b' });
  scheduler.noteDue(clock.now());
  scheduler.work();
  expect(done).toEqual(['a']);
  clock.advance(1);
  expect(done).toEqual(['a', 'b']);
  clock.advance(1);
  expect(wakes()).toBe(0);
  due.push({ at: clock.now() + 10, name: 'c' });
  scheduler.noteDue(clock.now() + 10);
  expect(wakes()).toBe(1);
  expect(scheduler.untilDue()).toBe(10);
});

test('the next jobs come when the thread is free for them, and after a while all the same', async () => {
  const background = new BackgroundTurns(() => 0);
  const { scheduler, clock, due, done } = openList({ background });
  const next = (name: string) => {
    due.push({ at: clock.now(), name });
    scheduler.noteDue(clock.now());
    clock.advance(1);
  };
  scheduler.work();
  background.beginCommit();
  next('a');
  expect(done).toEqual([]);
  await expect.poll(() => done).toEqual(['a']);
  background.endCommit();
  next('b');
  expect(done).toEqual(['a', 'b']);
});

test('what prepares a job and what does it are pieces of work that others have turns after', () => {
  let now = 0;
  const background = new BackgroundTurns(() => now);
  const { scheduler, clock, due } = openList({ background });
  const prepare = () => {
    now += 2;
    return true;
  };
  due.push({ at: clock.now(), name: 'a', prepare });
  scheduler.work();
  expect(background.isFree).toBe(false);
  now += 2;
  expect(background.isFree).toBe(true);
});

test('an error thrown while the next jobs are looked for is a bug of the realm', () => {
  let fault: Error | undefined;
  const beforeLooking = () => {
    if (fault !== undefined) throw fault;
  };
  const { scheduler, clock, due, done, bugs, wakes } = openList({ beforeLooking });
  due.push({ at: clock.now(), name: 'a' });
  scheduler.work();
  fault = new Error('a row that cannot be read');
  clock.advance(1);
  expect(bugs).toEqual([fault]);
  expect(done).toEqual(['a']);
  expect(wakes()).toBe(0);
});

test('an error thrown as the realm asks for jobs or for their time is a bug, and not thrown at its actor', () => {
  const fault = new Error('a row that cannot be read');
  const { scheduler, bugs, done } = openList({
    beforeLooking: () => {
      throw fault;
    },
  });
  scheduler.work();
  expect(bugs).toEqual([fault]);
  expect(scheduler.untilDue()).toBe(86_400_000);
  expect(bugs).toEqual([fault, fault]);
  expect(done).toEqual([]);
});

test('a realm that stops starts no more jobs, and reads its store no more', () => {
  let isActive = true;
  const beforeLooking = () => expect(isActive).toBe(true);
  const list = openList({ isActive: () => isActive, beforeLooking });
  const { scheduler, clock, due, done, bugs } = list;
  due.push({ at: clock.now(), name: 'a' });
  scheduler.work();
  due.push({ at: clock.now(), name: 'b' });
  isActive = false;
  clock.advance(1_000);
  expect(done).toEqual(['a']);
  expect(bugs).toEqual([]);
});

test('a job that is refused is noted and costs the others nothing', () => {
  const { scheduler, clock, due, done, bugs, failures } = openList();
  due.push({ at: clock.now(), name: 'a', fails: 'once' }, { at: clock.now(), name: 'b' });
  scheduler.work();
  expect(done).toEqual(['refused: a', 'b']);
  expect(due).toEqual([]);
  expect(failures).toMatchObject([{ message: 'a' }]);
  expect(bugs).toEqual([]);
});

test('a job that can be neither done nor noted is a bug', () => {
  const { scheduler, clock, due, bugs } = openList();
  due.push({ at: clock.now(), name: 'a', fails: 'always' });
  scheduler.work();
  expect(bugs).toMatchObject([{ message: 'a' }]);
});

test('when the realm takes no more operations, due jobs are tried again a second later', () => {
  let isBusy = true;
  const { scheduler, clock, due, done, wakes } = openList({ isBusy: () => isBusy });
  due.push({ at: clock.now(), name: 'a' });
  scheduler.work();
  expect(scheduler.untilDue()).toBe(86_400_000);
  expect(wakes()).toBe(0);
  clock.advance(1_000);
  expect(done).toEqual([]);
  isBusy = false;
  clock.advance(1_000);
  expect(done).toEqual(['a']);
});
