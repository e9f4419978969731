import { FairQueue } from '../../src/domain/fair-queue.ts';
import {
  OPERATIONS_OF_ACCOUNT_MAX,
  OPERATIONS_PER_COMMIT_MAX,
  OPERATIONS_WAITING_MAX,
} from '../../src/domain/limits/turns.ts';
import type { Operation } from '../../storage/transaction.ts';

/** Called once: the operation's commit is on disk, or the operation was refused. */
export type Settle<Reply> = (outcome: Settled<Reply>) => void;
export type Settled<Reply> =
  | { readonly isDone: true; readonly reply: Reply }
  | { readonly isDone: false; readonly error: unknown };

export interface Job {
  readonly accountId: number;
  readonly operation: Operation<unknown>;
  readonly settle: Settle<unknown>;
}

/**
 * The account that stands for the realm's own operations (its scheduler, its housekeeping) and for
 * strangers.
 */
export const OF_NO_ACCOUNT = 0;

/**
 * The operations that wait for the next commit of a realm. Nearly always all of them fit into it,
 * in the order in which they came. If they take longer than a commit may, the accounts take turns
 * until nobody waits.
 */
export class WaitingOperations {
  private arrived: Job[] = [];
  /** The operations that did not fit, and while there are any, those that come. */
  private readonly shared = new FairQueue<number, Job>();

  private readonly commitMsMax: number;

  /** Takes the time, in milliseconds, in which a commit takes operations. */
  constructor(commitMsMax: number) {
    this.commitMsMax = commitMsMax;
  }

  get size(): number {
    return this.arrived.length + this.shared.size;
  }

  /** Returns false, and takes nothing, if too many wait, in all or of this account. */
  add(job: Job): boolean {
    if (this.size >= OPERATIONS_WAITING_MAX) return false;
    if (this.shared.size === 0) this.arrived.push(job);
    else if (this.isOneTooMany(job)) return false;
    else this.shared.push(job.accountId, job);
    return true;
  }

  /**
   * Takes the operations of a commit while it has time, each when the one before it is done, and
   * notes them in `batch`. Those that the commit does not ask for wait on.
   */
  *takeInto(batch: Job[]): Iterable<Operation<unknown>> {
    const begunAt = performance.now();
    let startedAt = begunAt;
    const isFull = () =>
      batch.length >= OPERATIONS_PER_COMMIT_MAX || startedAt - begunAt >= this.commitMsMax;
    for (let job = this.shared.take(); job !== undefined; job = this.shared.take()) {
      batch.push(job);
      yield job.operation;
      const endedAt = performance.now();
      this.shared.settle(endedAt - startedAt);
      startedAt = endedAt;
      if (isFull()) return;
    }
    const { arrived } = this;
    this.arrived = [];
    let taken = 0;
    try {
      for (const job of arrived) {
        if (isFull()) return;
        batch.push(job);
        taken += 1;
        yield job.operation;
        startedAt = performance.now();
      }
    } finally {
      this.share(arrived.slice(taken));
    }
  }

  /** Takes all of them, which are to be refused. */
  takeAll(): Job[] {
    const all: Job[] = [];
    for (let job = this.shared.take(); job !== undefined; job = this.shared.take()) {
      all.push(job);
      this.shared.settle(0);
    }
    all.push(...this.arrived);
    this.arrived = [];
    return all;
  }

  private share(jobs: readonly Job[]) {
    for (const job of jobs) this.shared.push(job.accountId, job);
  }

  /** The realm's own operations are few, and nobody would ask for them again. */
  private isOneTooMany({ accountId }: Job): boolean {
    return (
      accountId !== OF_NO_ACCOUNT && this.shared.sizeOf(accountId) >= OPERATIONS_OF_ACCOUNT_MAX
    );
  }
}
