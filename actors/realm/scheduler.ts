import type { BackgroundTurns } from '../../src/domain/background-turns.ts';
import type { RealmRecord } from '../../src/metrics/recorders.ts';
import type { RealmReader, RealmTransaction } from '../../storage/transaction.ts';
import type { Clock } from '../clock.ts';
import type { Commits } from './commits.ts';

/** A job whose time has come. */
export interface Job {
  /** The kind of job, by which `due` can be asked for more like it. */
  readonly kind: object;
  /**
   * Prepares a part of it, outside of a transaction. Returns false if that took time, or if there
   * is more to prepare; the job is due again after a pause then.
   */
  readonly prepare?: () => boolean;
  /** Does it, in an operation of its own. Returns the entries that now leave the server. */
  readonly attempt: (tx: RealmTransaction) => readonly unknown[];
  /** Notes that it was refused or has failed, so that it is no longer due. */
  readonly onFailure: (tx: RealmTransaction, error: unknown) => void;
}

/** The jobs of a realm, handed in because a rule of the product says which are due. */
export interface SchedulerInput {
  /** Returns the earliest time (UNIX milliseconds) at which something stored is due. */
  readonly nextAt: (reader: RealmReader) => number | undefined;
  /** Returns a bounded number of items that are due, of these kinds or of all. */
  readonly due: (reader: RealmReader, now: number, kinds?: ReadonlySet<object>) => readonly Job[];
  /** Notes why something was not done: the product tells a refusal from a bug. */
  readonly noteFailure: (error: unknown) => void;
  /** Delivers the outbox entries that were returned, after their commit. */
  readonly deliver: (entries: readonly unknown[]) => void;
}

export interface Scheduler {
  /** Returns the milliseconds until something is due; never longer than a timer can be. */
  untilDue(): number;
  /** Does what is due, and wakes the realm if something else is due before it would look. */
  work(): void;
  /** Hears that something was stored that is due at this time. */
  noteDue(at: number): void;
}

interface Opened {
  readonly input: SchedulerInput;
  readonly reader: RealmReader;
  readonly clock: Clock;
  readonly record: RealmRecord;
  readonly background: BackgroundTurns;
  readonly commits: () => Commits;
  readonly onBug: (error: unknown) => void;
  /** Makes the realm ask `untilDue` again. */
  readonly wake: () => void;
  /** Tells whether the realm still does things by itself; once it does not, its store is closed. */
  readonly isActive: () => boolean;
}

/** A timer of Node holds 31 bits of milliseconds, so the realm asks again after a day. */
const LOOK_AGAIN_MS = 86_400_000;
/** The pause before a due item is tried again when too many operations wait. */
const BUSY_PAUSE_MS = 1_000;
/** A pause between due items lets others have the commits in between. */
const PAUSE_MS = 1;
/**
 * While jobs of a kind follow one another, the other kinds are looked at this often: a look at all
 * kinds costs more than many a job.
 */
const LOOK_AT_ALL_MS = 25;
const NEVER = Number.POSITIVE_INFINITY;

export function openScheduler(opened: Opened): Scheduler {
  const { input, reader, clock, record, background, commits, onBug, wake, isActive } = opened;
  const guarded = guardedBy(onBug);
  let armedFor = NEVER;
  const looks = openLooks({ input, reader, record });
  let open = 0;
  const entries: unknown[] = [];

  function start({ onFailure, ...job }: Job) {
    const attempt = background.run(() => prepared(job));
    if (attempt === null) return finish();
    const act = (tx: RealmTransaction) => background.run(() => attempt(tx));
    const isTaken = commits().run(act, (outcome) => {
      if (outcome.isDone) {
        entries.push(...outcome.reply);
        finish();
      } else {
        input.noteFailure(outcome.error);
        refuse(onFailure, outcome.error);
      }
    });
    if (!isTaken) clock.setTimeout(finish, BUSY_PAUSE_MS);
  }

  function refuse(note: Job['onFailure'], error: unknown) {
    const isTaken = commits().run(
      (tx) => note(tx, error),
      (outcome) => {
        finish();
        // Not even the failure could be noted, so the job would be due for ever.
        if (!outcome.isDone) onBug(outcome.error);
      },
    );
    if (!isTaken) clock.setTimeout(finish, BUSY_PAUSE_MS);
  }

  function finish() {
    open -= 1;
    if (open > 0) return;
    const leaving = entries.splice(0);
    goOn();
    if (leaving.length > 0) input.deliver(leaving);
  }

  /**
   * Goes on past the realm's machine, as a transition costs as much as a small step. Until nothing
   * is due this counts as open, so that nothing else begins it again.
   */
  function goOn() {
    open = 1;
    // Somebody waits for the end of an import, and nobody for that of upkeep.
    clock.setTimeout(() => background.whenFree(workAgain, { isPatient: true }), PAUSE_MS);
  }

  function workAgain() {
    open = 0;
    guarded(() => {
      if (!isActive()) return;
      work();
      // Mostly nothing is due before the time that the realm waits for already.
      if (open === 0 && nextAt() < armedFor) wake();
    }, undefined);
  }

  const nextAt = (): number => guarded(() => input.nextAt(reader) ?? NEVER, NEVER);

  function work() {
    if (open > 0) return;
    const jobs = looks.due(clock.now());
    open = jobs.length;
    for (const job of jobs) start(job);
  }

  return {
    untilDue() {
      armedFor = open > 0 ? NEVER : nextAt();
      looks.noteDue(armedFor);
      return Math.min(LOOK_AGAIN_MS, Math.max(0, armedFor - clock.now()));
    },
    work: () => guarded(work, undefined),
    noteDue(at) {
      looks.noteDue(at);
      if (open > 0 || at >= armedFor) return;
      if (at <= clock.now()) goOn();
      else wake();
    },
  };
}

/** Looks for what is due: of the kinds of the look before, as long as there is more of them. */
function openLooks({ input, reader, record }: Pick<Opened, 'input' | 'reader' | 'record'>) {
  let kinds: ReadonlySet<object> = new Set();
  let lookAtAllAt = 0;
  /** The earliest time at which something that is not done yet was known to be due. */
  let dueAt = NEVER;
  return {
    due(now: number): readonly Job[] {
      const more = now < lookAtAllAt && kinds.size > 0 ? input.due(reader, now, kinds) : [];
      if (more.length === 0) lookAtAllAt = now + LOOK_AT_ALL_MS;
      const jobs = more.length > 0 ? more : input.due(reader, now);
      kinds = new Set(jobs.map(({ kind }) => kind));
      if (jobs.length > 0 && dueAt <= now) record.lateMs.record(now - dueAt);
      dueAt = NEVER;
      return jobs;
    },
    noteDue(at: number) {
      dueAt = Math.min(dueAt, at);
      lookAtAllAt = Math.min(lookAtAllAt, at);
    },
  };
}

/**
 * Tells the realm of an exception. If its actor died of one as it starts, nobody would know of the
 * store that is open by then.
 */
function guardedBy(onBug: (error: unknown) => void) {
  return <Returned>(act: () => Returned, otherwise: Returned): Returned => {
    try {
      return act();
    } catch (error) {
      onBug(error);
      return otherwise;
    }
  };
}

/** Returns the operation of a job, null if there is more to prepare before it. */
function prepared({ prepare, attempt }: Pick<Job, 'prepare' | 'attempt'>): Job['attempt'] | null {
  try {
    return prepare?.() === false ? null : attempt;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
