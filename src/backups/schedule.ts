import type { Clock } from '../../actors/clock.ts';
import { BACKUP_AFTER_START_MS, BACKUP_LOOK_MS, BACKUP_RETRY_MS } from '../domain/limits/disk.ts';
import { latestTime, nextTime, type TimeOfDay } from '../domain/times-of-day.ts';
import type { Created } from './create-backup.ts';

export interface ScheduleInput {
  readonly clock: Clock;
  readonly times: readonly TimeOfDay[];
  /** The time of the last backup in the same place; null: there is none. */
  readonly lastSuccessAt: number | null;
  /** Makes a backup. The signal is given when the server stops. */
  readonly create: (signal: AbortSignal) => Promise<Created>;
  readonly onCreated: (created: Created) => void;
  readonly onFailed: (failure: BackupFailure) => void;
}

export interface BackupFailure {
  readonly error: unknown;
  /** The time of the next try, in UNIX milliseconds. */
  readonly againAt: number;
}

export interface BackupSchedule {
  /** The time of the next backup, in UNIX milliseconds. */
  nextAt(): number;
  /** Gives up the backup that is being made, and begins no other. */
  stop(): void;
  /** Resolves when no backup is being made any more. */
  ended(): Promise<void>;
}

/**
 * Makes a backup at each of these times. One that was missed while no server ran is made soon after
 * the start. One that fails is tried again a few times before the next time comes.
 */
export function openBackupSchedule(input: ScheduleInput): BackupSchedule {
  const { clock, times, lastSuccessAt } = input;
  const stopping = new AbortController();
  let timer: unknown;
  let failed = 0;
  let making: Promise<void> = Promise.resolve();
  let dueAt = firstAt(clock.now());

  function firstAt(now: number): number {
    const isMissed = lastSuccessAt === null || lastSuccessAt < latestTime(times, now);
    return isMissed ? now + BACKUP_AFTER_START_MS : nextTime(times, now);
  }

  function wait() {
    if (stopping.signal.aborted) return;
    const left = Math.max(0, dueAt - clock.now());
    timer = clock.setTimeout(look, Math.min(left, BACKUP_LOOK_MS));
  }

  function look() {
    if (clock.now() < dueAt) wait();
    else making = make().then(wait);
  }

  async function make() {
    try {
      const created = await input.create(stopping.signal);
      failed = 0;
      dueAt = nextTime(times, clock.now());
      input.onCreated(created);
    } catch (error) {
      if (stopping.signal.aborted) return;
      dueAt = againAt(clock.now());
      input.onFailed({ error, againAt: dueAt });
    }
  }

  function againAt(now: number): number {
    const next = nextTime(times, now);
    const pause = BACKUP_RETRY_MS[failed];
    const isTriedAgain = pause !== undefined && now + pause < next;
    failed = isTriedAgain ? failed + 1 : 0;
    return isTriedAgain ? now + pause : next;
  }

  wait();
  return {
    nextAt: () => dueAt,
    stop() {
      clock.clearTimeout(timer);
      stopping.abort(new Error('the server stops'));
    },
    ended: () => making,
  };
}
