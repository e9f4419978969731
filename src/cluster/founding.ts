import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { SharedValues } from './log/bus.ts';
import { LogUnreachableError } from './log/errors.ts';
import { packed, unpacked } from './nodes/frames.ts';

/** The facts that all nodes of a cluster agree on, for ever. */
export interface Founding {
  readonly id: string;
  readonly shards: number;
  /** The word by which nodes know each other's requests. */
  readonly secret: string;
}

const KEY = 'cluster';

/** Servers that have just started, or elect a leader, are waited for. */
const REACHED_MS_MAX = 30_000;
const AGAIN_MS = 200;

/**
 * Reads what the cluster was founded with; the first node founds it. Rejects with
 * `LogUnreachableError` if the servers of the log are not reached for half a minute.
 */
export async function foundingOf(
  values: Pick<SharedValues, 'putNew' | 'get'>,
  shards: number,
): Promise<Founding> {
  const own: Founding = {
    id: randomBytes(8).toString('hex'),
    shards,
    secret: randomBytes(32).toString('hex'),
  };
  const until = performance.now() + REACHED_MS_MAX;
  for (;;) {
    try {
      // It may be stored though that is not known, and is not stored again then.
      await values.putNew(KEY, packed(own));
      const founded = await values.get(KEY);
      if (founded !== undefined) return unpacked<Founding>(founded);
      throw new Error('the shared values of the cluster cannot be read');
    } catch (error) {
      if (!(error instanceof LogUnreachableError) || performance.now() > until) throw error;
      await pause(AGAIN_MS);
    }
  }
}
