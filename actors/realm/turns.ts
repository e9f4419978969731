import { OPERATIONS_WAITING_MAX, TURNS_PER_COMMIT_MS_MAX } from '../../src/domain/limits/turns.ts';
import type { Operation, Outcome } from '../../storage/transaction.ts';
import { type Job, OF_NO_ACCOUNT, type Settle } from './waiting-operations.ts';

/**
 * Long work of a realm, in short operations that share commits. Whatever else the process has to do
 * has its turn between two of them.
 */
export interface TurnWork<Reply> {
  /**
   * Returns the operation behind those with these replies; undefined when they were all. If one of
   * the commit fails late, those before it are run again, and have to come to the same.
   */
  next(replies: readonly Reply[]): Operation<Reply> | undefined;
  /** Resolves when the next operation may run; never rejects. */
  turn(): Promise<unknown>;
}

interface Begun {
  readonly work: TurnWork<unknown>;
  readonly replies: unknown[];
  readonly settle: Settle<readonly unknown[]>;
  failure?: { readonly error: unknown };
}

/** The works that wait for their turns, which the first of them has until it is done. */
export class Turns {
  private readonly waiting: Begun[] = [];
  /** The works whose last operation is in the commit under way. */
  private readonly over: Begun[] = [];
  /** The operation that runs, and its place in its commit. */
  private running: { readonly begun: Begun; readonly index: number } | undefined;

  get size(): number {
    return this.waiting.length;
  }

  /**
   * Returns false, and takes nothing, if too many wait. Work without any operation is done at once.
   */
  add<Reply>(work: TurnWork<Reply>, settle: Settle<readonly Reply[]>): boolean {
    if (this.size >= OPERATIONS_WAITING_MAX) return false;
    if (work.next([]) === undefined) settle({ isDone: true, reply: [] });
    // Replies and settle are of one call.
    else this.waiting.push({ work, replies: [], settle } as unknown as Begun);
    return true;
  }

  /** Takes the operation whose turn it is, and notes it in `batch`. */
  *takeInto(batch: Job[]): Iterable<Operation<unknown>> {
    const [begun] = this.waiting;
    const operation = begun?.work.next(begun.replies);
    if (begun === undefined || operation === undefined) return;
    this.running = { begun, index: batch.length };
    batch.push({ accountId: OF_NO_ACCOUNT, operation, settle: () => undefined });
    yield operation;
  }

  /** Notes what came of the operation, by the outcomes of its commit so far. */
  note(outcomes: readonly Outcome[]) {
    if (this.running === undefined) return;
    const { begun, index } = this.running;
    const outcome = outcomes[index];
    this.running = undefined;
    if (outcome === undefined) return;
    if ('error' in outcome) begun.failure = { error: outcome.error };
    else begun.replies.push(outcome.reply);
    if (begun.failure === undefined && begun.work.next(begun.replies) !== undefined) return;
    this.over.push(begun);
    this.waiting.shift();
  }

  /**
   * Resolves when the next operation may run; undefined if there is none, or if a commit that began
   * at this time (by `performance.now()`) is to end.
   */
  nextIn(begunAtMs: number): Promise<unknown> | undefined {
    if (performance.now() - begunAtMs >= TURNS_PER_COMMIT_MS_MAX) return undefined;
    return this.waiting[0]?.work.turn();
  }

  /** The commit is on disk. Returns how those are told whose last operation was in it. */
  takeDone(): readonly (() => void)[] {
    const over = this.over.splice(0);
    return over.map(({ settle, replies, failure }) => () => {
      settle(failure ? { isDone: false, error: failure.error } : { isDone: true, reply: replies });
    });
  }

  /** Takes all of them, which are to be refused. */
  takeAll(): readonly Pick<Begun, 'settle'>[] {
    return [...this.over.splice(0), ...this.waiting.splice(0)];
  }
}
