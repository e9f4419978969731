import * as errors from '../../src/domain/errors.ts';
import type { FileStore } from '../../storage/file-store.ts';
import type { Operation, RealmReader, RealmSnapshot } from '../../storage/realm-store.ts';
import type { Settle } from './commits.ts';
import type { Queues } from './queues.ts';
import type { RealmParts } from './realm-parts.ts';

/** A realm as the endpoints see it. */
export interface Realm {
  readonly id: number;
  /** The first label of its host name, as of now. */
  readonly stringId: string;
  readonly reader: RealmReader;
  /** What is committed now, for what takes longer than a moment to read. Has to be closed. */
  snapshot(): RealmSnapshot;
  /** Uploaded files. */
  readonly files: FileStore;
  readonly queues: Queues;
  /** UNIX milliseconds, by the clock that the realm's operations have their time from. */
  now(): number;
  /** Whether changes are taken. */
  isOpen(): boolean;
  /** Joins the next commit. `settle` is called once, when it is on disk or refused; never before this returns. */
  run<Reply>(operation: Operation<Reply>, settle: Settle<Reply>): void;
  /** The same as a promise, for what is not in a hurry. */
  perform<Reply>(operation: Operation<Reply>): Promise<Reply>;
}

export function realmHandle(parts: RealmParts): Realm {
  const row = parts.reader.realm.get(['realm']);
  if (row === undefined) throw new Error('the store holds no realm');
  const run: Realm['run'] = (operation, settle) => {
    if (parts.door.isOpen() && parts.commits.run(operation, settle)) return;
    settle({ isDone: false, error: errors.serverStopping() });
  };
  return {
    id: row.id,
    get stringId() {
      return parts.reader.realm.get(['realm'])?.stringId ?? row.stringId;
    },
    reader: parts.reader,
    snapshot: parts.store.snapshot,
    files: parts.files,
    queues: parts.queues,
    now: parts.now,
    isOpen: () => parts.door.isOpen(),
    run,
    perform: (operation) =>
      new Promise((resolve, reject) => {
        run(operation, (outcome) => {
          if (outcome.isDone) resolve(outcome.reply);
          else reject(outcome.error);
        });
      }),
  };
}
