import { setTimeout as pause } from 'node:timers/promises';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import { OUTBOX_DELIVERIES_MAX, OUTBOX_WAITING_MAX } from '../domain/limits/outbox.ts';
import { ApiError } from '../domain/wire/errors.ts';
import { type OutboxRecord, type OutboxResult, openOutboxRecord } from '../metrics/recorders.ts';
import type { Site } from '../operations/access/caller.ts';
import * as outbox from '../operations/access/outbox.ts';
import { TooEarly } from './post.ts';

/** The realm whose outbox an entry comes from. */
export interface Origin {
  readonly realm: Realm;
  readonly site: Site;
}

/**
 * Renews the lease of an entry, for a delivery that takes longer than one lease. Rejects when
 * another attempt has taken the entry meanwhile.
 */
export type Renew = () => Promise<void>;

/**
 * Why nothing was delivered, and no other attempt is made: a service has refused it for good,
 * nothing was to be sent any more, or other entries stand in its place.
 */
export type Unsent = Extract<OutboxResult, 'refused' | 'dropped' | 'split'>;

/** Delivers the outbox entries of one kind. */
export interface Worker {
  /**
   * Does what the entry asks for outside of the store, and writes the outcome with operations of
   * the realm. Rejects when it could not; the entry is tried again later unless this was the last
   * attempt. Resolves with the reason if it delivered nothing.
   */
  deliver(
    entry: outbox.Entry,
    origin: Origin,
    renew: Renew,
  ): Promise<void> | Promise<Unsent | undefined>;
  /** Called when the last attempt has failed. */
  giveUp(entry: outbox.Entry, origin: Origin, error: unknown): Promise<void>;
  /** Milliseconds before each further attempt; an empty list means a single attempt. */
  readonly pausesMs: readonly number[];
  /** The number of deliveries at once, if it is lower than for other kinds. */
  readonly atOnceMax?: number;
}

export type Workers = Partial<Readonly<Record<outbox.Entry['kind'], Worker>>>;

export interface Dispatcher {
  deliver(entries: readonly outbox.Entry[], origin: Origin): void;
  /**
   * Starts no more deliveries and waits up to `msMax` for those under way. Entries that arrive
   * meanwhile are delivered after the next start of the server.
   */
  close(msMax: number): Promise<void>;
}

/**
 * Hands entries to the workers of their kinds. Each kind has a lane with a bounded number of
 * deliveries at once, so that neither many entries nor servers that do not answer fill the memory,
 * and no kind waits for another. A bug of a worker is logged and costs only its entry.
 */
export function openDispatcher(
  workers: Workers,
  onBug: (error: unknown) => void,
  record: OutboxRecord = openOutboxRecord(),
): Dispatcher {
  const lanes = new Map<outbox.Entry['kind'], Lane>();
  const underWay = new Set<Promise<void>>();
  let isClosed = false;

  function laneOf(kind: outbox.Entry['kind']): Lane {
    const lane = lanes.get(kind) ?? { worker: workers[kind], delivered: 0, waiting: [] };
    lanes.set(kind, lane);
    return lane;
  }

  function arrive(lane: Lane, one: Waiting) {
    if (lane.delivered < (lane.worker?.atOnceMax ?? OUTBOX_DELIVERIES_MAX))
      begin(lane, one, deliver(lane.worker, one));
    else if (lane.waiting.length < OUTBOX_WAITING_MAX) lane.waiting.push(one);
    else one.origin.realm.perform((tx) => outbox.postpone(tx, one.entry)).catch(report);
  }

  function report(error: unknown) {
    // An entry that was not finished is still in the outbox, for the next start of the server.
    if (error instanceof ApiError && error.code === 'SERVER_STOPPING') return;
    onBug(error);
  }

  /** Counts an attempt. An entry that is tried again stays among those that wait. */
  function note(one: Waiting, result: OutboxResult | undefined) {
    const { results, waiting } = record[one.entry.kind];
    if (result !== undefined) results[result] += 1;
    if (result !== 'retried') waiting.delete(nameOf(one));
  }

  function begin(lane: Lane, one: Waiting, work: Promise<OutboxResult | undefined>) {
    lane.delivered += 1;
    const noted = work.then((result) => note(one, result));
    const done = noted.catch(report).finally(() => {
      underWay.delete(done);
      lane.delivered -= 1;
      const next = isClosed ? undefined : lane.waiting.shift();
      if (next !== undefined) begin(lane, next, deliverLate(lane.worker, next));
    });
    underWay.add(done);
  }

  return {
    deliver(entries, origin) {
      if (isClosed) return;
      for (const entry of entries) {
        const one = { entry, origin };
        const { waiting } = record[entry.kind];
        const name = nameOf(one);
        if (!waiting.has(name)) waiting.set(name, origin.realm.now());
        arrive(laneOf(entry.kind), one);
      }
    },
    async close(msMax) {
      isClosed = true;
      const patience = new AbortController();
      const isOver = pause(msMax, undefined, { signal: patience.signal }).catch(() => undefined);
      await Promise.race([Promise.all(underWay), isOver]);
      patience.abort();
    },
  };
}

interface Waiting {
  readonly entry: outbox.Entry;
  readonly origin: Origin;
}

/** Returns what names an entry among those of all realms. */
const nameOf = ({ entry, origin }: Waiting) => `${origin.realm.id}:${entry.id}`;

/** The entries of one kind: how many are being delivered, and those that wait for their turn. */
interface Lane {
  readonly worker: Worker | undefined;
  delivered: number;
  readonly waiting: Waiting[];
}

async function deliverLate(worker: Worker | undefined, { entry, origin }: Waiting) {
  const renewed = await origin.realm.perform((tx) => outbox.renew(tx, entry));
  return renewed === undefined ? undefined : await deliver(worker, { entry: renewed, origin });
}

async function deliver(
  worker: Worker | undefined,
  { entry: taken, origin }: Waiting,
): Promise<OutboxResult> {
  const { realm } = origin;
  let entry = taken;
  let result: OutboxResult = 'delivered';
  const renew = async () => {
    const renewed = await realm.perform((tx) => outbox.renew(tx, entry));
    if (renewed === undefined) throw new Error('another attempt has taken the outbox entry');
    entry = renewed;
  };
  try {
    if (worker === undefined)
      throw new Error(`no worker delivers outbox entries of kind ${entry.kind}`);
    result = (await worker.deliver(entry, origin, renew)) ?? 'delivered';
  } catch (error) {
    const pause = worker?.pausesMs[entry.attempts - 1];
    if (pause !== undefined) {
      const pauseMs = error instanceof TooEarly ? Math.max(pause, error.pauseMs) : pause;
      await realm.perform((tx) => outbox.retry(tx, entry, pauseMs));
      return 'retried';
    }
    await worker?.giveUp(entry, origin, error);
    result = 'given up';
  }
  await realm.perform((tx) => outbox.remove(tx, entry));
  return result;
}
