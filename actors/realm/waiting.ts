import type { Operation, Outcome } from '../../storage/transaction.ts';
import { Turns } from './turns.ts';
import { type Job, OF_NO_ACCOUNT, type Settle, WaitingOperations } from './waiting-operations.ts';

interface CommitSoFar {
  readonly outcomes: readonly Outcome[];
  /** By `performance.now()`. */
  readonly begunAtMs: number;
}

/**
 * The work that waits for the next commit of a realm. Long work has an operation whenever its turn
 * has come, and several in a commit without any of an account.
 */
export class Waiting {
  private readonly singles: WaitingOperations;
  private readonly turns = new Turns();
  private isAccountWaiting = false;
  /** Has the open commit take operations before the turn of long work. */
  private takeNow: () => void = () => undefined;

  /** Takes the time, in milliseconds, in which a commit takes operations one after the other. */
  constructor(commitMsMax: number) {
    this.singles = new WaitingOperations(commitMsMax);
  }

  get size(): number {
    return this.singles.size + this.turns.size;
  }

  /** The number of operations that wait, without those of long work. */
  get operations(): number {
    return this.singles.size;
  }

  /** Tells whether a commit would have an operation. */
  get isReady(): boolean {
    return this.singles.size > 0 || this.turns.isDue;
  }

  /** Tells whether a commit that begins is to take operations of long work for some time. */
  get isLong(): boolean {
    return this.turns.size > 0 && !this.isAccountWaiting;
  }

  /** Resolves when long work has its turn; undefined if there is none. */
  turn(): Promise<void> | undefined {
    return this.turns.next();
  }

  /** Returns false, and takes nothing, if too many wait, in all or of this account. */
  add(job: Job): boolean {
    const isTaken = this.singles.add(job);
    if (isTaken && job.accountId !== OF_NO_ACCOUNT) {
      this.isAccountWaiting = true;
      this.takeNow();
    }
    return isTaken;
  }

  /** Returns false, and takes nothing, if too many works wait. */
  addTurns: Turns['add'] = (work, settle) => this.turns.add(work, settle);

  /** Takes operations while the commit has time, and notes them in `batch`. */
  *takeInto(batch: Job[]): Iterable<Operation<unknown>> {
    const isFirst = batch.length === 0;
    this.isAccountWaiting = false;
    yield* this.singles.takeInto(batch);
    if (isFirst || !hasAccounts(batch)) yield* this.turns.takeInto(batch);
  }

  /**
   * Resolves when the open commit is to take operations again: when long work has its turn, or an
   * account has an operation. Undefined if it is to end, as it does behind one of an account.
   */
  nextIn(
    batch: readonly Job[],
    { outcomes, begunAtMs }: CommitSoFar,
  ): Promise<unknown> | undefined {
    this.turns.note(outcomes);
    const turn = hasAccounts(batch) ? undefined : this.turns.nextIn(begunAtMs);
    if (turn === undefined) return undefined;
    if (this.isAccountWaiting) return Promise.resolve();
    const account = new Promise<void>((resolve) => {
      this.takeNow = resolve;
    });
    return Promise.race([turn, account]);
  }

  /** A commit is on disk. Returns how those are told whose long work it has ended. */
  takeDone(outcomes: readonly Outcome[]): readonly (() => void)[] {
    this.turns.note(outcomes);
    return this.turns.takeDone();
  }

  /** Takes all that has not been told, which is to be refused. */
  takeAll(): readonly { readonly settle: Settle<never> }[] {
    return [...this.singles.takeAll(), ...this.turns.takeAll()];
  }
}

const hasAccounts = (batch: readonly Job[]) =>
  batch.some(({ accountId }) => accountId !== OF_NO_ACCOUNT);
