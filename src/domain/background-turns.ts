import { BACKGROUND_REST_MS_MAX, BACKGROUND_WAIT_MS_MAX } from './limits/turns.ts';

const LOOK_AGAIN_MS = 1;

/**
 * The turns on the one thread of work that nobody waits for: upkeep, imports, what the command line
 * asks. A piece of it comes when no commit of others is under way, whose callers the thread has yet
 * to answer, and when others have had the thread for as long as the piece before took.
 */
export class BackgroundTurns {
  /** How many wait for their turn. */
  waiting = 0;
  /** How many of them are not patient. */
  private hurried = 0;
  private commits = 0;
  private freeAt = Number.NEGATIVE_INFINITY;
  private readonly nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.nowMs = nowMs;
  }

  beginCommit() {
    this.commits += 1;
  }

  endCommit() {
    this.commits -= 1;
  }

  get isFree(): boolean {
    return this.commits === 0 && this.nowMs() >= this.freeAt;
  }

  /** Runs a piece of work. */
  run<Result>(piece: () => Result): Result {
    const begunAt = this.nowMs();
    try {
      return piece();
    } finally {
      const endedAt = this.nowMs();
      const rest = Math.min(endedAt - begunAt, BACKGROUND_REST_MS_MAX);
      this.freeAt = Math.max(this.freeAt, endedAt + rest);
    }
  }

  /**
   * Calls back when it is free, at once if it is; else after `BACKGROUND_WAIT_MS_MAX` at most. Work
   * that is patient lets pieces go first that are not.
   */
  whenFree(act: () => void, { isPatient = false }: { readonly isPatient?: boolean } = {}) {
    const until = performance.now() + BACKGROUND_WAIT_MS_MAX;
    const count = (change: 1 | -1) => {
      this.waiting += change;
      if (!isPatient) this.hurried += change;
    };
    const isNext = () => this.isFree && !(isPatient && this.hurried > 0);
    const look = () => {
      count(-1);
      if (isNext() || performance.now() >= until) act();
      else lookLater();
    };
    const lookLater = () => {
      count(1);
      // Requests that have arrived meanwhile are read first.
      setTimeout(() => setImmediate(look), LOOK_AGAIN_MS);
    };
    if (isNext()) act();
    else lookLater();
  }
}
