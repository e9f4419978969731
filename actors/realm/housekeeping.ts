import {
  HEARTBEAT_MS,
  IDEMPOTENCE_KEPT_MS,
  KEY_USES_WRITTEN_MS,
  LOG_BYTES_MAX,
  LOG_KEPT_MS_MIN,
  LOG_ROWS_PER_TRIM,
} from '../../src/domain/limits.ts';
import type { RealmStore } from '../../storage/store.ts';
import type { Operation, RealmTransaction } from '../../storage/transaction.ts';
import type { Clock } from '../clock.ts';
import type { EventQueue } from '../event-queue/queue.ts';
import type { Feed } from './feed.ts';
import { type KeyUses, noteListening } from './key-uses.ts';
import type { Queues } from './queues.ts';

/** Log trimming looks at the store, so it runs less often than the sweep. */
const SWEEPS_PER_TRIM = 6;
/** Between two steps, so that sends come in between. */
const STEP_PAUSE_MS = 100;
/** Rows of queues that one step writes: each is read and packed, some 20 µs. */
const NOTES_PER_STEP = 500;
/** When the log is over its bound, this share of it goes. */
const LOG_SHARE_CUT = 0.1;

export const SWEEP_INTERVAL_MS = 5_000;
/**
 * Between two polls a client is away for a moment; after 10 s its queue counts as detached. When it left is known to the sweep
 * before.
 */
const POLL_PAUSE_MS_MAX = 10_000 + SWEEP_INTERVAL_MS;

export const isHeartbeatDue = (queue: EventQueue, now: number) =>
  queue.consumer !== null && now - queue.waitingSince >= HEARTBEAT_MS;

const idleLimitMs = ({ options }: EventQueue) => options.idleSeconds * 1_000;

interface HousekeepingInput {
  readonly store: RealmStore;
  readonly feed: Feed;
  readonly queues: Queues;
  readonly keyUses: KeyUses;
  readonly clock: Clock;
  readonly run: (operation: Operation<void>, then?: () => void) => void;
  readonly logBytesMax?: number;
}

/** What a realm does on its own, every few seconds, in steps small enough to go unnoticed. */
export interface Housekeeping {
  sweep(): void;
  /** Writes what is noted of the last uses of keys: for when the realm is about to stop. */
  writeUses(): void;
  /** Everything up to this event has been removed from the log. */
  logStart(): number;
}

export function openHousekeeping(input: HousekeepingInput): Housekeeping {
  const { store, feed, queues, keyUses, clock, run } = input;
  let logStart = firstLogged(store) - 1;
  let sweeps = 0;
  let usesWrittenAt = clock.now();

  function sweep() {
    const now = clock.now();
    feed.tick(now);
    detachSilent(now);
    expireIdle(now);
    if ([...feed.attached()].some((queue) => isHeartbeatDue(queue, now))) run(heartbeat);
    sweeps += 1;
    if (sweeps % SWEEPS_PER_TRIM === 0) noteAcknowledged(input, () => trim(now));
    if (Math.abs(now - usesWrittenAt) >= KEY_USES_WRITTEN_MS) {
      usesWrittenAt = now;
      keyUses.period += 1;
      writeUses(input, () => noteListeners(input, [...feed.attached()]));
    }
  }

  function detachSilent(now: number) {
    for (const queue of [...feed.attached()]) {
      const isSilent = queue.consumer === null && now - queue.waitingSince >= POLL_PAUSE_MS_MAX;
      if (isSilent) queues.tell(queue, { type: 'consumerGone' });
    }
  }

  function expireIdle(now: number) {
    for (const queue of queues.all().values()) {
      const isIdle = queue.listener === null && now - queue.waitingSince >= idleLimitMs(queue);
      if (isIdle) queues.tell(queue, { type: 'idleLimitReached' });
    }
  }

  function trim(now: number) {
    const isTooLarge = store.logBytes() > (input.logBytesMax ?? LOG_BYTES_MAX);
    const needed = isTooLarge ? cutPosition() : slowestPosition();
    const before = isTooLarge ? now + 1 : now - LOG_KEPT_MS_MIN;
    trimSteps({ needed, before }, now - IDEMPOTENCE_KEPT_MS);
  }

  /** Step after step, a commit each, until nothing is left to remove: a busy realm logs more than one step between trims. */
  function trimSteps(cut: Cut, forgottenBefore: number) {
    let removed: Removed = { events: [], results: 0 };
    run(
      (tx) => {
        const events = trimLog(tx, cut);
        removed = { events, results: forgetFirstResults(tx, forgottenBefore) };
      },
      () => {
        logStart = Math.max(logStart, removed.events.at(-1) ?? 0);
        feed.forget(logStart);
        for (const queue of [...queues.all().values()]) {
          if (queues.positions.isLeftBehind(queue)) endLaggard(queue);
        }
        const isMore = Math.max(removed.events.length, removed.results) === LOG_ROWS_PER_TRIM;
        if (isMore) clock.setTimeout(() => trimSteps(cut, forgottenBefore), STEP_PAUSE_MS);
      },
    );
  }

  function endLaggard(queue: EventQueue) {
    queues.end(queue);
    run((tx) => removeQueue(tx, queue));
  }

  /** By what their rows say: a queue that a restart brings back misses nothing that it asks for. */
  const slowestPosition = () => {
    let slowest = feed.head();
    for (const queue of queues.all().values()) slowest = Math.min(slowest, queue.noted);
    return slowest;
  };

  const cutPosition = () => {
    const first = logStart + 1;
    return first + Math.ceil((feed.head() - first) * LOG_SHARE_CUT);
  };

  return {
    sweep,
    writeUses: () => keyUses.write(run),
    logStart: () => logStart,
  };
}

