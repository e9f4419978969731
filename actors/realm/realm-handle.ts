import * as errors from '../../src/domain/wire/errors.ts';
import type { FileStore } from '../../storage/files/file-store.ts';
import type { Space } from '../../storage/files/space.ts';
import type { FrozenStore } from '../../storage/frozen-store.ts';
import type { Operation, RealmReader, RealmSnapshot } from '../../storage/transaction.ts';
import type { Census, Sizes } from './census.ts';
import type { Holds } from './holds.ts';
import type { KeyUses } from './key-uses.ts';
import type { RealmParts } from './parts.ts';
import type { Queues } from './queues.ts';
import { describeRealm, programsOfPolls, type RealmTree, type TreeBounds } from './realm-tree.ts';
import type { Registrar } from './registrar.ts';
import type { TurnWork } from './turns.ts';
import type { Settle } from './waiting-operations.ts';

/** A realm, as the endpoints see it. */
export interface Realm {
  readonly id: number;
  /** The first label of its present host name. */
  readonly stringId: string;
  readonly reader: RealmReader;
  /** Freezes the committed state for a longer read. The caller has to close it. */
  snapshot(): RealmSnapshot;
  /** Freezes the bytes of the store as well, for a backup. The caller has to close it. */
  freeze(): Promise<FrozenStore>;
  /** The uploaded files. */
  readonly files: FileStore;
  readonly queues: Queues;
  /** The queues whose consumers are at other processes. */
  readonly holds: Holds;
  /** Everything up to this event was announced: later ones go to all followers. */
  announced(): number;
  /** A process that read the store may have been killed. */
  forgetDeadReaders(): void;
  /** Emits a heartbeat, as consumers at another process have waited for long. */
  beat(): void;
  /** Registers clients in a process that only reads; null in one that writes. */
  readonly registrar: Registrar | null;
  /** The latest uses of keys, which are not in the store yet. */
  readonly keyUses: KeyUses;
  /** The space on the realm's disk. */
  readonly space: Space;
  /** Returns UNIX milliseconds, by the clock of the realm's operations. */
  now(): number;
  /** Describes the running actors to operators; by default all of them. */
  describe(bounds?: TreeBounds): RealmTree;
  /** Returns the programs of up to `max` waiting polls, as `name/version`. */
  programsOfPolls(max: number): string[];
  /** Notes for the metrics how long (ms) a search has taken. */
  noteSearch(ms: number): void;
  /** Notes for operators that the password of an account counts no more after wrong codes. */
  noteLocked(userId: number): void;
  /** Returns sizes for the metrics; asking costs the same however many queues there are. */
  measure(): RealmMeasures;
  /** Tells whether the realm takes changes. */
  isOpen(): boolean;
  /** Returns the refusal for requests that come while it is closed. */
  closedBecause(): errors.ApiError;
  /**
   * Joins the next commit, among the operations of this account. Operations of no account share a
   * turn with those of the realm itself. Calls `settle` once, when it is on disk or refused.
   */
  run<Reply>(operation: Operation<Reply>, settle: Settle<Reply>, accountId?: number): void;
  /** Does the same with a promise, for callers that are in no hurry. */
  perform<Reply>(operation: Operation<Reply>, accountId?: number): Promise<Reply>;
  /** Does long work of the realm itself, and resolves with all replies when it is on disk. */
  performInTurns<Reply>(work: TurnWork<Reply>): Promise<readonly Reply[]>;
}

export interface RealmMeasures {
  readonly operationsWaiting: number;
  readonly commitUnderWayMs: number;
  readonly queuesAttached: number;
  readonly queuesDetached: number;
  readonly logBytes: number;
  /** UNIX milliseconds. */
  readonly logOldestAt: number | null;
  readonly sizes: Sizes;
  readonly usersActive: ReturnType<Census['usersActive']>;
  readonly oldestReaderMs: number;
}

export function realmHandle(parts: RealmParts): Realm {
  const row = parts.reader.realm.get(['realm']);
  if (row === undefined) throw new Error('the store holds no realm');
  let { stringId } = row;
  const enter = (settle: Settle<never>, isTaken: () => boolean) => {
    if (!parts.door.isOpen()) settle({ isDone: false, error: errors.serverStopping() });
    else if (parts.space.isFull()) settle({ isDone: false, error: errors.storageFull() });
    else if (!isTaken()) settle({ isDone: false, error: errors.rateLimitHit(BUSY_SECONDS) });
  };
  const run: Realm['run'] = (given, settle, accountId) => {
    const operation = accountId === undefined ? given : actedBy(accountId, given);
    enter(settle, () => parts.commits.run(operation, settle, accountId));
  };
  return {
    id: row.id,
    get stringId() {
      // The store of a realm that has failed may be closed.
      if (parts.door.isOpen()) stringId = parts.reader.realm.get(['realm'])?.stringId ?? stringId;
      return stringId;
    },
    reader: parts.reader,
    snapshot: parts.store.snapshot,
    freeze: () => parts.store.freeze(),
    files: parts.files,
    queues: parts.queues,
    holds: parts.holds,
    announced: parts.fanOut.head,
    beat: parts.housekeeping.beat,
    forgetDeadReaders() {
      if (parts.door.isOpen()) parts.store.forgetDeadReaders();
    },
    registrar: null,
    keyUses: parts.keyUses,
    space: parts.space,
    now: parts.now,
    describe: (bounds) => describeRealm(parts, bounds, parts.followers?.trees() ?? []),
    programsOfPolls(max) {
      const elsewhere = parts.followers?.trees().flatMap(({ programs }) => programs) ?? [];
      return [...programsOfPolls(parts, max), ...elsewhere].slice(0, max);
    },
    noteSearch: (ms) => parts.record.searchMs.record(ms),
    noteLocked(userId) {
      parts.record.secondStepsLocked += 1;
      parts.onSecondStepLocked?.(userId);
    },
    measure: () => measures(parts),
    isOpen: () => parts.door.isOpen(),
    closedBecause: errors.serverStopping,
    run,
    perform: (operation, accountId) => settled((settle) => run(operation, settle, accountId)),
    performInTurns: (work) =>
      settled((settle) => enter(settle, () => parts.commits.runInTurns(work, settle))),
  };
}

const settled = <Reply>(begin: (settle: Settle<Reply>) => void): Promise<Reply> =>
  new Promise((resolve, reject) => {
    begin((outcome) => {
      if (outcome.isDone) resolve(outcome.reply);
      else reject(outcome.error);
    });
  });

/** The audit log says that the account has done what its operation does. */
const actedBy =
  <Reply>(accountId: number, operation: Operation<Reply>): Operation<Reply> =>
  (tx) => {
    tx.actAs(accountId);
    return operation(tx);
  };

function measures(parts: RealmParts): RealmMeasures {
  const { commits, fanOut, queues, holds, store, housekeeping, census } = parts;
  const queuesAttached = fanOut.attachedCount() + holds.count();
  return {
    operationsWaiting: commits.waiting(),
    commitUnderWayMs: commits.underWayMs(),
    queuesAttached,
    queuesDetached: queues.all().size - queuesAttached,
    logBytes: store.logBytes(),
    logOldestAt: housekeeping.logOldestAt(),
    sizes: census.sizes(),
    usersActive: census.usersActive(),
    oldestReaderMs: census.oldestReaderMs(),
  };
}

/** An account with too many waiting operations is told to come back after this time. */
const BUSY_SECONDS = 1;
