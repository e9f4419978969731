import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { TurnWork } from '../../../actors/realm/turns.ts';
import { BackgroundTurns } from '../../../src/domain/background-turns.ts';
import { TURNS_PER_COMMIT_MS_MAX } from '../../../src/domain/limits/turns.ts';
import { badRequest } from '../../../src/domain/wire/errors.ts';
import type { RealmStore } from '../../../storage/store.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { EVENT, openTestCommits } from '../../support/actors/commits.ts';
import { addUser, openTestStore } from '../../support/actors/realm-store.ts';

const FIRST = 100;
const ACCOUNT = 7;

/** Long work: `count` operations, each of which adds a user. */
function workOf(
  count: number,
  betweenTurns: () => unknown = () => undefined,
  operation: (tx: RealmTransaction, index: number) => void = (tx, index) =>
    addUser(tx, FIRST + index),
) {
  const ran: number[] = [];
  const work: TurnWork<number> = {
    next({ length }) {
      if (length === count) return undefined;
      return (tx) => {
        ran.push(length);
        operation(tx, length);
        return length;
      };
    },
    async turn() {
      await turn();
      betweenTurns();
    },
  };
  return { work, ran };
}

/** The users of long work, as a single row, as ranges and as numbers of keys. */
const readUsers = ({ reader: { users } }: RealmStore): unknown[] => [
  ...[users.get([FIRST])].filter((row) => row !== undefined),
  ...users.range({ start: [FIRST], limit: 1 }),
  ...users.keys({ start: [FIRST], isReverse: true, limit: 1 }),
  ...users.numbers([], { low: FIRST, high: FIRST + 100, isReverse: false, limit: 1 }),
  ...users.numbers([], { low: FIRST, high: FIRST + 100, isReverse: true, limit: 1 }),
];

/** Commits whose number is counted, and whose time passes when the test says so. */
function opened() {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const store = openTestStore();
  let count = 0;
  const commit: RealmStore['commit'] = (...given) => {
    count += 1;
    return store.commit(...given);
  };
  return {
    ...openTestCommits({ store: { ...store, commit } }),
    count: () => count,
    pass(ms: number) {
      now += ms;
    },
  };
}

test('the operations of long work share a commit, and others do not see any before it is over', async () => {
  const { commits, store, heard, run, count } = opened();
  const seen: unknown[] = [];
  let turns = 0;
  const { work } = workOf(4, () => {
    // An operation of no account has its turn in the same commit.
    if (turns === 2) run((tx) => tx.emit(EVENT));
    turns += 1;
    seen.push(...readUsers(store));
  });
  commits.runInTurns(work, (outcome) => heard.push(JSON.stringify(outcome)));
  await commits.idle();
  expect([turns, seen]).toEqual([4, []]);
  expect(heard).toEqual(['reply 1', 'broadcast 1', '{"isDone":true,"reply":[0,1,2,3]}']);
  expect(readUsers(store)).toHaveLength(5);
  expect(count()).toBe(1);
});

test('an operation of an account ends the commit, and long work goes on in the next one', async () => {
  const { commits, heard, run, count } = opened();
  const { work, ran } = workOf(6, () => {
    if (ran.length !== 2) return;
    run((tx) => {
      heard.push(`in ${count()} behind ${tx.users.get([FIRST + 1])?.id}`);
    }, ACCOUNT);
  });
  commits.runInTurns(work, () => heard.push(`${ran.length} of long work`));
  await commits.idle();
  expect(heard).toEqual(['in 1 behind 101', 'reply undefined', '6 of long work']);
  expect(count()).toBe(2);
});

/** A turn that comes when the test says so. */
function heldTurn() {
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { gate, open: () => open() };
}

test('an operation of an account does not wait until long work has its turn', async () => {
  const { commits, heard, run, count } = opened();
  const { gate, open } = heldTurn();
  const { work } = workOf(3);
  let turns = 0;
  const late: TurnWork<number> = {
    ...work,
    turn: () => {
      turns += 1;
      return turns === 2 ? gate : Promise.resolve();
    },
  };
  commits.runInTurns(late, () => heard.push('long work'));
  await expect.poll(() => turns).toBe(2);
  run((tx) => `behind ${tx.users.get([FIRST])?.id}`, ACCOUNT);
  await expect.poll(() => heard[0]).toBe('reply behind 100');
  open();
  await commits.idle();
  expect(heard).toEqual(['reply behind 100', 'long work']);
  expect(count()).toBe(2);
});

