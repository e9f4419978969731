import { KEY_USES_PER_STEP } from '../../src/domain/limits.ts';
import { addressClass } from '../../src/domain/wire/address-class.ts';
import type { KeyUseRow } from '../../storage/tables/people/keys.ts';
import type { Operation, RealmTransaction } from '../../storage/transaction.ts';

export interface UsedKey {
  readonly userId: number;
  readonly keyHash: string;
}

interface Use extends UsedKey {
  readonly row: KeyUseRow;
  readonly period: number;
}

/**
 * When keys were last used: noted in memory once a period for each, and written by the realm's housekeeping after it, so that
 * no request causes a commit. What a kill takes of it is what was noted since then.
 */
export class KeyUses {
  /** An hour, by number. Whoever has noted a key in it has nothing to do for the rest of it. */
  period = 0;
  private readonly unwritten = new Map<string, Use>();

  note({ userId, keyHash }: UsedKey, from: { client: string; address: string }, now: number) {
    const { client, address } = from;
    const usedAt = Math.floor(now / 1000);
    const row = { usedAt, client, addressClass: addressClass(address) };
    this.unwritten.set(keyHash, { userId, keyHash, row, period: this.period });
  }

  isNoted(keyHash: string): boolean {
    return this.unwritten.get(keyHash)?.period === this.period;
  }

  /** Returns the use of a key that is noted in memory and not yet written to its row. */
  unwrittenOf(keyHash: string): KeyUseRow | undefined {
    return this.unwritten.get(keyHash)?.row;
  }

  /** Some of what is to be written, oldest first: it stays noted until that is told to be done. */
  nextStep(): UsesStep | undefined {
    if (this.unwritten.size === 0) return undefined;
    const uses: Use[] = [];
    for (const use of this.unwritten.values()) {
      if (uses.length === KEY_USES_PER_STEP) break;
      uses.push(use);
    }
    return { write: (tx) => writeUses(tx, uses), done: () => this.forget(uses) };
  }

  /** All of it without a pause, one commit after the other: for when nobody is served any more. */
  write(run: (operation: Operation<void>, then: () => void) => void) {
    const step = this.nextStep();
    if (step === undefined) return;
    run(step.write, () => {
      step.done();
      this.write(run);
    });
  }

  /** One that was noted again in the meantime has more to be written. */
  private forget(uses: readonly Use[]) {
    for (const use of uses) {
      if (this.unwritten.get(use.keyHash) === use) this.unwritten.delete(use.keyHash);
    }
  }
}

export interface UsesStep {
  readonly write: Operation<void>;
  done(): void;
}

/** A key may have ended since it was used. */
function writeUses(tx: RealmTransaction, uses: readonly Use[]) {
  for (const { userId, keyHash, row } of uses) {
    if (tx.apiKeys.has([userId, keyHash])) tx.keyUses.put([userId, keyHash], row);
  }
}

/** A listener counts as a use of the key that its queue was registered with, since most polls skip noting it. */
export function noteListening(tx: RealmTransaction, queueIds: readonly string[]) {
  const usedAt = Math.floor(tx.now / 1000);
  for (const id of queueIds) {
    const queue = tx.queues.get([id]);
    if (queue?.keyHash === undefined) continue;
    const key = [queue.userId, queue.keyHash] as const;
    if (!tx.apiKeys.has([...key])) continue;
    const known = tx.keyUses.get([...key]) ?? { client: null, addressClass: null };
    tx.keyUses.put([...key], { ...known, usedAt });
  }
}
