import { expect, onTestFinished, test } from 'vitest';
import { PeopleView, peopleView } from '../../src/operations/registration/state/people-view.ts';
import { openFollowerStore } from '../../storage/follower-store.ts';
import { openRealmStore } from '../../storage/store.ts';
import type { ToldKeys } from '../../storage/told-views.ts';
import type { Operation, RealmTransaction } from '../../storage/transaction.ts';
import { addRealm, addUser } from '../support/actors/realm-store.ts';
import { openRandom } from '../support/random.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { START_MS } from '../support/test-clock.ts';

const CHANNEL = 3;
const PEOPLE = 20;

/** A store with its writer, and what another process reads of it, told when `take` is called. */
async function opened() {
  const path = temporaryFolder();
  const told: (readonly [version: number, keys: ToldKeys])[] = [];
  const tell = (version: number, keys: ToldKeys) => void told.push([version, keys]);
  const store = openRealmStore(path, { viewFollowers: { tables: peopleView.tables, tell } });
  const write = async (...operations: readonly Operation<unknown>[]) => {
    await store.commit(
      () => operations,
      () => START_MS,
    );
  };
  await write((tx) => {
    addRealm(tx);
    for (let id = 1; id <= PEOPLE; id++) addUser(tx, id);
  });
  told.length = 0;
  const follower = openFollowerStore(path);
  onTestFinished(async () => {
    await follower.close();
    await store.close();
  });
  const { views, reader } = follower;
  return {
    write,
    told,
    views,
    take: (count = told.length) => {
      for (const one of told.splice(0, count)) views.told(...one);
    },
    use() {
      follower.refresh();
      return views.use(peopleView, START_MS);
    },
    /** Returns a view that is built of all rows. */
    whole: () => new PeopleView(reader),
    refresh: follower.refresh,
  };
}

const contents = (view: PeopleView) => ({
  accounts: view.accounts(),
  subscribers: view.subscribers(CHANNEL),
});

const subscribe =
  (userId: number, isActive: boolean): Operation<unknown> =>
  (tx) =>
    tx.subscriptions.put([CHANNEL, userId], subscription(isActive));

const subscription = (isActive: boolean) =>
  ({ isActive, readThrough: 0 }) as Parameters<RealmTransaction['subscriptions']['put']>[1]; // what the view reads

const rename =
  (id: number, fullName: string, isActive = true): Operation<unknown> =>
  (tx) => {
    const row = tx.users.get([id]) ?? expect.fail('there is no such user');
    tx.users.put([id], { ...row, fullName, isActive });
  };

test('a view is exactly what is read, whenever it hears of the commits', async () => {
  const { write, told, take, use, whole } = await opened();
  const { below } = openRandom(7);
  for (let round = 0; round < 200; round++) {
    const id = 1 + below(PEOPLE);
    if (below(2) === 0) await write(subscribe(id, below(2) === 0));
    else await write(rename(id, `round ${round}`, below(4) > 0), subscribe(id, true));
    // Most commits are told of at once, and some later than they are seen.
    take(below(3) === 0 ? below(told.length + 1) : told.length);
    if (below(2) === 0) continue;
    expect(contents(use())).toEqual(contents(whole()));
  }
});

test('a view stays the same object as long as everything is told of', async () => {
  const { write, take, use, views, refresh } = await opened();
  const first = use();
  await write(rename(1, 'Ada'));
  refresh();
  expect(views.areTold()).toBe(false);
  take();
  expect(views.areTold()).toBe(true);
  expect(use()).toBe(first);
  expect(first.account(1)?.fullName).toBe('Ada');
});

test('a view is built again when something was not told of, or is too much', async () => {
  const { write, told, take, use } = await opened();
  const first = use();
  await write(rename(1, 'Ada'));
  told.length = 0;
  await write(rename(2, 'Bea'));
  take();
  const second = use();
  expect(second).not.toBe(first);
  expect(second.account(1)?.fullName).toBe('Ada');
  expect(second.account(2)?.fullName).toBe('Bea');
  await write((tx) => {
    for (let id = 0; id < 10_001; id++) tx.subscriptions.put([CHANNEL, id], subscription(true));
  });
  expect(told.at(-1)?.[1]).toBeNull();
  take();
  expect(use()).not.toBe(second);
  expect(use().subscribers(CHANNEL).split(',')).toHaveLength(PEOPLE);
});

test('what an operation has written and taken back is not told of', async () => {
  const { write, told } = await opened();
  await write((tx) => {
    rename(1, 'Ada')(tx);
    throw new Error('it is refused');
  });
  expect(told).toEqual([]);
  await write((tx) => tx.counters.get(['counters']));
  expect(told).toEqual([]);
});

test('a view that nobody uses is dropped', async () => {
  const { use, views } = await opened();
  const first = use();
  views.dropIdle(START_MS + 599_000);
  expect(use()).toBe(first);
  views.dropIdle(START_MS + 601_000);
  expect(use()).not.toBe(first);
});
