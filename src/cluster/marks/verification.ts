import type { Bus } from '../log/bus.ts';
import { askOwner } from '../shards/owner-tasks.ts';
import { compareAt, type VerifiedShard } from './verifying.ts';

interface VerificationInput {
  readonly bus: Bus;
  /** Returns the nodes with a copy of the shard that were heard of in the last minute. */
  readonly known: (shard: number) => readonly string[];
}

/** Compares the copies of a shard. Resolves with undefined if no node owns it. */
export type Verify = (shard: number) => Promise<VerifiedShard | undefined>;

/**
 * Has the owner of a shard write a mark, and compares what all holders have there. One shard is
 * compared at a time, as each comparison reads all rows.
 */
export function openVerification({ bus, known }: VerificationInput): Verify {
  let working: Promise<unknown> = Promise.resolve();

  async function verify(shard: number): Promise<VerifiedShard | undefined> {
    const marked = await askOwner(bus, shard, ['mark']);
    if (typeof marked !== 'object') return undefined;
    const { node: owner, sequence } = marked;
    // A node that has just been started knows of few others, and the owner of more.
    const nodes = [...new Set([...known(shard), ...marked.nodes])];
    return await compareAt({ bus, shard, sequence, owner, nodes });
  }

  return (shard) => {
    const verified = working.then(() => verify(shard));
    working = verified.catch(() => undefined);
    return verified;
  };
}
