import { UPLOAD_BUFFER_BYTES_MAX, UPLOADS_HELD_BYTES_MAX } from '../domain/limits/files.ts';
import { badRequest, rateLimitHit } from '../domain/wire/errors.ts';
import type { IncomingBody } from '../endpoints/endpoint.ts';
import type { HttpRecord } from '../metrics/recorders.ts';
import { Patience } from './connections/patience.ts';
import type { HttpResponse } from './library/sockets.ts';
import { openMultipart } from './multipart.ts';

/** Bytes that all streamed bodies hold. */
let heldBytes = 0;
/** Seconds after which a client may come back whose body was too much to hold. */
const FULL_SECONDS = 1;

/** The counts of the transport that a body adds to. */
type UploadCounts = Pick<HttpRecord, 'receivedBytes' | 'uploadedBytes'>;

/**
 * A body as it arrives. When its reader falls behind by more than a bound, the client is made to
 * wait. It is a class for the same reason as `HttpExchange`, which tells it when the response is
 * gone.
 */
export class BodyStream implements IncomingBody {
  readonly bytes: number | null;
  private readonly contentType: string;
  private res: HttpResponse | null;
  private chunks: Buffer[] = [];
  private waitingBytes = 0;
  private isPaused = false;
  private standing: 'coming' | 'whole' | 'broken off' | 'too much' = 'coming';
  private wake: (() => void) | null = null;
  private readonly patience: Patience;
  private readonly counts: UploadCounts;

  constructor(
    res: HttpResponse,
    { contentType, contentLength }: { contentType: string; contentLength: string | null },
    counts: UploadCounts,
  ) {
    this.counts = counts;
    this.res = res;
    this.patience = new Patience(res);
    this.contentType = contentType;
    this.bytes = contentLength === null ? null : Number(contentLength);
    res.onData((chunk, isLast) => this.take(chunk, isLast));
  }

  async *[Symbol.asyncIterator]() {
    for (;;) {
      const chunk = this.chunks.shift();
      if (chunk !== undefined) {
        this.release(chunk.length);
        if (this.waitingBytes < UPLOAD_BUFFER_BYTES_MAX) this.resume();
        yield chunk;
      } else if (this.standing === 'whole') return;
      else if (this.standing === 'broken off') throw badRequest('The request was broken off');
      else if (this.standing === 'too much') throw rateLimitHit(FULL_SECONDS);
      else {
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
      }
    }
  }

  async *inPieces() {
    const reader = openMultipart(this.contentType);
    for await (const chunk of this) yield { length: chunk.length, pieces: reader.push(chunk) };
    reader.end();
  }

  /** Called when the client has gone. */
  breakOff() {
    this.res = null;
    this.drop();
    if (this.standing === 'coming') this.standing = 'broken off';
    this.goOn();
  }

  stop() {
    this.ignoreRest();
  }

  /**
   * Called when the answer is written: the rest of the body is read from the connection and
   * dropped, since another request may follow it.
   */
  ignoreRest() {
    this.resume();
    this.breakOff();
  }

  /** Copies a chunk, because the library neuters it when the callback returns. */
  private take(chunk: ArrayBuffer, isLast: boolean) {
    if (this.standing !== 'coming') return;
    if (heldBytes + chunk.byteLength > UPLOADS_HELD_BYTES_MAX) {
      this.standing = 'too much';
      this.drop();
      return this.goOn();
    }
    if (chunk.byteLength > 0) {
      this.counts.receivedBytes += chunk.byteLength;
      this.counts.uploadedBytes += chunk.byteLength;
      this.chunks.push(Buffer.from(new Uint8Array(chunk)));
      this.waitingBytes += chunk.byteLength;
      heldBytes += chunk.byteLength;
    }
    if (isLast) this.standing = 'whole';
    else if (this.waitingBytes >= UPLOAD_BUFFER_BYTES_MAX) this.pause();
    else if (!this.isPaused && this.res !== null) this.patience.note(chunk.byteLength);
    this.goOn();
  }

  private release(bytes: number) {
    this.waitingBytes -= bytes;
    heldBytes -= bytes;
  }

  private drop() {
    this.chunks = [];
    this.release(this.waitingBytes);
  }

  private pause() {
    if (this.isPaused || this.res === null) return;
    this.isPaused = true;
    this.res.pause();
  }

  private resume() {
    if (!this.isPaused || this.res === null) return;
    this.isPaused = false;
    this.res.resume();
  }

  private goOn() {
    const { wake } = this;
    this.wake = null;
    wake?.();
  }
}
