import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { openRealmStore, type RealmStore } from '../../storage/store.ts';
import type { Operation } from '../../storage/transaction.ts';
import { temporaryFolder } from '../support/scratch.ts';

const NOW = Date.UTC(2026, 0, 5);

/**
 * An action uses a table that is read as it is stored, one whose rows are kept decoded, or a
 * counter.
 */
const action = fc.record({
  does: fc.constantFrom('note', 'rename', 'forget', 'draw', 'number', 'emit', 'wake', 'end'),
  at: fc.nat(3),
});
const script = fc.record({
  actions: fc.array(action, { maxLength: 6 }),
  /** The number of the action before which it throws. */
  fails: fc.option(fc.nat(6), { nil: Number.POSITIVE_INFINITY, freq: 2 }),
});
type Script = typeof script extends fc.Arbitrary<infer Value> ? Value : never;

/**
 * Makes an operation that writes and answers with everything it reads, so that anything left over
 * by an earlier operation shows.
 */
const operationOf =
  ({ actions, fails }: Script): Operation<unknown> =>
  (tx) => {
    const seen: unknown[] = [];
    for (const [index, { does, at }] of actions.entries()) {
      if (index === fails) throw new Error(`before action ${index}`);
      const known = tx.channelNames.get([`${at}`])?.channelId ?? 0;
      seen.push(known, tx.contentIndex.has([1, at, known]), tx.head(), tx.lastId('draft'));
      if (does === 'note') tx.contentIndex.put([1, at, known], {});
      if (does === 'rename') tx.channelNames.put([`${at}`], { channelId: known + 1 });
      if (does === 'forget') tx.channelNames.remove([`${at}`]);
      if (does === 'draw') seen.push(tx.nextId('draft'));
      if (does === 'number') seen.push(tx.nextId('message'));
      if (does === 'emit') tx.emit({ event: { type: 'heartbeat' }, audience: { everyone: true } });
      if (does === 'wake') tx.wakeAt(NOW + at);
      if (does === 'end') tx.endQueue(`${at}`);
    }
    if (fails === actions.length) throw new Error('at the end');
    return seen;
  };

test('9: operations that share a commit leave and answer what they would by themselves, whenever some of them throw', async () => {
  const [together, alone] = [openStore(), openStore()];
  await fc.assert(
    fc.asyncProperty(fc.array(script, { minLength: 1, maxLength: 70 }), async (scripts) => {
      const operations = scripts.map(operationOf);
      const outcomes = await commit(together, operations);
      const expected = [];
      for (const operation of operations) expected.push(...(await commit(alone, [operation])));
      expect(outcomes).toEqual(expected);
      expect(contentsOf(together)).toEqual(contentsOf(alone));
    }),
    { numRuns: 25 },
  );
});

test('an operation is run once, unless another of its group fails when it has written', async () => {
  const store = openStore();
  const runs = async (fail: Operation<unknown>) => {
    let count = 0;
    await commit(store, [
      (tx) => {
        count += 1;
        tx.nextId('draft');
      },
      fail,
    ]);
    return count;
  };
  const early = runs((tx) => {
    tx.nextId('message');
    throw new Error('refused');
  });
  expect(await early).toBe(1);
  const late = runs((tx) => {
    tx.nextId('draft');
    throw new Error('after it has written');
  });
  expect(await late).toBe(2);
  expect(contentsOf(store).sequences).toEqual([[['draft'], { last: 2 }]]);
  expect(store.reader.counters.get(['counters'])).toBeUndefined();
});

const commit = (store: RealmStore, operations: readonly Operation<unknown>[]) =>
  store.commit(
    () => operations,
    () => NOW,
  );

const contentsOf = ({ reader }: RealmStore) => ({
  names: [...reader.channelNames.range({})],
  content: [...reader.contentIndex.keys({})],
  sequences: [...reader.sequences.range({})],
  counters: reader.counters.get(['counters']),
  events: [...reader.events.range({})],
});

function openStore(): RealmStore {
  const store = openRealmStore(temporaryFolder());
  onTestFinished(() => store.close());
  return store;
}
