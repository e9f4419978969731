/** The events that this node has of each realm, for those who wait for one. */
export interface Heads {
  /** The events of a realm up to this one were told to those who listen here. */
  reached(realmId: number, eventId: number): void;
  /** The realm closes, or changes over: nobody waits for it any more. */
  ended(realmId: number): void;
  /** Resolves when an event is there, when the realm closes, or after that time. */
  until(realmId: number, eventId: number, msMax: number): Promise<void>;
}

interface Waiter {
  readonly eventId: number;
  readonly resolve: () => void;
}

/** Clients come to a node by thousands after a move: each waits for one call, and none looks. */
export function openHeads(): Heads {
  const waiting = new Map<number, Set<Waiter>>();

  function wake(realmId: number, eventId: number) {
    for (const waiter of waiting.get(realmId) ?? []) {
      if (waiter.eventId <= eventId) waiter.resolve();
    }
  }

  return {
    reached: wake,
    ended: (realmId) => wake(realmId, Number.POSITIVE_INFINITY),
    until: (realmId, eventId, msMax) =>
      new Promise((resolve) => {
        const waiters = waiting.get(realmId) ?? new Set();
        waiting.set(realmId, waiters);
        const waiter = {
          eventId,
          resolve() {
            clearTimeout(timer);
            waiters.delete(waiter);
            if (waiters.size === 0 && waiting.get(realmId) === waiters) waiting.delete(realmId);
            resolve();
          },
        };
        const timer = setTimeout(waiter.resolve, msMax);
        waiters.add(waiter);
      }),
  };
}
