import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Attack, attacksOn } from './expression-attacks.ts';

const ATTACK_LENGTH = 100_000;
/**
 * Milliseconds of CPU time. A linear expression takes a few; a quadratic one takes seconds, on any
 * machine.
 */
const ALLOWED_MS = 300;
/**
 * Milliseconds by the clock, for an expression that does not end: far more, as a machine may be
 * busy.
 */
const WAITED_MS = 20_000;

export interface Slow {
  readonly attack: Attack;
  /** Undefined for one that was given up. */
  readonly ms: number | undefined;
}

export interface Attacked {
  readonly pattern: string;
  readonly flags: string;
  /** A sticky one that is asked only where a line begins. */
  readonly isOfLines?: boolean;
}

export interface Attacker {
  /** The first attack that the expression is slow on, if there is any. */
  slowOn(expression: Attacked): Promise<Slow | undefined>;
  end(): Promise<void>;
}

/** Runs expressions in a thread of their own, which is ended when one of them does not end. */
export function newAttacker({ waitedMs = WAITED_MS }: { waitedMs?: number } = {}): Attacker {
  let worker: Worker | undefined;
  return {
    async slowOn({ pattern, flags, isOfLines = false }) {
      worker ??= new Worker(new URL('attacked-expression.mjs', import.meta.url));
      const attacks = attacksOn({ pattern, flags });
      worker.postMessage({
        pattern,
        flags,
        isOfLines,
        attacks,
        length: ATTACK_LENGTH,
        allowedMs: ALLOWED_MS,
      });
      const slow = await outcome(worker, attacks, waitedMs);
      if (slow !== undefined && slow.ms === undefined) {
        await worker.terminate();
        worker = undefined;
      }
      return slow;
    },
    end: async () => void (await worker?.terminate()),
  };
}

async function outcome(
  worker: Worker,
  attacks: readonly Attack[],
  waitedMs: number,
): Promise<Slow | undefined> {
  let begun = 0;
  const at = (index: number): Attack => attacks[index] ?? { head: '', pump: '', tail: '' };
  for (;;) {
    const given = AbortSignal.timeout(waitedMs);
    try {
      const [message] = await once(worker, 'message', { signal: given });
      if (message.done) return undefined;
      if (message.slow !== undefined) return { attack: at(message.slow), ms: message.ms };
      begun = message.begun;
    } catch (error) {
      if (!given.aborted) throw error;
      return { attack: at(begun), ms: undefined };
    }
  }
}
