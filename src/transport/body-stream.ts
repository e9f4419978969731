import { badRequest } from '../domain/errors.ts';
import { UPLOAD_BUFFER_BYTES_MAX } from '../domain/limits.ts';
import type { IncomingBody } from '../endpoints/endpoint.ts';
import { Patience } from './patience.ts';
import type { HttpResponse } from './sockets.ts';

/**
 * A body as it arrives. When whoever reads it falls behind by more than a bound, the client is made to wait. A class for the
 * same reason as `HttpExchange`, which tells it when there is no response any more.
 */
export class BodyStream implements IncomingBody {
  readonly contentType: string;
  readonly bytes: number | null;
  private res: HttpResponse | null;
  private chunks: Buffer[] = [];
  private waitingBytes = 0;
  private isPaused = false;
  private standing: 'coming' | 'whole' | 'broken off' = 'coming';
  private wake: (() => void) | null = null;
  private readonly patience: Patience;

  constructor(res: HttpResponse, contentType: string, contentLength: string | null) {
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
        this.waitingBytes -= chunk.length;
        if (this.waitingBytes < UPLOAD_BUFFER_BYTES_MAX) this.resume();
        yield chunk;
      } else if (this.standing === 'whole') return;
      else if (this.standing === 'broken off') throw badRequest('The request was broken off');
      else {
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
      }
    }
  }

  /** The client has gone. */
  breakOff() {
    this.res = null;
    this.chunks = [];
    if (this.standing === 'coming') this.standing = 'broken off';
    this.goOn();
  }

  stop() {
    this.ignoreRest();
  }

  /** The answer is written: what still comes is read from the connection, since another request may follow it. */
  ignoreRest() {
    this.resume();
    this.breakOff();
  }

  /** A chunk is neutered when the callback returns, so it is copied. */
  private take(chunk: ArrayBuffer, isLast: boolean) {
    if (this.standing !== 'coming') return;
    if (chunk.byteLength > 0) {
      this.chunks.push(Buffer.from(new Uint8Array(chunk)));
      this.waitingBytes += chunk.byteLength;
    }
    if (isLast) this.standing = 'whole';
    else if (this.waitingBytes >= UPLOAD_BUFFER_BYTES_MAX) this.pause();
    else if (!this.isPaused && this.res !== null) this.patience.note(chunk.byteLength);
    this.goOn();
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
