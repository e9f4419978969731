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
  /** The turn of the next operation, once it was asked for. */
  private turn: Promise<void> | undefined;
  /** Tells whether that turn has come. */
  isDue = false;
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
    void this.next();
    return true;
  }

  /** Takes the operation whose turn has come, and notes it in `batch`. */
  *takeInto(batch: Job[]): Iterable<Operation<unknown>> {
    const [begun] = this.waiting;
    const operation = this.isDue ? begun?.work.next(begun.replies) : undefined;
    if (begun === undefined || operation === undefined) return;
    this.forgetTurn();
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
    if (begun.failure !== undefined || begun.work.next(begun.replies) === undefined) {
      this.over.push(begun);
      this.waiting.shift();
    }
    // It is asked for at once: it has to come as well where there is always a commit.
    void this.next();
  }

  /** Resolves when the next operation may run; undefined if there is none. */
  next(): Promise<void> | undefined {
    const [begun] = this.waiting;
    if (begun === undefined) return undefined;
    this.turn ??= this.turnOf(begun);
    return this.turn;
  }

  private turnOf({ work }: Begun): Promise<void> {
    const turn = work.turn().then(() => {
      if (this.turn === turn) this.isDue = true;
    });
    return turn;
  }

  private forgetTurn() {
    this.turn = undefined;
    this.isDue = false;
  }

  /** As `next`, undefined too if a commit that began then (by `performance.now()`) is to end. */
  nextIn(begunAtMs: number): Promise<void> | undefined {
    return performance.now() - begunAtMs < TURNS_PER_COMMIT_MS_MAX ? this.next() : undefined;
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
    this.forgetTurn();
    return [...this.over.splice(0), ...this.waiting.splice(0)];
  }
}
