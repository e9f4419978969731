import type { BackgroundTurns } from '../../src/domain/background-turns.ts';
import type { ApiError } from '../../src/domain/wire/errors.ts';
import type { LogEntry } from '../../src/domain/wire/events/log-entry.ts';
import { type RealmRecord, recordEvent } from '../../src/metrics/recorders.ts';
import type { Space } from '../../storage/files/space.ts';
import type { RealmStore } from '../../storage/store.ts';
import type { Operation, Outcome } from '../../storage/transaction.ts';
import type { Clock } from '../clock.ts';
import type { TurnWork } from './turns.ts';
import { Waiting } from './waiting.ts';
import { type Job, OF_NO_ACCOUNT, type Settle } from './waiting-operations.ts';

/**
 * The write order of a realm. Operations that arrive during a commit share the next one, as far as
 * they fit into its bound in milliseconds; if they do not, the accounts that wait share it, and the
 * operations of one account keep their order. After a commit the callers are answered first, in
 * order, and then its events are broadcast, in order.
 */
export interface Commits {
  /** Returns false if too many wait, in all or of this account, or the disk is full. */
  run<Reply>(operation: Operation<Reply>, settle: Settle<Reply>, accountId?: number): boolean;
  /** Returns false if too many works wait, or the disk is full. Settles with all replies. */
  runInTurns<Reply>(work: TurnWork<Reply>, settle: Settle<readonly Reply[]>): boolean;
  /** Resolves when everything taken so far is committed and broadcast. */
  idle(): Promise<void>;
  /** Tells whether a commit has failed, and operations are refused since. */
  hasFailed(): boolean;
  /** Returns how many operations wait for the next commit. */
  waiting(): number;
  /** Returns for how many milliseconds a commit has been under way; 0 if none is. */
  underWayMs(): number;
}

export interface CommitsInput {
  readonly store: RealmStore;
  readonly clock: Clock;
  /** The time in which a commit takes operations, in milliseconds. */
  readonly commitMsMax: number;
  /** UNIX milliseconds of the newest commit of another process, whose clock may be ahead. */
  readonly notBefore?: number | undefined;
  readonly space: Space;
  readonly record: RealmRecord;
  /** The turns that wait for commits without an operation of long work. */
  readonly background: BackgroundTurns;
  readonly broadcast: (events: readonly LogEntry[]) => void;
  /** An operation stored something that is due at this time (UNIX milliseconds). */
  readonly onWakeAt: (at: number) => void;
  /** These queues are no longer stored. They end before the events are broadcast. */
  readonly onQueuesEnded: (ids: readonly string[]) => void;
  /** The commit did not reach the disk. */
  readonly onFailed: (error: unknown) => void;
  /**
   * In a process that goes on without the realm then: the refusal of those who wait. It is not
   * known whether the operations of the commit are stored.
   */
  readonly refusal?: (() => ApiError) | undefined;
  /** Answering or broadcasting threw: a bug. */
  readonly onBug: (error: unknown) => void;
}

export function openCommits(input: CommitsInput): Commits {
  const { store, clock, space, record } = input;
  const waiting = new Waiting(input.commitMsMax);
  const underWay = openUnderWay(input.background);
  const beginTime = risingTime(clock, input.notBefore);
  let hasFailed = false;
  const idle = openIdle(() => !underWay.isAny() && waiting.size === 0);
  const guarded = guardedBy(input.onBug);

  /** Begins a commit once there is an operation for it. */
  function goOn() {
    if (underWay.isAny()) return;
    if (waiting.isReady) return start();
    void waiting.turn()?.then(goOn);
    idle.wake();
  }

  function start() {
    const begunAtMs = underWay.begin({ isShort: !waiting.isLong });
    const batch: Job[] = [];
    store
      .commit(
        () => waiting.takeInto(batch),
        beginTime,
        (outcomes) => waiting.nextIn(batch, { outcomes, begunAtMs }),
      )
      .then(
        (outcomes) => finish(batch, outcomes),
        (error) => fail(batch, error),
      );
  }

  function fail(batch: Job[], error: unknown) {
    input.onFailed(error);
    if (input.refusal === undefined) return;
    hasFailed = true;
    const { refusal } = input;
    for (const { settle } of [...batch, ...waiting.takeAll()]) refuse(settle, refusal());
    underWay.end();
    idle.wake();
  }

  function refuse(settle: Settle<never>, error: ApiError) {
    record.operationsRefused += 1;
    guarded(() => settle({ isDone: false, error }));
  }

  function finish(batch: readonly Job[], outcomes: readonly Outcome[]) {
    record.commitMs.record(underWay.ms());
    record.commitOperations.record(batch.length);
    tell(batch, outcomes, { ...input, guarded });
    for (const settle of waiting.takeDone(outcomes)) guarded(settle);
    underWay.end();
    goOn();
  }

  function enter(settle: Settle<never>, add: () => boolean): boolean {
    if (hasFailed && input.refusal !== undefined) refuse(settle, input.refusal());
    else if (space.isFull() || !add()) {
      record.operationsNotTaken += 1;
      return false;
    } else goOn();
    return true;
  }

  return {
    run: (operation, settle, accountId = OF_NO_ACCOUNT) =>
      enter(settle, () => {
        // Reply and settle are of one call.
        const job = { accountId, operation, settle: settle as Settle<unknown> };
        if (!waiting.add(job)) return false;
        if (accountId !== OF_NO_ACCOUNT) record.accountOperations += 1;
        return true;
      }),
    runInTurns: (work, settle) => enter(settle, () => waiting.addTurns(work, settle)),
    hasFailed: () => hasFailed,
    waiting: () => waiting.operations,
    underWayMs: underWay.ms,
    idle: idle.wait,
  };
}