/** How far clients are, now and then: what is lost in a kill is only that some events stay in the log for longer. */
function noteAcknowledged(input: HousekeepingInput, then: () => void) {
  const all = [...input.queues.all().values()];
  const ahead = all.filter(({ acknowledged, noted }) => acknowledged > noted);
  noteSteps(input, ahead, then);
}

/** A step that is refused, for example on a full disk, keeps its notes, and the next hour writes them. */
function writeUses(input: HousekeepingInput, then: () => void) {
  const step = input.keyUses.nextStep();
  if (step === undefined) return then();
  input.run(step.write, () => {
    step.done();
    input.clock.setTimeout(() => writeUses(input, then), STEP_PAUSE_MS);
  });
}

function noteListeners(input: HousekeepingInput, listening: readonly EventQueue[]) {
  if (listening.length === 0) return;
  const ids = listening.slice(0, NOTES_PER_STEP).map(({ id }) => id);
  input.run(
    (tx) => noteListening(tx, ids),
    () => {
      const rest = listening.slice(NOTES_PER_STEP);
      if (rest.length > 0) input.clock.setTimeout(() => noteListeners(input, rest), STEP_PAUSE_MS);
    },
  );
}

function noteSteps(input: HousekeepingInput, ahead: readonly EventQueue[], then: () => void) {
  if (ahead.length === 0) return then();
  const step = ahead.slice(0, NOTES_PER_STEP);
  const notes = step.map((queue) => ({ queue, acknowledged: queue.acknowledged }));
  input.run(
    (tx) => {
      for (const { queue, acknowledged } of notes) {
        const row = tx.queues.get([queue.id]);
        if (row !== undefined) tx.queues.put([queue.id], { ...row, acknowledged });
      }
    },
    () => {
      for (const { queue, acknowledged } of notes) queue.noted = acknowledged;
      const rest = ahead.slice(NOTES_PER_STEP);
      if (rest.length === 0) then();
      else input.clock.setTimeout(() => noteSteps(input, rest, then), STEP_PAUSE_MS);
    },
  );
}

const heartbeat = (tx: RealmTransaction) => {
  tx.emit({ event: { type: 'heartbeat' }, audience: { heartbeat: true } });
};

/** Removes the row of a queue that has ended. */
export function removeQueue(tx: RealmTransaction, queue: { id: string; userId: number }) {
  tx.queues.remove([queue.id]);
}

/** Events up to `needed` that are older than `before` (UNIX milliseconds) may go. */
interface Cut {
  readonly needed: number;
  readonly before: number;
}

interface Removed {
  readonly events: readonly number[];
  readonly results: number;
}

/** Removes a bounded number of old events with what they say about memberships; returns their ids. */
function trimLog(tx: RealmTransaction, { needed, before }: Cut): number[] {
  const trimmed: number[] = [];
  // Read before anything is removed: a cursor does not outlive the removal of what it stands on.
  for (const [[id], entry] of [...tx.events.range({ limit: LOG_ROWS_PER_TRIM })]) {
    if (id > needed || entry.at >= before) break;
    tx.events.remove([id]);
    const { userIds, channelIds } = entry.memberships ?? { userIds: [], channelIds: [] };
    for (const userId of userIds) {
      for (const channelId of channelIds) tx.membershipChanges.remove([userId, id, channelId]);
    }
    trimmed.push(id);
  }
  return trimmed;
}

/** Removes a bounded number of results of sends that are not repeated any more; returns how many. */
function forgetFirstResults(tx: RealmTransaction, before: number): number {
  let forgotten = 0;
  for (const [at, userId, key] of [...tx.firstResultTimes.keys({ limit: LOG_ROWS_PER_TRIM })]) {
    if (at >= before) break;
    tx.firstResultTimes.remove([at, userId, key]);
    tx.firstResults.remove([userId, key]);
    forgotten += 1;
  }
  return forgotten;
}

function firstLogged(store: RealmStore): number {
  for (const [id] of store.reader.events.keys({ limit: 1 })) return id;
  return store.reader.head() + 1;
}
