import { KEY_USES_PER_STEP } from '../../src/domain/limits/credentials.ts';
import { addressClass } from '../../src/domain/wire/address-class.ts';
import type { KeyUseRow } from '../../storage/tables/people/keys.ts';
import type { Operation, RealmTransaction } from '../../storage/transaction.ts';

export interface UsedKey {
  readonly userId: number;
  readonly keyHash: string;
}

/** The latest use of a key. */
export interface KeyUse extends UsedKey {
  readonly row: KeyUseRow;
}

interface Use extends KeyUse {
  readonly period: number;
}

/**
 * The latest use of each key: noted in memory once a period, and written by the housekeeping after
 * it, so that no request causes a commit. A kill loses the notes since then.
 */
export class KeyUses {
  /** The number of the hour. A key that was noted in it is not noted again before the next. */
  period = 0;
  private readonly unwritten = new Map<string, Use>();

  note({ userId, keyHash }: UsedKey, from: { client: string; address: string }, now: number) {
    const { client, address } = from;
    const usedAt = Math.floor(now / 1000);
    const row = { usedAt, client, addressClass: addressClass(address) };
    this.take({ userId, keyHash, row });
  }

  /** Notes a use that another process has seen. */
  take({ userId, keyHash, row }: KeyUse) {
    this.unwritten.set(keyHash, { userId, keyHash, row, period: this.period });
  }

  isNoted(keyHash: string): boolean {
    return this.unwritten.get(keyHash)?.period === this.period;
  }

  /** Returns the use of a key that is noted in memory and not yet written to its row. */
  unwrittenOf(keyHash: string): KeyUseRow | undefined {
    return this.unwritten.get(keyHash)?.row;
  }

  /** Returns some notes to write, oldest first. They stay noted until the step is done. */
  nextStep(): UsesStep | undefined {
    if (this.unwritten.size === 0) return undefined;
    const uses: Use[] = [];
    for (const use of this.unwritten.values()) {
      if (uses.length === KEY_USES_PER_STEP) break;
      uses.push(use);
    }
    return { write: (tx) => writeUses(tx, uses), done: () => this.forget(uses) };
  }

  /** Writes all notes without a pause, once nobody is served any more. */
  write(run: (operation: Operation<void>, then: () => void) => void) {
    const step = this.nextStep();
    if (step === undefined) return;
    run(step.write, () => {
      step.done();
      this.write(run);
    });
  }

  /** Forgets written notes, but keeps a key that was noted again in the meantime. */
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

/**
 * The uses of keys in a process that does not write them: it tells of each once an
 * hour, and then forgets it.
 */
export class UntoldKeyUses extends KeyUses {
  private untold: KeyUse[] = [];

  override take(use: KeyUse) {
    super.take(use);
    this.untold.push(use);
  }

  /** Returns what is to be told. */
  takeUntold(): readonly KeyUse[] {
    const { untold } = this;
    this.untold = [];
    return untold;
  }

  /** Begins the next hour. The writer has the uses of the last one by now. */
  nextPeriod() {
    this.period += 1;
    this.write((_, then) => then());
  }
}

/** Tests for a key or a session that still exists: it may have ended since it was used. */
const isThere = (tx: RealmTransaction, [userId, keyHash]: readonly [number, string]) =>
  tx.apiKeys.has([userId, keyHash]) || tx.sessions.has([userId, keyHash]);

/** Writes the uses of keys and sessions that still exist. */
function writeUses(tx: RealmTransaction, uses: readonly Use[]) {
  for (const { userId, keyHash, row } of uses) {
    if (isThere(tx, [userId, keyHash])) tx.keyUses.put([userId, keyHash], row);
  }
}

/**
 * A listener counts as a use of the key that its queue was registered with, since most polls skip
 * noting it.
 */
export function noteListening(tx: RealmTransaction, queueIds: readonly string[]) {
  const usedAt = Math.floor(tx.now / 1000);
  for (const id of queueIds) {
    const queue = tx.queues.get([id]);
    if (queue?.keyHash === undefined) continue;
    const key = [queue.userId, queue.keyHash] as const;
    if (!isThere(tx, key)) continue;
    const known = tx.keyUses.get([...key]) ?? { client: null, addressClass: null };
    tx.keyUses.put([...key], { ...known, usedAt });
  }
}
