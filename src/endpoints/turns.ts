import { FairQueue } from '../domain/fair-queue.ts';
import { TURN_MS_MAX, TURN_WINDOW_MS, TURNS_OF_ACCOUNT_MAX } from '../domain/limits/turns.ts';

/** Work that holds the thread while it runs. It does not throw: it answers for itself. */
type Work = () => void;

/**
 * The share that work belongs to: a realm has one share of the thread, and an account one share of
 * its realm's.
 */
export interface Share {
  readonly realmId: number;
  /** An account of the realm, or the address of a client without one. */
  readonly account: number | string;
}

type Accounts = FairQueue<Share['account'], Work>;

/** Shares the one thread between realms, and within a realm between accounts. */
export interface Turns {
  /**
   * Runs the work at once while the thread has time for it, else at its turn. Returns false, and
   * does not run it, if too much of this account is waiting.
   */
  run(share: Share, work: Work): boolean;
}

/** After a request that takes this long there is a pause. */
const LONG_TURN_MS = 2 * TURN_MS_MAX;
/**
 * As long as a commit takes on a common disk, so that a send of another account passes in one pause
 * and not in four turns.
 */
const PAUSE_MS = 3;

/** Requests that name no realm share this one. */
export const NO_REALM = 0;

/**
 * Opens the turns. All requests run on one thread, most of them in well under a millisecond, which
 * is not worth a queue. So work runs where it arrives until work has held the thread for
 * `TURN_MS_MAX`; later work waits in a fair queue, of which each turn of the event loop runs as
 * much again. Between two turns commits, deliveries and new requests have the thread.
 */
export function openTurns(): Turns {
  const realms = new FairQueue<number, Accounts>();
  const accountsOf = new Map<number, Accounts>();
  let isBusy = false;
  let windowEndsAt = 0;
  let usedMs = 0;

  /** Runs work that arrives while none waits, and notes the time that it took. */
  function runNow(work: Work) {
    const startedAt = performance.now();
    if (startedAt >= windowEndsAt) {
      windowEndsAt = startedAt + TURN_WINDOW_MS;
      usedMs = 0;
    }
    work();
    usedMs += performance.now() - startedAt;
    // The work may have queued more work, which has planned already.
    if (usedMs >= TURN_MS_MAX && !isBusy) plan();
  }

  /**
   * Plans the next turn. After work that took much longer than its turn, others get a pause for
   * more than one step of theirs.
   */
  function plan() {
    isBusy = true;
    if (usedMs >= LONG_TURN_MS) setTimeout(runWaiting, PAUSE_MS);
    else setImmediate(runWaiting);
  }

  /** Runs waiting work for one turn of the event loop. */
  function runWaiting() {
    const begunAt = performance.now();
    let startedAt = begunAt;
    const endsAt = begunAt + TURN_MS_MAX;
    while (startedAt < endsAt) {
      const accounts = realms.take();
      const work = accounts?.take();
      if (accounts === undefined || work === undefined) break;
      work();
      const endedAt = performance.now();
      accounts.settle(endedAt - startedAt);
      realms.settle(endedAt - startedAt);
      startedAt = endedAt;
    }
    usedMs = startedAt - begunAt;
    if (realms.size > 0) return plan();
    isBusy = false;
    usedMs = 0;
    accountsOf.clear();
  }

  function enqueue({ realmId, account }: Share, work: Work): boolean {
    const known = accountsOf.get(realmId);
    const accounts: Accounts = known ?? new FairQueue();
    if (known === undefined) accountsOf.set(realmId, accounts);
    if (accounts.sizeOf(account) >= TURNS_OF_ACCOUNT_MAX) return false;
    accounts.push(account, work);
    realms.push(realmId, accounts);
    return true;
  }

  return {
    run(share, work) {
      if (isBusy) return enqueue(share, work);
      runNow(work);
      return true;
    },
  };
}
