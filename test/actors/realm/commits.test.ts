import { expect, test } from 'vitest';
import { OPERATIONS_WAITING_MAX } from '../../../src/domain/limits/turns.ts';
import { EVENT, openTestCommits as opened } from '../../support/actors/commits.ts';
import { addUser } from '../../support/actors/realm-store.ts';

test('callers are answered in order after the commit, then the queues end, then the events are broadcast', async () => {
  const { commits, store, heard, run } = opened();
  expect(run((tx) => tx.emit(EVENT))).toBe(true);
  run((tx) => {
    tx.endQueue('q');
    tx.emit(EVENT);
    return 'second';
  });
  run((tx) => tx.wakeAt(60));
  run((tx) => tx.wakeAt(70));
  expect(heard).toEqual([]);
  await commits.idle();
  expect(heard).toEqual([
    'reply 1',
    'reply second',
    'reply undefined',
    'reply undefined',
    'ended q',
    'broadcast 1 and 2',
    'wake at 60',
  ]);
  expect(store.reader.head()).toBe(2);
});

test('operations of one turn share a commit, and those that come during it share the next', async () => {
  const { commits, store, heard, run } = opened();
  run((tx) => {
    for (let count = 0; count < 50; count++) run((next) => next.emit(EVENT));
    return tx.emit(EVENT);
  });
  run((tx) => tx.emit(EVENT));
  await commits.idle();
  const ids = Array.from({ length: 52 }, (_, index) => index + 1);
  expect(heard).toEqual([
    'reply 1',
    'reply 2',
    'broadcast 1 and 2',
    ...ids.slice(2).map((id) => `reply ${id}`),
    `broadcast ${ids.slice(2).join(' and ')}`,
  ]);
  expect(store.reader.head()).toBe(52);
});

test('an operation that is refused is undone and answered, and costs the others nothing', async () => {
  const { commits, store, heard, bugs, run } = opened();
  run((tx) => tx.emit(EVENT));
  run((tx) => {
    addUser(tx, 7);
    tx.emit(EVENT);
    throw 'no';
  });
  run((tx) => tx.emit(EVENT));
  await commits.idle();
  expect(heard).toEqual(['reply 1', 'refused no', 'reply 2', 'broadcast 1 and 2']);
  expect(store.reader.users.get([7])).toBeUndefined();
  expect(bugs).toEqual([]);
});

test('a commit without events, ended queues or times tells of none', async () => {
  const { commits, heard, run } = opened();
  run(() => 'read');
  await commits.idle();
  expect(heard).toEqual(['reply read']);
});

test('the time of a commit never runs back, although the clock does', async () => {
  const { commits, clock, heard, run } = opened();
  const start = clock.now();
  run((tx) => tx.now - start);
  await commits.idle();
  clock.leap(-5_000);
  run((tx) => tx.now - start);
  await commits.idle();
  clock.leap(7_000);
  run((tx) => tx.now - start);
  await commits.idle();
  expect(heard).toEqual(['reply 0', 'reply 0', 'reply 2000']);
});

test('nothing is taken on a full disk, and what was taken before is committed', async () => {
  let isFull = false;
  const space = { isFull: () => isFull, isShort: () => isFull, hasRoomFor: () => !isFull };
  const { commits, heard, run } = opened({ space });
  expect(run(() => 'before')).toBe(true);
  isFull = true;
  expect(run(() => 'full')).toBe(false);
  await commits.idle();
  isFull = false;
  expect(run(() => 'after')).toBe(true);
  await commits.idle();
  expect(heard).toEqual(['reply before', 'reply after']);
});

test('an operation too many is not taken, and none that was taken is lost', async () => {
  const { commits, store } = opened();
  let answered = 0;
  const run = () =>
    commits.run(
      () => undefined,
      () => {
        answered += 1;
      },
    );
  let taken = 0;
  while (taken <= OPERATIONS_WAITING_MAX && run()) taken += 1;
  expect(taken).toBe(OPERATIONS_WAITING_MAX);
  await commits.idle();
  expect(answered).toBe(taken);
  expect(run()).toBe(true);
  await commits.idle();
  expect(store.reader.head()).toBe(0);
});

test('a commit that takes its time lets the operations of one account keep their order', async () => {
  const { commits, heard, run } = opened({ commitMsMax: 0 });
  run(() => 'begin');
  for (const name of ['a1', 'a2', 'a3']) run(() => name, 1);
  run(() => 'b1', 2);
  await commits.idle();
  expect(heard.filter((line) => line.startsWith('reply a'))).toEqual([
    'reply a1',
    'reply a2',
    'reply a3',
  ]);
  expect(heard).toHaveLength(5);
  expect(heard.indexOf('reply b1')).toBeLessThan(heard.indexOf('reply a3'));
});

test('when a commit fails nobody is answered, nothing is broadcast and nothing more is committed', async () => {
  const fault = new Error('the disk is gone');
  const faults: unknown[] = [];
  let tries = 0;
  const { store } = opened();
  const commit = () => {
    tries += 1;
    return Promise.reject(fault);
  };
  const { heard, run } = opened({
    store: { ...store, commit },
    onFailed: (error) => faults.push(error),
  });
  run((tx) => tx.emit(EVENT));
  await new Promise((resolve) => setImmediate(resolve));
  expect(run(() => 'later')).toBe(true);
  await new Promise((resolve) => setImmediate(resolve));
  expect(faults).toEqual([fault]);
  expect(tries).toBe(1);
  expect(heard).toEqual([]);
});

test('an exception in an answer is a bug, and costs nobody else an answer or an event', async () => {
  const bug = new Error('a bug');
  const { commits, heard, bugs, run } = opened();
  commits.run(
    (tx) => tx.emit(EVENT),
    () => {
      throw bug;
    },
  );
  run(() => 'second');
  await commits.idle();
  expect(bugs).toEqual([bug]);
  expect(heard).toEqual(['reply second', 'broadcast 1']);
});

test('an exception in broadcasting is a bug, and later commits go on', async () => {
  const bug = new Error('a bug');
  const { commits, heard, bugs, run } = opened({
    broadcast: () => {
      throw bug;
    },
  });
  run((tx) => {
    tx.wakeAt(5);
    return tx.emit(EVENT);
  });
  await commits.idle();
  run((tx) => tx.emit(EVENT));
  await commits.idle();
  expect(bugs).toEqual([bug, bug]);
  expect(heard).toEqual(['reply 1', 'wake at 5', 'reply 2']);
});

test('commits are idle once all that was taken is broadcast, also what an answer asks for', async () => {
  const { commits, heard, run } = opened();
  commits.run(
    () => undefined,
    () => {
      run((tx) => tx.emit(EVENT));
    },
  );
  const waits = [commits.idle(), commits.idle()];
  await Promise.all(waits);
  expect(heard).toEqual(['reply 1', 'broadcast 1']);
  await commits.idle();
});
