import { systemClock } from '../../../actors/clock.ts';
import type { Place } from '../../../storage/replication/commit-log.ts';
import type { ShardLog } from '../log/shard-log.ts';
import { encodeRecord, newRecordId } from '../records/record.ts';

interface ClaimInput {
  readonly node: string;
  /** The newest record that the node has applied; null for none. */
  readonly last: Place | null;
  /** UNIX milliseconds of that record. */
  readonly notBefore: number;
  /** The schema of the shard. */
  readonly schema: number;
}

/**
 * Claims a shard behind exactly what the node has applied. Resolves with null if the log has more;
 * rejects if it is not known whether the claim is stored.
 */
export async function appendClaim(log: ShardLog, { node, last, notBefore, schema }: ClaimInput) {
  const id = newRecordId();
  const epoch = (last?.epoch ?? 0) + 1;
  const expected = last?.sequence ?? 0;
  const at = Math.max(notBefore, systemClock.now());
  const head = { epoch, id, former: last?.id ?? '', schema, at };
  const body = encodeRecord(head, { kind: 'claim', node });
  const outcome = await log.append({ expected, id, epoch, body });
  if (outcome === 'refused') return null;
  return { place: { sequence: expected + 1, id, epoch }, at, schema };
}
