import { expect, test } from 'vitest';
import { openRealmParts } from '../../../actors/realm/parts.ts';
import { realmHandle } from '../../../actors/realm/realm-handle.ts';
import type { Settled } from '../../../actors/realm/waiting-operations.ts';
import {
  ApiError,
  rateLimitHit,
  serverStopping,
  storageFull,
} from '../../../src/domain/wire/errors.ts';
import type { Operation, RealmTransaction } from '../../../storage/transaction.ts';
import { startRealmActor } from '../../support/actors/attached-queue.ts';
import { testInput } from '../../support/actors/realm-input.ts';
import { addRealm, addUser, openTestStore } from '../../support/actors/realm-store.ts';
import { ADA, EVENT } from '../../support/actors/swept-realm.ts';
import { temporaryFolder } from '../../support/scratch.ts';

/** A realm as endpoints see it, whose door the test opens. */
async function opened(write: (tx: RealmTransaction) => void = (tx) => addRealm(tx)) {
  const path = temporaryFolder();
  const before = openTestStore(path);
  await before.write(write);
  await before.close();
  const input = testInput(path);
  const parts = await openRealmParts({ ...input, owner: startRealmActor() });
  parts.door.open();
  return { parts, input };
}

/** Runs an operation and resolves with its outcome. */
const outcomeOf = (
  realm: ReturnType<typeof realmHandle>,
  operation: Operation<unknown>,
  accountId?: number,
) => new Promise<Settled<unknown>>((resolve) => realm.run(operation, resolve, accountId));

test('a realm has the id and the present name of its row', async () => {
  const { parts } = await opened((tx) => addRealm(tx, { id: 12, stringId: 'tea' }));
  const realm = realmHandle(parts);
  expect([realm.id, realm.stringId]).toEqual([12, 'tea']);
  await realm.perform((tx) => addRealm(tx, { id: 12, stringId: 'soup' }));
  expect(realm.stringId).toBe('soup');
});

test('a realm that has failed keeps its name, although its store is closed', async () => {
  const { parts } = await opened();
  const realm = realmHandle(parts);
  await realm.perform((tx) => addRealm(tx, { stringId: 'soup' }));
  expect(realm.stringId).toBe('soup');
  parts.door.close();
  await parts.close();
  expect(realm.stringId).toBe('soup');
});

test('a store without the row of a realm is none', async () => {
  const { parts } = await opened(() => undefined);
  expect(() => realmHandle(parts)).toThrow('the store holds no realm');
});

test('an operation is settled once it is committed or refused', async () => {
  const { parts } = await opened();
  const realm = realmHandle(parts);
  const refusal = new Error('no');
  expect(await outcomeOf(realm, (tx) => tx.emit(EVENT))).toEqual({ isDone: true, reply: 1 });
  expect(realm.reader.head()).toBe(1);
  const refused = await outcomeOf(realm, (tx) => {
    tx.emit(EVENT);
    throw refusal;
  });
  expect(refused).toEqual({ isDone: false, error: refusal });
  expect(await realm.perform((tx) => tx.emit(EVENT))).toBe(2);
  const performed = realm.perform(() => {
    throw refusal;
  });
  await expect(performed).rejects.toBe(refusal);
});

test('a closed realm refuses at once, and says that it can be tried again', async () => {
  const { parts } = await opened();
  const realm = realmHandle(parts);
  expect(realm.isOpen()).toBe(true);
  parts.door.close();
  expect(realm.isOpen()).toBe(false);
  const outcomes: Settled<unknown>[] = [];
  realm.run(
    () => expect.unreachable('it is closed'),
    (outcome) => outcomes.push(outcome),
  );
  expect(outcomes).toEqual([{ isDone: false, error: serverStopping() }]);
  expect(realm.closedBecause()).toEqual(serverStopping());
  await expect(realm.perform(() => undefined)).rejects.toEqual(serverStopping());
});

test('a full disk refuses at once, and reading goes on', async () => {
  const { parts, input } = await opened();
  const realm = realmHandle(parts);
  input.state.isFull = true;
  const outcome = await outcomeOf(realm, () => expect.unreachable('the disk is full'));
  expect(outcome).toEqual({ isDone: false, error: storageFull() });
  expect(realm.stringId).toBe('test');
  // A closed realm says that it is closed, be its disk full or not.
  parts.door.close();
  const closed = await outcomeOf(realm, () => undefined);
  expect(closed).toEqual({ isDone: false, error: serverStopping() });
});

test('when too many operations wait the caller is told to come back after a second', async () => {
  const { parts } = await opened();
  const accounts: (number | undefined)[] = [];
  const run: typeof parts.commits.run = (_operation, _settle, accountId) => {
    accounts.push(accountId);
    return false;
  };
  const realm = realmHandle({ ...parts, commits: { ...parts.commits, run } });
  const outcome = await outcomeOf(realm, () => undefined, ADA);
  if (outcome.isDone) expect.unreachable('it was not taken');
  expect(outcome.error).toEqual(rateLimitHit(1));
  expect((outcome.error as ApiError).extra).toEqual({ 'retry-after': 1 });
  await expect(realm.perform(() => undefined)).rejects.toBeInstanceOf(ApiError);
  await expect(realm.perform(() => undefined, ADA + 1)).rejects.toBeInstanceOf(ApiError);
  // The commits need to know whose operation it is, to give each account its share.
  expect(accounts).toEqual([ADA, undefined, ADA + 1]);
});

test('a snapshot has the rows of its moment, and so has the frozen store', async () => {
  const { parts } = await opened();
  const realm = realmHandle(parts);
  const snapshot = realm.snapshot();
  const frozen = await realm.freeze();
  await realm.perform((tx) => addUser(tx, ADA));
  const found = [realm, snapshot, frozen].map(({ reader }) => reader.users.has([ADA]));
  expect(found).toEqual([true, false, false]);
  snapshot.close();
  frozen.close();
});

test('its parts are handed on as they are, with the time of its operations', async () => {
  const { parts, input } = await opened();
  const realm = realmHandle(parts);
  expect(realm.files).toBe(input.files);
  expect(realm.space).toBe(input.space);
  expect(realm.queues).toBe(parts.queues);
  expect(realm.keyUses).toBe(parts.keyUses);
  expect(realm.describe()).toMatchObject({ channels: [], queues: [], detachedQueues: 0 });
  input.clock.advance(1_500);
  expect(realm.now()).toBe(input.clock.now());
  expect(await realm.perform((tx) => tx.now)).toBe(input.clock.now());
});
