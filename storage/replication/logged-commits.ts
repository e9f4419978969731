import { ABORT, type RootDatabase } from 'lmdb';
import { type Batch, runAll } from '../batch.ts';
import { commitFault } from '../files/commit-fault.ts';
import type { Operation, Outcome } from '../transaction.ts';
import type { Applying } from './applying.ts';
import { type CommitLog, type LoggedCommit, NotLogged, type Place } from './commit-log.ts';
import { COMMIT_BYTES_FULL, type Journal } from './journal.ts';

interface LoggedCommitsInput {
  readonly env: RootDatabase<unknown, string>;
  readonly path: string;
  readonly batch: Batch;
  readonly journal: Journal;
  readonly applying: Applying;
  readonly log: CommitLog;
}

/**
 * Commits that are in a log before they are in the store. The operations are run in a transaction
 * that is given up; what they have written is appended to the log, and then applied as on every
 * other holder of the realm. So nothing is ever in the store that is not in the log.
 *
 * The memory that transactions use (views, caches, numbers) is that of the commit from the moment
 * it was run. The next one runs when the store has it as well, so it is
 * never seen that the transaction was given up; and if the log did not take the commit, nothing is
 * run any more.
 */
export function openLoggedCommits({
  env,
  path,
  batch,
  journal,
  applying,
  log,
}: LoggedCommitsInput) {
  let broken: { readonly error: unknown } | undefined;

  /** Runs the operations, as far as they fit into a record. */
  function run(take: () => Iterable<Operation<unknown>>, now: () => number): readonly Outcome[] {
    let outcomes: readonly Outcome[] = [];
    env.transactionSync(() => {
      batch.begin(now());
      outcomes = runAll(env, batch, whileShort(take(), journal));
      batch.end();
      return ABORT;
    });
    return outcomes;
  }

  async function commit(take: () => Iterable<Operation<unknown>>, now: () => number) {
    // Operations of this turn join, as they do while LMDB begins a transaction.
    await endOfTurn();
    const outcomes = run(take, now);
    if (journal.length() === 0) return outcomes;
    const head = batch.transaction.head();
    const writes = journal.take();
    const place = await append(log, { writes, head, wakeAt: earliest(outcomes) });
    await applying.apply(writes, place).catch(async (error: unknown) => {
      throw await commitFault(error, path);
    });
    return outcomes;
  }

  return async (take: () => Iterable<Operation<unknown>>, now: () => number) => {
    if (broken !== undefined) {
      throw new NotLogged('a commit failed before this one', {
        isUnknown: false,
        cause: broken.error,
      });
    }
    try {
      return await commit(take, now);
    } catch (error) {
      broken = { error };
      throw error;
    }
  };
}

const endOfTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Ends where the commit is as large as a record should be. */
function* whileShort(operations: Iterable<Operation<unknown>>, journal: Journal) {
  for (const operation of operations) {
    yield operation;
    if (journal.bytes() >= COMMIT_BYTES_FULL) return;
  }
}

function earliest(outcomes: readonly Outcome[]): number {
  let at = Number.POSITIVE_INFINITY;
  for (const outcome of outcomes) if ('events' in outcome) at = Math.min(at, outcome.wakeAt);
  return at;
}

/** An error that does not say whether the commit is stored leaves that open. */
async function append(log: CommitLog, commit: LoggedCommit): Promise<Place> {
  try {
    return await log.append(commit);
  } catch (error) {
    if (error instanceof NotLogged) throw error;
    throw new NotLogged('it is not known whether a commit is in the log', {
      isUnknown: true,
      cause: error,
    });
  }
}
