import { expect, onTestFinished, test } from 'vitest';
import type { Attempt, Fate } from '../../../src/cluster/log/memory/faults.ts';
import { openMemoryCluster } from '../../../src/cluster/log/memory/memory-cluster.ts';
import { fill, follow, later, newRecord } from '../../support/cluster/log/records.ts';
import { testClock } from '../../support/test-clock.ts';

async function opened() {
  const clock = testClock();
  const cluster = openMemoryCluster(clock);
  const [a, b] = [cluster.openNode('a'), cluster.openNode('b')];
  const [ofA, ofB] = [await a.openLog(0), await b.openLog(0)];
  /** Lets time pass, and all that waits for it happen. */
  async function pass(ms: number) {
    for (let left = ms; left > 0; left -= 500) {
      await settle();
      clock.advance(Math.min(left, 500));
    }
    await settle();
  }
  return { cluster, clock, a, b, ofA, ofB, pass };
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Keeps what a promise becomes. */
function outcomeOf<Value>(promise: Promise<Value>) {
  const kept: { value?: Value | string } = {};
  promise.then(
    (value) => {
      kept.value = value;
    },
    (error: Error) => {
      kept.value = error.name;
    },
  );
  return kept;
}

/** Returns a hook that gives the attempts these fates in turn, and the attempts that it saw. */
function fates(...list: readonly Fate[]) {
  const attempts: Attempt[] = [];
  const onAttempt = (attempt: Attempt) => list[attempts.push(attempt) - 1] ?? 'arrives';
  return { attempts, onAttempt };
}

test('an append that is lost on its way, or whose answer is, is repeated with the same id', async () => {
  const { cluster, a, ofA, pass } = await opened();
  const { attempts, onAttempt } = fates('lost', 'unanswered', 'lost');
  a.faults.onAttempt = onAttempt;
  const outcome = outcomeOf(ofA.append(newRecord(0)));
  await pass(3_000);
  expect(outcome.value).toBeUndefined();
  expect(cluster.recordsOf(0)).toHaveLength(1);
  await pass(3_000);
  expect(outcome.value).toBe('stored');
  expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  expect(new Set(attempts.map(({ record }) => record.id)).size).toBe(1);
  expect(cluster.recordsOf(0)).toHaveLength(1);
});

test('after 12 seconds without an answer an append gives up', async () => {
  const { a, ofA, pass } = await opened();
  a.cut('both');
  expect(a.isConnected()).toBe(false);
  const outcome = outcomeOf(ofA.append(newRecord(0)));
  await pass(11_500);
  expect(outcome.value).toBeUndefined();
  await pass(1_000);
  expect(outcome.value).toBe('LogUnreachableError');
});

test('an append that was cut off is stored once the way is healed', async () => {
  const { a, ofA, pass } = await opened();
  a.cut('requests');
  const outcome = outcomeOf(ofA.append(newRecord(0)));
  await pass(4_000);
  a.heal();
  await pass(2_000);
  expect(outcome.value).toBe('stored');
});

test('a node whose answers are cut stores, does not learn of it, and then does', async () => {
  const { cluster, a, ofA, ofB, pass } = await opened();
  a.cut('answers');
  const outcome = outcomeOf(ofA.append(newRecord(0)));
  await pass(1_000);
  expect(cluster.recordsOf(0)).toHaveLength(1);
  const second = outcomeOf(ofB.append(newRecord(1)));
  await pass(2_000);
  expect([outcome.value, second.value]).toEqual([undefined, 'stored']);
  a.heal();
  await pass(2_000);
  expect(outcome.value).toBe('stored');
});

test('an append that is held up is refused if another one came first', async () => {
  const { a, ofA, ofB, pass } = await opened();
  const held = later<Fate>();
  a.faults.onAttempt = ({ number }) => (number === 1 ? held.promise : 'arrives');
  const slow = outcomeOf(ofA.append(newRecord(0)));
  const quick = outcomeOf(ofB.append(newRecord(0)));
  await pass(500);
  expect([slow.value, quick.value]).toEqual([undefined, 'stored']);
  held.resolve('arrives');
  await pass(500);
  expect(slow.value).toBe('refused');
});

test('a request that is under way is stored though its sender was closed', async () => {
  const { cluster, a, ofA, pass } = await opened();
  const held = later<Fate>();
  a.faults.onAttempt = () => held.promise;
  const outcome = outcomeOf(ofA.append(newRecord(0)));
  await pass(500);
  await a.close();
  await pass(500);
  expect(outcome.value).toBe('ClusterClosedError');
  held.resolve('arrives');
  await pass(500);
  expect(cluster.recordsOf(0)).toHaveLength(1);
});

test('an answer can be held up, and a refusal made up', async () => {
  const { cluster, a, ofA, pass } = await opened();
  const held = later<void>();
  a.faults.onAnswer = () => held.promise;
  const outcome = outcomeOf(ofA.append(newRecord(0)));
  await pass(1_000);
  expect([outcome.value, cluster.recordsOf(0).length]).toEqual([undefined, 1]);
  held.resolve();
  await pass(500);
  expect(outcome.value).toBe('stored');
  a.faults.onAttempt = () => 'refused';
  const refused = outcomeOf(ofA.append(newRecord(1)));
  await pass(500);
  expect([refused.value, cluster.recordsOf(0).length]).toEqual(['refused', 1]);
});

test('the log knows an id for two minutes, and takes it for a new one afterwards', async () => {
  const { ofA, pass } = await opened();
  const record = newRecord(0);
  await fillOne();
  await pass(119_000);
  expect(await ofA.append({ ...record, expected: 1 })).toBe('refused');
  await pass(2_000);
  expect(await ofA.append({ ...record, expected: 1 })).toBe('stored');

  async function fillOne() {
    expect(await ofA.append(record)).toBe('stored');
  }
});

test('a reader that is cut off reads on, without gaps, when the way is healed', async () => {
  const { b, ofA, ofB } = await opened();
  const reader = follow(ofB);
  await fill(ofA, 2);
  await settle();
  b.cut('answers');
  await fill(ofA, 3);
  await settle();
  expect(reader.sequences()).toEqual([1, 2]);
  b.heal();
  await settle();
  expect(reader.sequences()).toEqual([1, 2, 3, 4, 5]);
});

test('records reach a reader as late as a test wants', async () => {
  const { b, ofA, ofB } = await opened();
  const held = later<void>();
  b.faults.onRecord = (_, sequence) => (sequence === 2 ? held.promise : undefined);
  const reader = follow(ofB);
  await fill(ofA, 3);
  await settle();
  expect(reader.sequences()).toEqual([1]);
  held.resolve();
  await settle();
  expect(reader.sequences()).toEqual([1, 2, 3]);
});

test('readers learn that the log lost records which they have, and others do not', async () => {
  const { cluster, ofA, ofB, b } = await opened();
  await fill(ofA, 5);
  const ahead = follow(ofA);
  b.faults.onRecord = (_, sequence) => (sequence > 2 ? new Promise(() => {}) : undefined);
  const behind = follow(ofB);
  await settle();
  cluster.cutBack(0, 2);
  await settle();
  expect(ahead.errors.map(({ message }) => message)).toEqual([
    'The log ends with record 3, and 6 is next',
  ]);
  expect(behind.errors).toEqual([]);
});

test('a reader that was cut off learns that the log has another record in its place', async () => {
  const { cluster, a, ofA, ofB } = await opened();
  await fill(ofA, 5);
  const reader = follow(ofA);
  await settle();
  a.cut('both');
  cluster.cutBack(0, 2);
  await fill(ofB, 4);
  a.heal();
  await settle();
  expect(reader.sequences()).toEqual([1, 2, 3, 4, 5]);
  expect(reader.errors.map(({ message }) => message)).toEqual([
    'The log has another record 5 than it had',
  ]);
});

test('messages are lost, late, or come twice, as a test wants', async () => {
  const { a, b, pass } = await opened();
  const heard: string[] = [];
  onTestFinished(b.bus.subscribe('test', (body) => heard.push(Buffer.from(body).toString())));
  const delays: Record<string, number[]> = { lost: [], late: [1_000], twice: [0, 0] };
  a.faults.onMessage = ({ body }) => delays[Buffer.from(body).toString()] ?? [0];
  for (const text of ['lost', 'late', 'twice', 'whole']) a.bus.publish('test', Buffer.from(text));
  await pass(500);
  expect(heard).toEqual(['twice', 'twice', 'whole']);
  await pass(1_000);
  expect(heard).toEqual(['twice', 'twice', 'whole', 'late']);
});

test.each([
  ['requests', 0],
  ['answers', 1],
] as const)('a request whose %s are cut was carried out %i times', async (cut, times) => {
  const { a, b, pass } = await opened();
  let count = 0;
  b.bus.serve('test', async (body) => {
    count += 1;
    return body;
  });
  a.cut(cut);
  const outcome = outcomeOf(a.bus.ask('test', Buffer.from('?'), 2_000));
  await pass(1_500);
  expect(outcome.value).toBeUndefined();
  await pass(1_000);
  expect([outcome.value, count]).toEqual(['NoAnswerError', times]);
});

test('a node that is cut off gets what became of the values when the way is healed', async () => {
  const { a, b, pass } = await opened();
  const seen: [string, string | undefined][] = [];
  await b.values.watch((key, value) => {
    seen.push([key, value && Buffer.from(value).toString()]);
  });
  await a.values.put('one', Buffer.from('1'));
  b.cut('both');
  const got = outcomeOf(b.values.get('one'));
  await a.values.put('two', Buffer.from('2'));
  await a.values.put('two', Buffer.from('22'));
  await a.values.remove('one');
  await pass(6_000);
  expect(got.value).toBe('LogUnreachableError');
  expect(seen).toEqual([['one', '1']]);
  b.heal();
  expect(seen).toEqual([
    ['one', '1'],
    ['two', '22'],
    ['one', undefined],
  ]);
});
