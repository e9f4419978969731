import * as errors from '../../src/domain/wire/errors.ts';
import type { FileStore } from '../../storage/files/file-store.ts';
import type { Space } from '../../storage/files/space.ts';
import type { FrozenStore } from '../../storage/frozen-store.ts';
import type { Operation, RealmReader, RealmSnapshot } from '../../storage/transaction.ts';
import type { KeyUses } from './key-uses.ts';
import type { Queues } from './queues.ts';
import type { RealmParts } from './realm-parts.ts';
import type { Settle } from './waiting-operations.ts';

/** A realm as the endpoints see it. */
export interface Realm {
  readonly id: number;
  /** The first label of its host name, as of now. */
  readonly stringId: string;
  readonly reader: RealmReader;
  /** What is committed now, for what takes longer than a moment to read. Has to be closed. */
  snapshot(): RealmSnapshot;
  /** The same with the bytes of the store, for a backup. Has to be closed. */
  freeze(): Promise<FrozenStore>;
  /** Uploaded files. */
  readonly files: FileStore;
  readonly queues: Queues;
  /** When keys were last used, as far as that is not in the store. */
  readonly keyUses: KeyUses;
  /** On the disk that it is on. */
  readonly space: Space;
  /** UNIX milliseconds, by the clock that the realm's operations have their time from. */
  now(): number;
  /** Whether changes are taken. */
  isOpen(): boolean;
  /** What whoever comes while it is closed is told. */
  closedBecause(): errors.ApiError;
  /**
   * Joins the next commit, among the operations of this account; those that nobody is named for share a turn with what the
   * realm does by itself. `settle` is called once, when it is on disk or refused.
   */
  run<Reply>(operation: Operation<Reply>, settle: Settle<Reply>, accountId?: number): void;
  /** The same as a promise, for what is not in a hurry. */
  perform<Reply>(operation: Operation<Reply>, accountId?: number): Promise<Reply>;
}

export function realmHandle(parts: RealmParts): Realm {
  const row = parts.reader.realm.get(['realm']);
  if (row === undefined) throw new Error('the store holds no realm');
  const run: Realm['run'] = (operation, settle, accountId) => {
    if (!parts.door.isOpen()) settle({ isDone: false, error: errors.serverStopping() });
    else if (parts.space.isFull()) settle({ isDone: false, error: errors.storageFull() });
    else if (!parts.commits.run(operation, settle, accountId)) {
      settle({ isDone: false, error: errors.rateLimitHit(BUSY_SECONDS) });
    }
  };
  return {
    id: row.id,
    get stringId() {
      return parts.reader.realm.get(['realm'])?.stringId ?? row.stringId;
    },
    reader: parts.reader,
    snapshot: parts.store.snapshot,
    freeze: () => parts.store.freeze(),
    files: parts.files,
    queues: parts.queues,
    keyUses: parts.keyUses,
    space: parts.space,
    now: parts.now,
    isOpen: () => parts.door.isOpen(),
    closedBecause: errors.serverStopping,
    run,
    perform: (operation, accountId) =>
      new Promise((resolve, reject) => {
        run(
          operation,
          (outcome) => {
            if (outcome.isDone) resolve(outcome.reply);
            else reject(outcome.error);
          },
          accountId,
        );
      }),
  };
}

/** Whoever has more operations waiting than there is room for is told to come back then. */
const BUSY_SECONDS = 1;
