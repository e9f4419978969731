import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { open } from 'lmdb';
import { expect, onTestFinished, test } from 'vitest';
import { Role } from '../../src/domain/wire/roles.ts';
import type { Caller } from '../../src/operations/access/caller.ts';
import * as realms from '../../src/operations/access/realms.ts';
import * as subscriptions from '../../src/operations/channels/subscriptions.ts';
import * as messages from '../../src/operations/posting/messages.ts';
import * as users from '../../src/operations/users/users.ts';
import { STORE_FILE } from '../../storage/frozen-store.ts';
import { TABLES } from '../../storage/schema.ts';
import { openRealmStore, type RealmStore } from '../../storage/store.ts';
import type { UserRow } from '../../storage/tables/people/users.ts';
import type { Operation, RealmTransaction } from '../../storage/transaction.ts';
import { PUBLIC_CHANNEL } from '../support/new-channel.ts';
import { makeScratch, temporaryFolder } from '../support/scratch.ts';
import { SITE } from '../support/site.ts';

const NOW = Date.UTC(2026, 0, 5);

test('a new store is one transaction, whatever number of tables it has, and an old one is opened without any', async () => {
  const path = temporaryFolder();
  const transactions = async () => {
    await openRealmStore(path).close();
    const env = open({ path });
    const { lastTxnId } = env.getStats() as { lastTxnId?: number }; // its type says nothing
    await env.close();
    return lastTxnId;
  };
  // Each would be synced while the other realms of the process wait.
  expect([await transactions(), await transactions()]).toEqual([1, 1]);
});

test('6: a send to a channel of 5,000 writes as many rows as one to a channel of 3', async () => {
  const store = openStore();
  const people = await run(store, (tx) => {
    realms.create(tx, { id: 1, stringId: 'test', name: 'Test' });
    return addUsers(tx, 5_000);
  });
  const [ada] = people;
  if (ada === undefined) expect.fail();
  await run(store, (tx) => subscribe(tx, ada, 'large', people));
  await run(store, (tx) => subscribe(tx, ada, 'small', people.slice(0, 3)));
  // The first message of a channel is noted on it; what follows is what every send costs.
  await run(store, (tx) => say(tx, ada, 'large', 'first'));
  await run(store, (tx) => say(tx, ada, 'small', 'first'));

  const rowsOf = async (channel: string, content: string) => {
    const before = countRows(store);
    await run(store, (tx) => say(tx, ada, channel, content));
    return difference(before, countRows(store));
  };
  const small = await rowsOf('small', 'hello');
  expect(await rowsOf('large', 'hello')).toEqual(small);
  expect(Object.values(small).reduce((sum, rows) => sum + rows)).toBeLessThan(10);
  expect(small['events']).toBe(1);

  const mention = 'hello @**User 1** and @**User 2**';
  const mentioned = await rowsOf('large', mention);
  expect(mentioned).toEqual(await rowsOf('small', mention));
  // Each of the two follows the topic, which they are told.
  expect(mentioned['events']).toBe(1 + 2 * 2);
  expect(mentioned['messageFlags']).toBe(2 + (small['messageFlags'] ?? 0));
});

test('9: an operation that throws is undone alone, its numbers and events with it', async () => {
  const store = openStore();
  await run(store, (tx) => realms.create(tx, { id: 1, stringId: 'test', name: 'Test' }));
  const [ada] = await run(store, (tx) => addUsers(tx, 1));
  if (ada === undefined) expect.fail();
  await run(store, (tx) => subscribe(tx, ada, 'general', [ada]));
  const before = countRows(store);
  const head = store.reader.head();
  const late = new Error('after everything was written');
  const outcomes = await store.commit(
    () => [
      (tx) => say(tx, ada, 'general', 'one'),
      (tx) => {
        say(tx, ada, 'general', 'two');
        throw late;
      },
      (tx) => say(tx, ada, 'general', 'three'),
    ],
    () => NOW,
  );
  expect(outcomes).toMatchObject([{ reply: { id: 1 } }, { error: late }, { reply: { id: 2 } }]);
  expect(difference(before, countRows(store))).toMatchObject({ messages: 2 });
  const contents = Array.from(store.reader.messages.range({}), ([, row]) => row.content);
  expect(contents).toEqual(['one', 'three']);
  const logged = Array.from(
    store.reader.events.range({ start: [head + 1] }),
    ([[id], { event }]) => [id - head, event.type],
  );
  expect(logged).toEqual([
    [1, 'stream'],
    [2, 'muted_topics'],
    [3, 'user_topic'],
    [4, 'message'],
    [5, 'message'],
  ]);
});

