import { ANONYMOUS_BODY_BYTES_MAX } from '../domain/limits/requests.ts';
import type { HttpRecord } from '../metrics/recorders.ts';
import { Patience } from './connections/patience.ts';
import type { HttpResponse } from './library/sockets.ts';

export interface Collecting {
  readonly bytesMax: number;
  /** The counts of bytes that came. */
  readonly record: HttpRecord;
  readonly whole: (body: Buffer) => void;
  readonly tooLarge: () => void;
}

/** Copies each chunk, because the library neuters it when the callback returns. */
export function collectBody(res: HttpResponse, { bytesMax, record, whole, tooLarge }: Collecting) {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let isOver = false;
  // The body of an anonymous client is small, so the library's time is enough for it.
  const patience = bytesMax > ANONYMOUS_BODY_BYTES_MAX ? new Patience(res) : null;
  res.onData((chunk, isLast) => {
    if (isOver) return;
    bytes += chunk.byteLength;
    if (bytes > bytesMax) {
      isOver = true;
      chunks = [];
      tooLarge();
      return;
    }
    const copy = Buffer.from(new Uint8Array(chunk));
    if (!isLast) {
      chunks.push(copy);
      patience?.note(chunk.byteLength);
      return;
    }
    record.receivedBytes += bytes;
    whole(chunks.length === 0 ? copy : Buffer.concat([...chunks, copy]));
  });
}
