import { setTimeout as pause } from 'node:timers/promises';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import { LETTERS_CARRIED_MAX, LETTERS_WAITING_MAX } from '../domain/limits.ts';
import { ApiError } from '../domain/wire/errors.ts';
import type { Site } from '../operations/access/caller.ts';
import * as outbox from '../operations/access/outbox.ts';

/** Where a letter comes from. */
export interface Origin {
  readonly realm: Realm;
  readonly site: Site;
}

/** Begins the lease of a letter anew, for what takes longer than one; rejects when the letter is another's by now. */
export type Renew = () => Promise<void>;

/**
 * Carries one letter out of the server, and says with operations of the realm what became of it. Rejects when it could not
 * be carried; then it is tried again later, unless this was the last attempt.
 */
export interface Courier {
  carry(letter: outbox.Letter, origin: Origin, renew: Renew): Promise<void>;
  /** After the last attempt. */
  giveUp(letter: outbox.Letter, origin: Origin, error: unknown): Promise<void>;
  /** Pauses between attempts, in milliseconds; their number is the number of further attempts. */
  readonly pausesMs: readonly number[];
  /** Letters carried at once, where that is fewer than of others. */
  readonly atOnceMax?: number;
}

export type Couriers = Partial<Readonly<Record<outbox.Letter['kind'], Courier>>>;

export interface PostOffice {
  carry(letters: readonly outbox.Letter[], origin: Origin): void;
  /**
   * Waits until what is being carried has arrived or failed, for so long at the most, and begins nothing more: what comes
   * meanwhile is carried when the server is back.
   */
  close(msMax: number): Promise<void>;
}

/**
 * Hands letters to their couriers, a bounded number of each kind at once, so that neither many letters nor servers that do
 * not answer fill the memory, and no kind waits for another. What a courier does wrong is logged and costs only its letter.
 */
export function openCouriers(couriers: Couriers, onBug: (error: unknown) => void): PostOffice {
  const desks = new Map<outbox.Letter['kind'], Desk>();
  const underWay = new Set<Promise<void>>();
  let isClosed = false;

  function deskOf(kind: outbox.Letter['kind']): Desk {
    const desk = desks.get(kind) ?? { courier: couriers[kind], carried: 0, waiting: [] };
    desks.set(kind, desk);
    return desk;
  }

  function arrive(desk: Desk, one: Waiting) {
    if (desk.carried < (desk.courier?.atOnceMax ?? LETTERS_CARRIED_MAX))
      begin(desk, carry(desk.courier, one));
    else if (desk.waiting.length < LETTERS_WAITING_MAX) desk.waiting.push(one);
    else one.origin.realm.perform((tx) => outbox.postpone(tx, one.letter)).catch(report);
  }

  function report(error: unknown) {
    // What was not carried to its end is carried again when the server is back.
    if (error instanceof ApiError && error.code === 'SERVER_STOPPING') return;
    onBug(error);
  }

  function begin(desk: Desk, work: Promise<void>) {
    desk.carried += 1;
    const done = work.catch(report).finally(() => {
      underWay.delete(done);
      desk.carried -= 1;
      const next = isClosed ? undefined : desk.waiting.shift();
      if (next !== undefined) begin(desk, carryLate(desk.courier, next));
    });
    underWay.add(done);
  }

  return {
    carry(letters, origin) {
      if (isClosed) return;
      for (const letter of letters) arrive(deskOf(letter.kind), { letter, origin });
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
  readonly letter: outbox.Letter;
  readonly origin: Origin;
}

/** The letters of one kind. */
interface Desk {
  readonly courier: Courier | undefined;
  carried: number;
  readonly waiting: Waiting[];
}

async function carryLate(courier: Courier | undefined, { letter, origin }: Waiting) {
  const renewed = await origin.realm.perform((tx) => outbox.renew(tx, letter));
  if (renewed !== undefined) await carry(courier, { letter: renewed, origin });
}

async function carry(courier: Courier | undefined, { letter: taken, origin }: Waiting) {
  const { realm } = origin;
  let letter = taken;
  const renew = async () => {
    const renewed = await realm.perform((tx) => outbox.renew(tx, letter));
    if (renewed === undefined) throw new Error('the letter was taken by another');
    letter = renewed;
  };
  try {
    if (courier === undefined) throw new Error(`nothing carries letters of kind ${letter.kind}`);
    await courier.carry(letter, origin, renew);
  } catch (error) {
    const pause = courier?.pausesMs[letter.attempts - 1];
    if (pause !== undefined) {
      await realm.perform((tx) => outbox.retry(tx, letter, pause));
      return;
    }
    await courier?.giveUp(letter, origin, error);
  }
  await realm.perform((tx) => outbox.remove(tx, letter));
}
