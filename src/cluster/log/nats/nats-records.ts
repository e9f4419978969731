import { setTimeout as pause } from 'node:timers/promises';
import type { StoredMsg } from '@nats-io/jetstream';
import { APPEND_MS } from '../bounds.ts';
import { ClusterClosedError, LogUnreachableError } from '../errors.ts';
import type { StoredRecord } from '../shard-log.ts';
import { codeOf, NO_LEADER, NO_MESSAGE } from './error-codes.ts';
import { streamOf } from './nats-streams.ts';
import { EPOCH, ID, type OpenedStream } from './opened-stream.ts';

/** A question is asked again after so long if nobody could answer it. */
const AGAIN_MS = 250;

/** Reads one record, from the leader: other servers may not have it yet. */
export async function recordOf(
  { shard, jsm, link }: OpenedStream,
  sequence: number,
): Promise<StoredRecord | undefined> {
  if (sequence < 1) return undefined;
  await link.reached(APPEND_MS);
  return asked(async () => {
    try {
      const message = await jsm.streams.getMessage(streamOf(shard), { seq: sequence });
      return message === null ? undefined : fromStored(message);
    } catch (error) {
      if (codeOf(error) === NO_MESSAGE) return undefined;
      throw error;
    }
  });
}

const fromStored = ({ seq, header, data }: StoredMsg): StoredRecord => ({
  sequence: seq,
  id: header.get(ID),
  epoch: Number(header.get(EPOCH)),
  body: data,
});

/**
 * Asks JetStream, and again while nobody answers: after a leader was lost, an election takes up to
 * 9 seconds.
 */
export async function asked<Value>(
  ask: () => Promise<Value>,
  giveUpMs: number = APPEND_MS,
): Promise<Value> {
  const until = Date.now() + giveUpMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (isClosed(error)) {
        throw new ClusterClosedError('The connection to NATS was closed', { cause: error });
      }
      if (codeOf(error) !== undefined && codeOf(error) !== NO_LEADER) throw error;
      if (Date.now() > until) {
        throw new LogUnreachableError(`JetStream does not answer: ${String(error)}`, {
          cause: error,
        });
      }
      await pause(AGAIN_MS);
    }
  }
}

const isClosed = (error: unknown) =>
  error instanceof ClusterClosedError ||
  (error instanceof Error && error.name === 'ClosedConnectionError');