test('2: what an operation wrote and the events it named are there together after the store is opened again', async () => {
  const store = openStore();
  await run(store, (tx) => realms.create(tx, { id: 1, stringId: 'test', name: 'Test' }));
  const [ada] = await run(store, (tx) => addUsers(tx, 1));
  if (ada === undefined) expect.fail();
  await run(store, (tx) => subscribe(tx, ada, 'general', [ada]));
  await run(store, (tx) => say(tx, ada, 'general', 'kept'));
  const rows = countRows(store);
  await store.close();
  const again = openRealmStore(store.path);
  onTestFinished(() => again.close());
  expect(countRows(again)).toEqual(rows);
  const events = Array.from(again.reader.events.range({}), ([, { event }]) => event.type);
  expect(events.at(-1)).toBe('message');
});

test('the bytes of a frozen store have the rows of its moment, whatever is committed while they are read', async () => {
  const store = openStore();
  await run(store, (tx) => realms.create(tx, { id: 1, stringId: 'test', name: 'Test' }));
  const [ada = expect.fail('there is a user')] = await run(store, (tx) => addUsers(tx, 1));
  await run(store, (tx) => subscribe(tx, ada, 'general', [ada]));
  // The rows are long and gone soon, so that pages are used again and again.
  const writeALittle = async () => {
    await run(store, (tx) => say(tx, ada, 'general', 'kept '.repeat(900)));
    await run(store, (tx) => {
      for (const [id] of [...tx.events.keys({ limit: 3 })]) tx.events.remove([id]);
    });
  };
  for (let round = 0; round < 10; round++) {
    const frozen = await store.freeze();
    const copy = temporaryFolder();
    // The number of commits is fixed: a writer that never pauses makes the file grow faster than it
    // is copied.
    let commits = 0;
    for await (const chunk of frozen.chunks()) {
      appendFileSync(join(copy, STORE_FILE), chunk);
      for (; commits < 12; commits++) await writeALittle();
    }
    const opened = openRealmStore(copy);
    expect(opened.reader.head()).toBe(frozen.reader.head());
    for (const name of Object.keys(TABLES) as (keyof typeof TABLES)[]) {
      const rows = [...(opened.reader[name].range({}) as Iterable<unknown>)];
      const expected = [...(frozen.reader[name].range({}) as Iterable<unknown>)];
      expect(rows.length === expected.length && isDeepStrictEqual(rows, expected), name).toBe(true);
    }
    await opened.close();
    frozen.close();
    await writeALittle();
  }
  expect(store.reader.head()).toBeGreaterThan(100);
});

function openStore(): RealmStore & { path: string } {
  const path = makeScratch();
  const store = openRealmStore(path);
  onTestFinished(async () => {
    await store.close();
    rmSync(path, { recursive: true, force: true });
  });
  return { ...store, path };
}

async function run<Reply>(store: RealmStore, operation: Operation<Reply>): Promise<Reply> {
  const [outcome] = await store.commit(
    () => [operation],
    () => NOW,
  );
  if (outcome === undefined) throw new Error('nothing was run');
  if ('error' in outcome) throw outcome.error;
  return outcome.reply as Reply; // the outcome is of this very operation
}

const addUsers = (tx: RealmTransaction, count: number): UserRow[] =>
  Array.from({ length: count }, (_, index) =>
    users.create(
      tx,
      { email: `user${index}@example.com`, fullName: `User ${index}`, role: Role.administrator },
      SITE,
    ),
  );

const subscribe = (tx: RealmTransaction, by: UserRow, name: string, people: readonly UserRow[]) =>
  subscriptions.subscribe(tx, by, {
    channels: [{ name, description: '' }],
    principals: people,
    site: SITE,
    areRefusalsFatal: true,
    creation: PUBLIC_CHANNEL,
  });

function say(tx: RealmTransaction, user: UserRow, name: string, content: string) {
  const channelId = tx.channelNames.get([name])?.channelId ?? 0;
  const channel = tx.channels.get([channelId]);
  if (channel === undefined) throw new Error(`no channel ${name}`);
  const caller: Caller = { user, site: SITE, client: 'test' };
  const destination = { channel, topic: 'topic' };
  return messages.send(tx, caller, { destination, content, isReadBySender: true, repeatKeys: [] });
}

type Counts = Record<string, number>;

function countRows({ reader }: RealmStore): Counts {
  const counts: Counts = {};
  for (const name of Object.keys(TABLES) as (keyof typeof TABLES)[]) {
    const keys: Iterable<unknown> = reader[name].keys({});
    counts[name] = Array.from(keys).length;
  }
  return counts;
}

const difference = (before: Counts, after: Counts): Counts =>
  Object.fromEntries(
    Object.entries(after)
      .map(([name, count]): [string, number] => [name, count - (before[name] ?? 0)])
      .filter(([, count]) => count !== 0),
  );
