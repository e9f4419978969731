import type { Realm } from '../../actors/realm/realm-handle.ts';
import type { Place } from '../operations/caller.ts';
import * as outbox from '../operations/outbox.ts';

/** Where a letter comes from. */
export interface Origin {
  readonly realm: Realm;
  readonly place: Place;
}

/**
 * Carries one letter out of the server, and says with operations of the realm what became of it. Rejects when it could not
 * be carried; then it is tried again later, unless this was the last attempt.
 */
export interface Courier {
  carry(letter: outbox.Letter, origin: Origin): Promise<void>;
  /** After the last attempt. */
  giveUp(letter: outbox.Letter, origin: Origin, error: unknown): Promise<void>;
  /** Pauses between attempts, in milliseconds; their number is the number of further attempts. */
  readonly pausesMs: readonly number[];
}

export type Couriers = Partial<Readonly<Record<outbox.Letter['kind'], Courier>>>;

/** Hands letters to their couriers; what one of them does wrong is logged and costs only its letter. */
export function openCouriers(couriers: Couriers, onBug: (error: unknown) => void) {
  return (letters: readonly outbox.Letter[], origin: Origin) => {
    for (const letter of letters) carry(letter, origin).catch(onBug);
  };

  async function carry(letter: outbox.Letter, origin: Origin) {
    const { realm } = origin;
    const courier = couriers[letter.kind];
    try {
      if (courier === undefined) throw new Error(`nothing carries letters of kind ${letter.kind}`);
      await courier.carry(letter, origin);
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
}
