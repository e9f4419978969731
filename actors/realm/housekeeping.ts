import { KEY_USES_WRITTEN_MS } from '../../src/domain/limits/credentials.ts';
import {
  HEARTBEAT_MS,
  LOG_BYTES_MAX,
  LOG_KEPT_MS_MIN,
  LOG_ROWS_PER_TRIM,
} from '../../src/domain/limits/event-queues.ts';
import { IDEMPOTENCE_KEPT_MS } from '../../src/domain/limits/requests.ts';
import type { LogEntry } from '../../src/domain/wire/events/log-entry.ts';
import type { RealmStore } from '../../storage/store.ts';
import type { Operation, RealmTransaction } from '../../storage/transaction.ts';
import type { Clock } from '../clock.ts';
import { noteWritten } from '../event-queue/cursor.ts';
import {
  type AttachedQueue,
  type DetachedQueue,
  type EventQueue,
  isAttached,
} from '../event-queue/queue.ts';
import type { FanOut } from './fan-out.ts';
import type { Holds } from './holds.ts';
import { type KeyUses, noteListening } from './key-uses.ts';
import type { Queues } from './queues.ts';

/** Trimming reads the store, so it runs less often than the sweep. */
const SWEEPS_PER_TRIM = 6;
/** A pause between two steps lets sends come in between. */
const STEP_PAUSE_MS = 100;
/** The pause of a trim, whose steps are shorter. */
const TRIM_PAUSE_MS = 10;
/** The rows of queues that one step writes; reading and packing one takes some 20 µs. */
const NOTES_PER_STEP = 500;
/**
 * Stopping an actor takes some 20 µs; if all clients vanish at once, later sweeps stop the rest.
 */
const DETACHED_PER_SWEEP = 500;
/** When the log is over its bound, this share of it goes. */
const LOG_SHARE_CUT = 0.1;

export const SWEEP_INTERVAL_MS = 5_000;
/**
 * A client is away for a moment between two polls; after 10 s its queue is detached. The time when
 * it left is rounded to the sweep before.
 */
export const POLL_PAUSE_MS_MAX = 10_000 + SWEEP_INTERVAL_MS;

export const isHeartbeatDue = (queue: AttachedQueue, now: number) =>
  queue.consumer !== null && now - queue.waitingSince >= HEARTBEAT_MS;

const idleLimitMs = ({ kind }: DetachedQueue) => kind.options.idleSeconds * 1_000;

interface HousekeepingInput {
  readonly store: RealmStore;
  readonly fanOut: FanOut;
  readonly queues: Queues;
  /** The queues whose consumers are at other processes. */
  readonly holds: Holds;
  readonly keyUses: KeyUses;
  readonly clock: Clock;
  readonly run: (operation: Operation<void>, then?: () => void) => void;
  readonly logBytesMax?: number;
}

/** The work that a realm does every few seconds, in steps small enough to go unnoticed. */
export interface Housekeeping {
  sweep(): void;
  /** Emits a heartbeat to the consumers that have waited for long, here and elsewhere. */
  beat(): void;
  /** Writes the noted uses of keys, as the realm is about to stop. */
  writeUses(): void;
  /** Everything up to this event has been removed from the log. */
  logStart(): number;
  /** Returns the time (UNIX ms) of the first logged event, as of the last trim; null for none. */
  logOldestAt(): number | null;
}

export function openHousekeeping(input: HousekeepingInput): Housekeeping {
  const { store, fanOut, queues, holds, keyUses, clock, run } = input;
  let logStart = firstLogged(store) - 1;
  let logOldestAt = oldestAt(store);
  let sweeps = 0;
  let usesWrittenAt = clock.now();
  const beat = openHeart(input);

  function sweep() {
    const now = clock.now();
    fanOut.tick(now);
    detachSilent(input, now);
    expireIdle(now);
    if ([...fanOut.attached()].some((queue) => isHeartbeatDue(queue, now))) beat();
    sweeps += 1;
    if (sweeps % SWEEPS_PER_TRIM === 0) noteAcknowledged(input, () => trim(now));
    if (Math.abs(now - usesWrittenAt) >= KEY_USES_WRITTEN_MS) {
      usesWrittenAt = now;
      keyUses.period += 1;
      writeUses(input, () => noteListeners(input, listening(input)));
    }
  }

  function expireIdle(now: number) {
    for (const queue of queues.all().values()) {
      if (isAttached(queue) || holds.has(queue.id)) continue;
      if (now - queue.waitingSince >= idleLimitMs(queue)) queues.expire(queue);
    }
  }

  function trim(now: number) {
    const isTooLarge = store.logBytes() > (input.logBytesMax ?? LOG_BYTES_MAX);
    const needed = isTooLarge ? cutPosition() : slowestPosition();
    const before = isTooLarge ? now + 1 : now - LOG_KEPT_MS_MIN;
    trimSteps({ needed, before, forgottenBefore: now - IDEMPOTENCE_KEPT_MS });
  }

  /**
   * Trims in steps of a commit each, for which sends wait. A step removes as much as was logged
   * since the one before it, and some more, so that a trim ends however busy the realm is.
   */
  function trimSteps(cut: Cut, rows = LOG_ROWS_PER_TRIM) {
    const head = fanOut.head();
    let removed: Removed = { events: [], results: 0 };
    run(
      (tx) => {
        const events = trimLog(tx, cut, rows);
        removed = { events, results: forgetIdempotencyResults(tx, cut.forgottenBefore, rows) };
      },
      () => {
        logStart = Math.max(logStart, removed.events.at(-1) ?? 0);
        fanOut.forget(logStart);
        logOldestAt = oldestAt(store);
        for (const queue of [...queues.all().values()]) {
          if (queues.cursors.isLeftBehind(queue)) endLaggard(queue);
        }
        if (Math.max(removed.events.length, removed.results) < rows) return;
        clock.setTimeout(() => {
          trimSteps(cut, LOG_ROWS_PER_TRIM + fanOut.head() - head);
        }, TRIM_PAUSE_MS);
      },
    );
  }

  function endLaggard(queue: EventQueue) {
    queues.end(queue.id, 'queue gone', 'left behind');
    run((tx) => removeQueue(tx, queue));
  }

  /** Goes by the rows: a queue that a restart brings back misses nothing that it asks for. */
  const slowestPosition = () => {
    let slowest = fanOut.head();
    for (const queue of queues.all().values()) slowest = Math.min(slowest, queue.noted);
    return slowest;
  };

  const cutPosition = () => {
    const first = logStart + 1;
    return first + Math.ceil((fanOut.head() - first) * LOG_SHARE_CUT);
  };

  return {
    sweep,
    beat,
    writeUses: () => keyUses.write(run),
    logStart: () => logStart,
    logOldestAt: () => logOldestAt,
  };
}

