import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { TABLES } from '../../storage/schema.ts';
import { openRealmStore, type RealmStore } from '../../storage/store.ts';
import type { Operation, RealmReader, RealmTransaction } from '../../storage/transaction.ts';
import type { MaterializedView, ViewKind } from '../../storage/views.ts';
import { runs } from '../support/runs.ts';
import { temporaryFolder } from '../support/scratch.ts';

/**
 * Reads and writes one table of each policy whose rows change, by one number; lists are read
 * without a cache.
 */
const ACCESS = {
  'read-mostly': {
    one: ({ channelNames }: Reads, at: number) => channelNames.get([`${at}`])?.channelId,
    all: ({ channelNames }: Reads) =>
      Array.from(channelNames.range({}), ([[at], row]): Found => [Number(at), row.channelId]),
    write: ({ channelNames }: RealmTransaction, at: number, value: number) =>
      channelNames.put([`${at}`], { channelId: value }),
    remove: ({ channelNames }: RealmTransaction, at: number) => channelNames.remove([`${at}`]),
  },
  'write-through': {
    one: ({ topics }: Reads, at: number) => topics.get([1, `${at}`])?.messageCount,
    all: ({ topics }: Reads) =>
      Array.from(topics.range({}), ([[, at], row]): Found => [Number(at), row.messageCount]),
    write: ({ topics }: RealmTransaction, at: number, value: number) =>
      topics.put([1, `${at}`], { name: '', newestMessageId: 1, messageCount: value }),
    remove: ({ topics }: RealmTransaction, at: number) => topics.remove([1, `${at}`]),
  },
};
type Found = [at: number, value: number];
type Reads = Pick<RealmReader, 'channelNames' | 'topics'>;

const PLACES = [0, 1, 2];
const step = fc.record({
  does: fc.constantFrom('write', 'remove', 'read'),
  at: fc.constantFrom(...PLACES),
  value: fc.nat(100),
});
const operation = fc.record({ steps: fc.array(step, { maxLength: 5 }), isUndone: fc.boolean() });
const UNDONE = new Error('undone');

test.each(['read-mostly', 'write-through'] as const)(
  'operations and readers see what is stored, whatever was undone: %s',
  async (policy) => {
    const { one, all, write, remove } = ACCESS[policy];
    const store = openStore();
    function compare(reads: Reads) {
      const stored = new Map(all(reads));
      expect(PLACES.map((at) => one(reads, at))).toEqual(PLACES.map((at) => stored.get(at)));
    }
    const run =
      ({ steps, isUndone }: typeof operation extends fc.Arbitrary<infer Value> ? Value : never) =>
      (tx: RealmTransaction) => {
        compare(tx);
        for (const { does, at, value } of steps) {
          if (does === 'write') write(tx, at, value);
          else if (does === 'remove') remove(tx, at);
          else compare(tx);
        }
        compare(tx);
        if (isUndone) throw UNDONE;
      };
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 6 }), async (operations) => {
        for (const outcome of await commit(store, ...operations.map(run))) {
          if ('error' in outcome && outcome.error !== UNDONE) throw outcome.error;
        }
        compare(store.reader);
      }),
      { numRuns: runs({ few: 10, all: 40 }) },
    );
  },
);

test('a commit that writes a table which decides logins changes the version of accounts, and no other', async () => {
  const store = openStore();
  const version = () => store.reader.accountsVersion();
  const before = version();
  await commit(store, (tx) =>
    tx.keyUses.put([1, 'a'], { usedAt: 1, client: '', addressClass: null }),
  );
  expect(version()).toBe(before);
  await commit(store, (tx) => tx.apiKeys.remove([1, 'a']));
  expect(version()).toBe(before + 1);
  expect(
    Object.entries(TABLES).flatMap(([name, { decidesLogins }]) => (decidesLogins ? name : [])),
  ).toEqual(['apiKeys', 'sessions', 'realm', 'users']);
});

class Silent implements MaterializedView {
  changed() {}
}
const OF_MESSAGES: ViewKind<'messages', Silent> = {
  tables: ['messages'],
  open: () => new Silent(),
};

test('a view of a table that does not say that it feeds views is not opened', async () => {
  const [outcome] = await commit(openStore(), (tx) => tx.view(OF_MESSAGES));
  expect(outcome).toEqual({ error: new Error('the table messages does not feed views') });
});

const commit = (store: RealmStore, ...operations: readonly Operation<unknown>[]) =>
  store.commit(
    () => operations,
    () => 1,
  );

function openStore(): RealmStore {
  const store = openRealmStore(temporaryFolder());
  onTestFinished(() => store.close());
  return store;
}
