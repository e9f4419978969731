import { onTestFinished } from 'vitest';
import { Role } from '../../../src/domain/wire/roles.ts';
import { openRealmStore, type RealmStore } from '../../../storage/store.ts';
import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmRow } from '../../../storage/tables/realm/realm.ts';
import type { Operation, RealmTransaction } from '../../../storage/transaction.ts';
import { temporaryFolder } from '../scratch.ts';
import { START_MS } from '../test-clock.ts';

/** The store of a realm without a server; it is closed when the test ends, if it is not before. */
export interface TestStore extends RealmStore {
  readonly path: string;
  readonly isClosed: boolean;
  /** Runs one operation in a commit of its own. */
  write<Reply>(operation: Operation<Reply>): Promise<Reply>;
}

/** Opens a store, by default an empty one in a new folder. */
export function openTestStore(path = temporaryFolder()): TestStore {
  const store = openRealmStore(path);
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= store.close();
    return closed;
  };
  onTestFinished(close);
  return {
    ...store,
    path,
    get isClosed() {
      return closed !== undefined;
    },
    close,
    async write<Reply>(operation: Operation<Reply>) {
      const [outcome] = await store.commit(
        () => [operation],
        () => START_MS,
      );
      if (outcome === undefined) throw new Error('nothing was run');
      if ('error' in outcome) throw outcome.error;
      return outcome.reply as Reply; // the outcome is of this very operation
    },
  };
}

/** Writes the row of the realm, without which no realm is served. */
export function addRealm(tx: RealmTransaction, changes: Partial<RealmRow> = {}) {
  tx.realm.put(['realm'], {
    id: 1,
    stringId: 'test',
    name: 'Test',
    description: '',
    dateCreated: 0,
    isActive: true,
    settings: {},
    userDefaults: {},
    deletableAt: null,
    formerStringIds: [],
    firstStringId: null,
    newsVersion: '0.1.0',
    formerIds: [],
    ...changes,
  });
}

/** Writes the row of an account. */
export function addUser(tx: RealmTransaction, id: number, changes: Partial<UserRow> = {}) {
  tx.users.put([id], {
    id,
    email: `user${id}@example.com`,
    fullName: `User ${id}`,
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
    ...changes,
  });
}

/** Subscribes a user to a channel, as far as actors read it; no event says so. */
export function subscribe(tx: RealmTransaction, userId: number, channelId: number) {
  tx.userChannels.put([userId, channelId], { isActive: true });
}

/** Writes the row of a channel, of which actors only read whether it is archived. */
export function addChannel(tx: RealmTransaction, id: number, { isArchived = false } = {}) {
  tx.channels.put([id], { id, name: `channel ${id}`, isArchived } as ChannelRow);
}