test('while accounts have operations in every commit, long work has its turns as well', async () => {
  const { commits, heard, run, count } = opened();
  const { work, ran } = workOf(5);
  const again = () => {
    if (ran.length < 5) commits.run(() => undefined, again, ACCOUNT);
  };
  again();
  commits.runInTurns(work, () => heard.push(`${ran.length} of long work`));
  run(() => 'once', ACCOUNT);
  await commits.idle();
  expect(heard).toEqual(['reply once', '5 of long work']);
  expect(ran).toEqual([0, 1, 2, 3, 4]);
  expect(count(), 'none has a second one behind that of an account').toBeGreaterThanOrEqual(5);
});

test('while long work waits for its turn there is no commit, and an account is served', async () => {
  const { commits, heard, run, count } = opened();
  const { gate, open } = heldTurn();
  const { work } = workOf(1);
  commits.runInTurns({ ...work, turn: () => gate }, () => heard.push('long work'));
  let isIdle = false;
  const idle = commits.idle().then(() => {
    isIdle = true;
  });
  expect([count(), commits.underWayMs()]).toEqual([0, 0]);
  for (const reply of ['one', 'two']) {
    run(() => reply, ACCOUNT);
    await expect.poll(() => heard.at(-1)).toBe(`reply ${reply}`);
  }
  await turn();
  expect([count(), isIdle]).toEqual([2, false]);
  open();
  await idle;
  expect([count(), heard.at(-1)]).toEqual([3, 'long work']);
});

test('work that nobody waits for waits for commits, but not for those with long work', async () => {
  const background = new BackgroundTurns();
  const { commits } = openTestCommits({ background });
  const free: boolean[] = [];
  const note = () => free.push(background.isFree);
  commits.run(note, () => undefined, ACCOUNT);
  await commits.idle();
  note();
  commits.runInTurns(workOf(2, note).work, () => undefined);
  await commits.idle();
  expect(free).toEqual([false, true, true, true]);
});

test('a commit is not kept open for longer than its time', async () => {
  const { commits, heard, count, pass } = opened();
  const { work } = workOf(4, () => pass(TURNS_PER_COMMIT_MS_MAX));
  commits.runInTurns(work, () => heard.push('over'));
  await commits.idle();
  expect([heard, count()]).toEqual([['over'], 2]);
});

test('work without any operation is done at once, and holds up nobody', async () => {
  const { commits, heard, run } = opened();
  commits.runInTurns(workOf(0).work, (outcome) => heard.push(JSON.stringify(outcome)));
  run(() => 'next', ACCOUNT);
  await commits.idle();
  expect(heard).toEqual(['{"isDone":true,"reply":[]}', 'reply next']);
});

test('works have their turns one after the other, and one that fails is undone to its last operation', async () => {
  const { commits, store, heard } = opened();
  const failing = workOf(3, undefined, (tx, index) => {
    addUser(tx, FIRST + index);
    if (index === 1) throw 'no';
  });
  const good = workOf(2, undefined, (tx, index) => addUser(tx, FIRST + 10 + index));
  commits.runInTurns(failing.work, (outcome) => heard.push(JSON.stringify(outcome)));
  commits.runInTurns(good.work, (outcome) => heard.push(JSON.stringify(outcome)));
  await commits.idle();
  expect(heard).toEqual(['{"isDone":false,"error":"no"}', '{"isDone":true,"reply":[0,1]}']);
  const ids = [0, 1, 2, 10, 11].filter((index) => store.reader.users.get([FIRST + index]));
  expect(ids).toEqual([0, 10, 11]);
});

test('when a commit fails, long work in it and behind it is refused once', async () => {
  const store = openTestStore();
  const { commits, heard } = openTestCommits({
    store: {
      ...store,
      async commit(...given) {
        await store.commit(...given);
        throw new Error('the disk is gone');
      },
    },
    refusal: () => badRequest('Gone'),
  });
  const refused: string[] = [];
  for (const name of ['a', 'b', 'c']) {
    // The last one is behind the end of the commit.
    const { work } = workOf(name === 'b' ? 1_000_000 : 1);
    commits.runInTurns(work, (outcome) => refused.push(`${name} ${outcome.isDone}`));
  }
  await commits.idle();
  expect(refused).toEqual(['a false', 'b false', 'c false']);
  expect(heard).toEqual(['failed']);
  commits.runInTurns(workOf(1).work, (outcome) => refused.push(`d ${outcome.isDone}`));
  expect(refused.at(-1)).toBe('d false');
});
