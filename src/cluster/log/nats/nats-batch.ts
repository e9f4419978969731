import { createInbox, type Msg } from '@nats-io/transport-node';
import { LogUnreachableError } from '../errors.ts';
import type { StoredRecord } from '../shard-log.ts';
import { streamOf } from './nats-streams.ts';
import { EPOCH, ID, type OpenedStream } from './opened-stream.ts';

/** Records and bytes that are asked for at once. */
const RECORDS = 200;
const BYTES = 8 * 1_048_576;
/** How long the next record of a batch is waited for. */
const SILENCE_MS = 3_000;

/** Returns the record that a message of the stream carries; undefined if it carries none. */
export function recordIn(message: Msg): StoredRecord | undefined {
  const { headers, data } = message;
  const sequence = Number(headers?.get('Nats-Sequence'));
  if (headers === undefined || !Number.isSafeInteger(sequence) || sequence < 1) return undefined;
  return {
    sequence,
    id: headers.get(ID),
    epoch: Number(headers.get(EPOCH)),
    // The bytes that came are a part of what was read from the socket, which would be kept.
    body: Uint8Array.from(data),
  };
}

/**
 * Reads the records from a number on, as many as one request gives. Any server of the stream
 * answers, so that the last ones may be missing. The client's own function for this leaves its
 * subscription open.
 */
export function readBatch(
  { shard, link }: OpenedStream,
  from: number,
): Promise<readonly StoredRecord[]> {
  const { connection } = link;
  return new Promise((resolve, reject) => {
    const records: StoredRecord[] = [];
    const inbox = createInbox();
    const end = (error?: Error) => {
      clearTimeout(timer);
      subscription.unsubscribe();
      if (error !== undefined && records.length === 0) reject(error);
      else resolve(records);
    };
    const timer = setTimeout(
      () => end(new LogUnreachableError('JetStream sent no records')),
      SILENCE_MS,
    );
    const subscription = connection.subscribe(inbox, {
      callback(error, message) {
        const status = message?.headers?.code ?? 0;
        // 204 ends a batch, and 404 says that there is none.
        if (error !== null || (status !== 0 && status !== 204 && status !== 404)) {
          end(error ?? new LogUnreachableError(`JetStream answers ${status}`));
          return;
        }
        if (status !== 0) {
          end();
          return;
        }
        const record = recordIn(message);
        timer.refresh();
        // Numbers that are left out are gone from the stream: what follows them is of no use.
        if (record?.sequence === from + records.length) records.push(record);
      },
    });
    try {
      connection.publish(
        `$JS.API.DIRECT.GET.${streamOf(shard)}`,
        JSON.stringify({ seq: from, batch: RECORDS, max_bytes: BYTES }),
        { reply: inbox },
      );
    } catch (error) {
      end(error instanceof Error ? error : new Error(String(error)));
    }
  });
}