/** Asked by several processes for their consumers, a heartbeat is emitted once for all. */
function openHeart({ clock, run }: HousekeepingInput): () => void {
  let beatenAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock.now();
    if (now >= beatenAt && now - beatenAt < SWEEP_INTERVAL_MS / 2) return;
    beatenAt = now;
    run(heartbeat);
  };
}

/** Returns the queues that somebody listens to, here or elsewhere. */
const listening = ({ fanOut, holds }: HousekeepingInput): readonly string[] => [
  ...Array.from(fanOut.attached(), ({ id }) => id),
  ...holds.ids(),
];

function detachSilent({ fanOut, queues }: HousekeepingInput, now: number) {
  let detached = 0;
  for (const queue of [...fanOut.attached()]) {
    if (queue.consumer !== null || now - queue.waitingSince < POLL_PAUSE_MS_MAX) continue;
    queues.detach(queue);
    detached += 1;
    if (detached === DETACHED_PER_SWEEP) return;
  }
}

/**
 * Writes how far clients are. A kill loses some of it, so that events stay in the log for longer.
 */
function noteAcknowledged(input: HousekeepingInput, then: () => void) {
  const all = [...input.queues.all().values()];
  const ahead = all.filter(({ acknowledged, noted }) => acknowledged > noted);
  noteSteps(input, ahead, then);
}

/** Writes the uses of keys. A step that is refused, as on a full disk, is tried the next hour. */
function writeUses(input: HousekeepingInput, then: () => void) {
  const step = input.keyUses.nextStep();
  if (step === undefined) return then();
  input.run(step.write, () => {
    step.done();
    input.clock.setTimeout(() => writeUses(input, then), STEP_PAUSE_MS);
  });
}

function noteListeners(input: HousekeepingInput, listening: readonly string[]) {
  if (listening.length === 0) return;
  const ids = listening.slice(0, NOTES_PER_STEP);
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
  const notes = step.map(({ id, acknowledged }) => ({ id, acknowledged }));
  input.run(
    (tx) => {
      for (const { id, acknowledged } of notes) {
        const row = tx.queues.get([id]);
        if (row !== undefined) tx.queues.put([id], { ...row, acknowledged });
      }
    },
    () => {
      for (const { id, acknowledged } of notes) {
        const queue = input.queues.all().get(id);
        if (queue !== undefined) noteWritten(queue, acknowledged);
      }
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

/** Times are UNIX milliseconds. */
interface Cut {
  /** Events up to this one that are older than `before` may go. */
  readonly needed: number;
  readonly before: number;
  /** Results of sends that are older may go. */
  readonly forgottenBefore: number;
}

interface Removed {
  readonly events: readonly number[];
  readonly results: number;
}

/**
 * Removes a bounded number of old events with what they say about memberships; returns their ids.
 */
function trimLog(tx: RealmTransaction, { needed, before }: Cut, limit: number): number[] {
  const trimmed: number[] = [];
  // Read before anything is removed: a cursor does not outlive the removal of what it stands on.
  const isOld = ([[id], entry]: readonly [readonly [number], LogEntry]) =>
    id <= needed && entry.at < before;
  for (const [[id], entry] of whileTrue(tx.events.range({ limit }), isOld)) {
    tx.events.remove([id]);
    const { userIds, channelIds } = entry.memberships ?? { userIds: [], channelIds: [] };
    for (const userId of userIds) {
      for (const channelId of channelIds) tx.membershipChanges.remove([userId, id, channelId]);
    }
    trimmed.push(id);
  }
  return trimmed;
}

/**
 * Removes a bounded number of results of sends that are not repeated any more; returns how many.
 */
function forgetIdempotencyResults(tx: RealmTransaction, before: number, limit: number): number {
  const keys = tx.idempotencyResultTimes.keys({ limit });
  const old = whileTrue(keys, ([at]) => at < before);
  for (const [at, userId, key] of old) {
    tx.idempotencyResultTimes.remove([at, userId, key]);
    tx.idempotencyResults.remove([userId, key]);
  }
  return old.length;
}

/** Returns the first items, up to the one for which the test fails; nothing after it is read. */
function whileTrue<Item>(items: Iterable<Item>, test: (item: Item) => boolean): Item[] {
  const found: Item[] = [];
  for (const item of items) {
    if (!test(item)) break;
    found.push(item);
  }
  return found;
}

function oldestAt(store: RealmStore): number | null {
  for (const [, { at }] of store.reader.events.range({ limit: 1 })) return at;
  return null;
}

function firstLogged(store: RealmStore): number {
  for (const [id] of store.reader.events.keys({ limit: 1 })) return id;
  return store.reader.head() + 1;
}
