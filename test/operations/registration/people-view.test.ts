import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { SYSTEM_USER_ID_MIN } from '../../../src/domain/rules/people/system-bots.ts';
import { Role } from '../../../src/domain/wire/roles.ts';
import { peopleView } from '../../../src/operations/registration/state/people-view.ts';
import { openRealmStore } from '../../../storage/store.ts';
import type { SubscriptionRow } from '../../../storage/tables/channels/subscriptions.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { runs } from '../../support/runs.ts';
import { makeScratch } from '../../support/scratch.ts';

const USER: UserRow = {
  id: 0,
  email: 'a@example.com',
  fullName: 'Ada',
  role: Role.member,
  isActive: true,
  botType: null,
  botOwnerId: null,
  dateJoined: 0,
  timezone: '',
  avatarVersion: 1,
  passwordHash: null,
  settings: {},
  isSystem: false,
  uploadedAvatar: null,
};

const SUBSCRIPTION: SubscriptionRow = {
  isActive: true,
  isForgotten: false,
  color: '',
  isMuted: false,
  isPinned: false,
  desktopNotifications: null,
  audibleNotifications: null,
  pushNotifications: null,
  emailNotifications: null,
  wildcardMentionsNotify: null,
  received: [],
  readThrough: 0,
};

const SHOWN = { host: 'here', form: 'plain' };
const CHANNELS = [1, 2, 3];

/** Returns the same state by the view and by the tables. */
function bothViews(tx: RealmTransaction) {
  const view = tx.view(peopleView);
  const rows = Array.from(tx.users.range({ end: [SYSTEM_USER_ID_MIN] }), ([, row]) => row);
  const active = new Set(rows.filter(({ isActive }) => isActive).map(({ id }) => id));
  const told = {
    accounts: view.accounts(),
    texts: view.accounts().map((row) => view.text(row, SHOWN, () => textOf(tx, row))),
    subscribers: CHANNELS.map((id) => JSON.parse(view.subscribers(id))),
  };
  const stored = {
    accounts: rows,
    texts: rows.map((row) => textOf(tx, row)),
    subscribers: CHANNELS.map((id) =>
      Array.from(tx.subscriptions.under([id]))
        .filter(([[, userId], { isActive }]) => isActive && active.has(userId))
        .map(([[, userId]]) => userId),
    ),
  };
  return { told, stored };
}

/** The text depends on the row and its profile, as that of a snapshot does. */
const textOf = (tx: RealmTransaction, row: UserRow) =>
  JSON.stringify([row, [...tx.profileValues.under([row.id])]]);

type Write = (tx: RealmTransaction) => void;

const userId = fc.integer({ min: 1, max: 8 });
const write: fc.Arbitrary<Write> = fc.oneof(
  fc.record({ id: userId, fullName: fc.constantFrom('Ada', 'Mel'), isActive: fc.boolean() }).map(
    (change): Write =>
      (tx) =>
        tx.users.put([change.id], { ...USER, ...change }),
  ),
  userId.map(
    (id): Write =>
      (tx) =>
        tx.users.remove([id]),
  ),
  fc
    .record({ id: userId, channelId: fc.constantFrom(...CHANNELS), isActive: fc.boolean() })
    .map(({ id, channelId, isActive }): Write => {
      return (tx) => tx.subscriptions.put([channelId, id], { ...SUBSCRIPTION, isActive });
    }),
  fc.record({ id: userId, channelId: fc.constantFrom(...CHANNELS) }).map(
    ({ id, channelId }): Write =>
      (tx) =>
        tx.subscriptions.remove([channelId, id]),
  ),
  fc.record({ id: userId, value: fc.constantFrom('a', 'b') }).map(
    ({ id, value }): Write =>
      (tx) => {
        tx.profileValues.put([id, 1], { value, renderedValue: null });
      },
  ),
  userId.map(
    (id): Write =>
      (tx) =>
        tx.profileValues.remove([id, 1]),
  ),
  // The server's own accounts do not count as accounts.
  fc.constant<Write>((tx) => tx.users.put([SYSTEM_USER_ID_MIN], { ...USER, isSystem: true })),
);

const operation = fc.record({
  writes: fc.array(write, { maxLength: 4 }),
  isLookedAt: fc.boolean(),
  isUndone: fc.boolean(),
});

test('4: what is kept of people is what the tables hold, at every point of every transaction', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), { maxLength: 5 }),
      async (batches) => {
        const directory = makeScratch();
        const store = openRealmStore(directory);
        try {
          for (const batch of batches) {
            for (const outcome of await store.commit(
              () => batch.map(run),
              () => 0,
            )) {
              if ('error' in outcome && outcome.error !== UNDONE) throw outcome.error;
            }
          }
        } finally {
          await store.close();
          rmSync(directory, { recursive: true });
        }
      },
    ),
    { numRuns: runs({ few: 8, all: 25 }) },
  );
});

const UNDONE = new Error('undone');

/**
 * Makes an operation that writes, perhaps looks, and is perhaps undone; the next operation looks
 * again.
 */
const run =
  ({ writes, isLookedAt, isUndone }: { writes: Write[]; isLookedAt: boolean; isUndone: boolean }) =>
  (tx: RealmTransaction) => {
    const before = bothViews(tx);
    expect(before.told).toEqual(before.stored);
    for (const step of writes) {
      step(tx);
      if (!isLookedAt) continue;
      const { told, stored } = bothViews(tx);
      expect(told).toEqual(stored);
    }
    if (isUndone) throw UNDONE;
  };

test('what nobody looked into for ten minutes is dropped, and made again', async () => {
  const directory = makeScratch();
  const store = openRealmStore(directory);
  onTestFinished(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });
  const seen: unknown[] = [];
  const look = (tx: RealmTransaction) => seen.push(tx.view(peopleView));
  for (const now of [0, 600_000, 1_200_001])
    await store.commit(
      () => [look],
      () => now,
    );
  expect(seen[1]).toBe(seen[0]);
  expect(seen[2]).not.toBe(seen[1]);
});
