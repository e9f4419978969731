import type { RealmReader, RealmTransaction } from '../../storage/transaction.ts';
import type { Clock } from '../clock.ts';
import type { Commits } from './commits.ts';

/** One thing whose time has come. */
export interface DueItem {
  /** Does it, in an operation of its own. Returns what is now to leave the server. */
  readonly attempt: (tx: RealmTransaction) => readonly unknown[];
  /** Notes that it was refused, or that it failed, so that it is not due any more. */
  readonly whenRefused: (tx: RealmTransaction, error: unknown) => void;
}

/** What a realm does when a time comes; handed in, since what is due is a rule of the product. */
export interface AgendaInput {
  /** The earliest time (UNIX milliseconds) at which something stored is due. */
  readonly nextAt: (reader: RealmReader) => number | undefined;
  /** A bounded number of items that are due. */
  readonly due: (reader: RealmReader, now: number) => readonly DueItem[];
  /** Hears why something was not done: whether it was refused or met a bug is a matter of the product. */
  readonly noteFailure: (error: unknown) => void;
  /** Carries what was returned, after its commit. */
  readonly carry: (letters: readonly unknown[]) => void;
}

export interface Agenda {
  /** Milliseconds until there is something to do; never longer than a timer can be. */
  untilDue(): number;
  /** Does what is due, and says when it is done. */
  work(): void;
  /** Whether a time is earlier than what is waited for. */
  isEarlier(at: number): boolean;
}

interface Opened {
  readonly input: AgendaInput;
  readonly reader: RealmReader;
  readonly clock: Clock;
  readonly commits: () => Commits;
  readonly onBug: (error: unknown) => void;
  /** Look again at `untilDue`. */
  readonly wake: () => void;
  /** Whether the realm still does things by itself. */
  readonly isActive: () => boolean;
}

/** A timer of Node holds 31 bits of milliseconds; a day is enough to look again. */
const LOOK_AGAIN_MS = 86_400_000;
/** When too many operations wait, what is due waits as well. */
const BUSY_PAUSE_MS = 1_000;
/** Between what is due at once, so that the commits in between are those of others. */
const PAUSE_MS = 1;
const NEVER = Number.POSITIVE_INFINITY;

export function openAgenda(opened: Opened): Agenda {
  const { input, reader, clock, commits, onBug, wake, isActive } = opened;
  let armedFor = NEVER;
  let open = 0;
  let letters: unknown[] = [];

  function start({ attempt, whenRefused }: DueItem) {
    const isTaken = commits().run(attempt, (outcome) => {
      if (outcome.isDone) {
        letters.push(...outcome.reply);
        finish();
      } else {
        input.noteFailure(outcome.error);
        refuse(whenRefused, outcome.error);
      }
    });
    if (!isTaken) clock.setTimeout(finish, BUSY_PAUSE_MS);
  }

  function refuse(note: DueItem['whenRefused'], error: unknown) {
    const isTaken = commits().run(
      (tx) => note(tx, error),
      (outcome) => {
        finish();
        // Nothing could be done with it, not even note that: it would be due for ever.
        if (!outcome.isDone) onBug(outcome.error);
      },
    );
    if (!isTaken) clock.setTimeout(finish, BUSY_PAUSE_MS);
  }

  function finish() {
    open -= 1;
    if (open > 0) return;
    const leaving = letters;
    letters = [];
    goOn();
    if (leaving.length > 0) input.carry(leaving);
  }

  /**
   * What goes on for many steps does so without the realm's machine, whose transitions cost as much as a small step. Until
   * nothing is due any more this counts as open, so nothing else begins it anew.
   */
  function goOn() {
    open = 1;
    clock.setTimeout(() => {
      open = 0;
      try {
        if (isActive()) work();
        if (open === 0) wake();
      } catch (error) {
        onBug(error);
      }
    }, PAUSE_MS);
  }

  function work() {
    if (open > 0) return;
    const items = input.due(reader, clock.now());
    open = items.length;
    for (const item of items) start(item);
  }

  return {
    untilDue() {
      armedFor = open > 0 ? NEVER : (input.nextAt(reader) ?? NEVER);
      return Math.min(LOOK_AGAIN_MS, Math.max(0, armedFor - clock.now()));
    },
    work,
    isEarlier: (at) => open === 0 && at < armedFor,
  };
}