/** Holds those who wait until nothing is left to do. */
function openIdle(isIdle: () => boolean) {
  const waiters: (() => void)[] = [];
  return {
    wait: (): Promise<void> =>
      isIdle() ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve)),
    /** Wakes them if nothing is left. */
    wake() {
      if (isIdle()) for (const wake of waiters.splice(0)) wake();
    },
  };
}

/** Tells of the commit under way. `begin` returns its time, by `performance.now()`. */
function openUnderWay(background: BackgroundTurns) {
  let begunAtMs: number | null = null;
  let isCounted = false;
  return {
    begin({ isShort }: { readonly isShort: boolean }): number {
      isCounted = isShort;
      if (isCounted) background.beginCommit();
      begunAtMs = performance.now();
      return begunAtMs;
    },
    end() {
      if (isCounted) background.endCommit();
      begunAtMs = null;
    },
    isAny: () => begunAtMs !== null,
    /** For how long it has been under way; 0 if none is. */
    ms: () => (begunAtMs === null ? 0 : performance.now() - begunAtMs),
  };
}

/** An exception in one caller's answer must not cost another caller theirs. */
const guardedBy = (onBug: (error: unknown) => void) => (act: () => void) => {
  try {
    act();
  } catch (error) {
    onBug(error);
  }
};

/** Times follow the order of the commits, so they never run backwards as a wall clock may. */
function risingTime(clock: Clock, notBefore = 0): () => number {
  let last = notBefore;
  return () => {
    last = Math.max(last, clock.now());
    return last;
  };
}

type Told = Pick<CommitsInput, 'record' | 'onQueuesEnded' | 'broadcast' | 'onWakeAt'> & {
  readonly guarded: (act: () => void) => void;
};

/** Answers the callers, and then tells of the events, each in order. */
function tell(
  batch: readonly Job[],
  outcomes: readonly Outcome[],
  { record, onQueuesEnded, broadcast, onWakeAt, guarded }: Told,
) {
  const events: LogEntry[] = [];
  const endedQueues: string[] = [];
  let wakeAt = Number.POSITIVE_INFINITY;
  for (let index = 0; index < batch.length; index++) {
    const outcome = outcomes[index];
    const job = batch[index];
    if (outcome === undefined || job === undefined) continue;
    if ('events' in outcome) {
      record.operationsDone += 1;
      for (const event of outcome.events) {
        events.push(event);
        noteEvent(record, event);
      }
      wakeAt = Math.min(wakeAt, outcome.wakeAt);
      endedQueues.push(...outcome.endedQueues);
    } else record.operationsRefused += 1;
    guarded(() => settle(job, outcome));
  }
  if (endedQueues.length > 0) guarded(() => onQueuesEnded(endedQueues));
  if (events.length > 0) guarded(() => broadcast(events));
  if (wakeAt < Number.POSITIVE_INFINITY) guarded(() => onWakeAt(wakeAt));
}

function settle(job: Job, outcome: Outcome) {
  if ('error' in outcome) job.settle({ isDone: false, error: outcome.error });
  else job.settle({ isDone: true, reply: outcome.reply });
}

function noteEvent(record: RealmRecord, { event }: LogEntry) {
  recordEvent(record, event.type);
  if (event.type !== 'message') return;
  if (event.message.type === 'stream') record.channelMessages += 1;
  else record.directMessages += 1;
}
