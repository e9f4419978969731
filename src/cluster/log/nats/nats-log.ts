import { setTimeout as pause } from 'node:timers/promises';
import { headers } from '@nats-io/transport-node';
import { APPEND_MS, ATTEMPT_MS, RECORD_BYTES_MAX, requireFitting } from '../bounds.ts';
import { ClusterClosedError, LogUnreachableError } from '../errors.ts';
import type { NewRecord, ShardLog } from '../shard-log.ts';
import { isWrongLastSequence } from './error-codes.ts';
import { asked, recordOf } from './nats-records.ts';
import { streamOf, subjectOf } from './nats-streams.ts';
import { openNatsTail } from './nats-tail.ts';
import { EPOCH, type OpenedStream } from './opened-stream.ts';

/** Between an attempt that failed at once and the next one. */
const PAUSE_MS = 100;
/** A log that says for so long that it is shorter than the writer knows was cut back. */
const SHORT_MS = 3_000;

/** Opens the log of a shard over its stream. */
export function openNatsLog(stream: OpenedStream): ShardLog {
  const { shard, jsm, link } = stream;
  async function state() {
    await link.reached(APPEND_MS);
    return (await asked(() => jsm.streams.info(streamOf(shard)))).state;
  }
  return {
    // A stream that never had a record says 0.
    first: async () => Math.max(1, (await state()).first_seq),
    last: async () => (await state()).last_seq,
    record: (sequence) => recordOf(stream, sequence),
    append: (record) => append(stream, record),
    tail: (input) => openNatsTail(stream, input),
    async forgetBefore(sequence) {
      const { first_seq: first, last_seq: last } = (
        await asked(() => jsm.streams.info(streamOf(shard)))
      ).state;
      // JetStream would number the next record from there on if no record has that number.
      const seq = Math.min(sequence, last + 1);
      if (seq > first) await asked(() => jsm.streams.purge(streamOf(shard), { seq }));
    },
  };
}

async function append(stream: OpenedStream, record: NewRecord): Promise<'stored' | 'refused'> {
  requireFitting(record.body, RECORD_BYTES_MAX);
  const { link } = stream;
  const until = Date.now() + APPEND_MS;
  let refusedAt: number | undefined;
  let why: unknown;
  while (Date.now() < until) {
    try {
      // The client would keep an append without a connection, and send it long afterwards.
      await link.reached(until - Date.now());
      const answer = await attempt(stream, record);
      if (answer !== 'out of place') return answer;
      const became = await whatBecame(stream, record);
      if (became !== 'not known') return became;
      refusedAt ??= Date.now();
      if (Date.now() - refusedAt > SHORT_MS) return 'refused';
    } catch (error) {
      if (!link.connection.isClosed()) why = error;
      else throw new ClusterClosedError('The connection to NATS was closed', { cause: error });
    }
    await pause(PAUSE_MS);
  }
  throw new LogUnreachableError(`NATS did not confirm the append within ${APPEND_MS} ms`, {
    cause: why,
  });
}

/** Makes one attempt. Rejects if its outcome is not known. */
async function attempt(
  { shard, js }: OpenedStream,
  { expected, id, epoch, body }: NewRecord,
): Promise<'stored' | 'refused' | 'out of place'> {
  const named = headers();
  named.set(EPOCH, String(epoch));
  try {
    const ack = await js.publish(subjectOf(shard), body, {
      expect: { streamName: streamOf(shard), lastSequence: expected },
      msgID: id,
      headers: named,
      timeout: ATTEMPT_MS,
      retries: 1,
    });
    // JetStream answers a repeat with the number of the first one, whatever is expected.
    return ack.seq === expected + 1 ? 'stored' : 'refused';
  } catch (error) {
    if (isWrongLastSequence(error)) return 'out of place';
    throw error;
  }
}

/**
 * Looks what became of a record of which somebody says that it is out of place. An attempt before
 * may have stored it, and the log knows the ids of repeats only for a while. And a server that was
 * cut off takes itself for the leader for a moment when it is back: it says so by the old end that
 * it knows, while the leader stores the record.
 */
async function whatBecame(
  stream: OpenedStream,
  { expected, id }: NewRecord,
): Promise<'stored' | 'refused' | 'not known'> {
  const { jsm, shard } = stream;
  const stored = await recordOf(stream, expected + 1);
  if (stored !== undefined) return stored.id === id ? 'stored' : 'refused';
  // It may have been there, and be forgotten already.
  const { last_seq: last } = (await asked(() => jsm.streams.info(streamOf(shard)))).state;
  return last > expected ? 'refused' : 'not known';
}
