import type { StoredMsg } from '@nats-io/jetstream';
import { APPEND_MS } from '../bounds.ts';
import { ClusterClosedError, LogUnreachableError } from '../errors.ts';
import type { StoredRecord } from '../shard-log.ts';
import { codeOf, streamOf } from './nats-streams.ts';
import { EPOCH, ID, type OpenedStream } from './opened-stream.ts';

/** Error codes of NATS: no record has this number; JetStream has no leader at present. */
const NO_MESSAGE = 10_037;
const NO_LEADER = 10_008;
/** A question is asked again after so long, and so often, if nobody had time to answer. */
const AGAIN_MS = 100;
const ATTEMPTS_MAX = 4;

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

/** Asks JetStream, and again if nobody answered in time. */
export async function asked<Value>(ask: () => Promise<Value>): Promise<Value> {
  let why: unknown;
  for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts += 1) {
    try {
      return await ask();
    } catch (error) {
      why = error;
      if (isClosed(error)) {
        throw new ClusterClosedError('The connection to NATS was closed', { cause: error });
      }
      if (codeOf(error) !== undefined && codeOf(error) !== NO_LEADER) throw error;
      await pause(AGAIN_MS);
    }
  }
  throw new LogUnreachableError(`JetStream does not answer: ${String(why)}`, { cause: why });
}

const isClosed = (error: unknown) =>
  error instanceof ClusterClosedError ||
  (error instanceof Error && error.name === 'ClosedConnectionError');

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
