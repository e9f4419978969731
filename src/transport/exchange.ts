import type { Readable } from 'node:stream';
import { FILE_CHUNK_BYTES } from '../domain/limits/files.ts';
import {
  ANSWER_PIECE_BYTES,
  COMPRESSED_BYTES_MIN,
  COMPRESSED_IN_ORDER_BYTES_MAX,
} from '../domain/limits/requests.ts';
import type { Quota } from '../endpoints/request-rate.ts';
import type { Trace } from '../endpoints/tracing.ts';
import { codeOf, GONE, type HttpRecord, OTHER } from '../metrics/recorders.ts';
import { compressedReply, isCompressible, varied } from './answers/compressed-reply.ts';
import {
  compressAtOnce,
  compressLater,
  compressShared,
  compressSharedAtOnce,
} from './answers/compression.ts';
import type { Coding } from './answers/content-codings.ts';
import type { HttpReply, StreamedReply } from './answers/http-reply.ts';
import { canBeLast, LAST_ANSWER_MS, lastAnswer } from './answers/last-answer.ts';
import { endInPieces, goesInPieces } from './answers/pieces.ts';
import { rateHeaders } from './answers/reply.ts';
import type { StandingHeaders } from './answers/standing-headers.ts';
import { idHeader, writeEncoded, writeHead, writeReply } from './answers/writing.ts';
import { BodyStream } from './body-stream.ts';
import { collectBody } from './collect-body.ts';
import { addressOf } from './connections/addresses.ts';
import { goesOn, hold, release, type Untaken } from './connections/untaken.ts';
import type { HttpResponse } from './library/sockets.ts';

/**
 * Notified when the client disconnects. It is an object rather than a callback, so that a parked
 * poll implements it without allocating a closure.
 */
export interface Waiting {
  gone(): void;
}

/**
 * The only code that touches an `HttpResponse`, which is dead once the client has gone or it has
 * been ended. Methods may be called at any time, and then do nothing. It is a class, because one is
 * made for every request: closures would be half of what a parked poll costs.
 */
export class HttpExchange {
  /** The rate limit of the caller, for the headers of the answer; null if there is none. */
  quota: Quota | null = null;
  /** The account of the caller. If it is empty, the bytes of the answer count for the address. */
  reader = '';
  /** True if no later request of the connection may run, because it is in doubt where it begins. */
  isLast = false;
  /**
   * True for a browser: a challenge would make it ask its user for a password, where a key is
   * needed.
   */
  isBrowser = false;
  /** The client's address, if a trusted proxy forwards it; else empty. */
  forwardedFrom = '';
  /**
   * The coding that the client wants, if it says which it takes and the answer may have any; else
   * null.
   */
  coding: Coding | 'identity' | typeof UNDER_WAY | null = null;
  /**
   * True while the library goes through the packet with the request: it closes the connection at a
   * further request in it, unless this one is answered by then.
   */
  isInPacket = false;
  /** The id of the request, if its answer is to name it or its end is logged. */
  trace: Trace | null = null;
  /** The headers of the answer; a page of an allowed origin gets others. */
  standing: StandingHeaders;
  private res: HttpResponse | null;
  /** The number of the endpoint, for the counts of requests. */
  endpoint = OTHER;
  private gone: Waiting | null = null;
  private body: BodyStream | null = null;

  private readonly record: HttpRecord;
  private begunAt: number;

  constructor(res: HttpResponse, standing: StandingHeaders, record: HttpRecord) {
    this.res = res;
    this.standing = standing;
    this.record = record;
    this.begunAt = record.begin();
    res.onAborted(() => {
      if (this.res !== null) this.count(GONE);
      this.res = null;
      this.body?.breakOff();
      const { gone } = this;
      this.gone = null;
      gone?.gone();
    });
  }

  /** Returns the client's address in the form that limits count; empty once the client has gone. */
  address(): string {
    return this.res === null ? '' : this.forwardedFrom || addressOf(this.res);
  }

  isOpen(): boolean {
    return this.res !== null;
  }

  /** The request waits for events from here on, which is not time that an answer takes. */
  park() {
    this.begunAt = this.record.park();
    // A thousand polls are answered with the same events, each with bytes of its own.
    this.coding = null;
    if (this.trace !== null) this.trace.hasWaited = true;
  }

  private count(code: number) {
    this.record.end(this.endpoint, this.begunAt, code);
    if (this.trace !== null) this.trace.end(this.endpoint, code === GONE);
  }

  /** Notes the status before the answer is counted. */
  private note(status: string) {
    if (this.trace !== null) this.trace.status = status;
  }

  /** Called before the response is written: from here on the exchange no longer refers to it. */
  private settle(code: number) {
    this.count(code);
    this.res = null;
    this.gone = null;
    this.body?.ignoreRest();
  }

  /** Sets the object to notify if the client goes away before the answer; the last one counts. */
  onGone(waiting: Waiting) {
    this.gone = waiting;
  }

  /** Ends the response. */
  end(reply: HttpReply): void {
    const { res, coding, quota } = this;
    if (res === null || coding === UNDER_WAY) return;
    if (coding !== null && !this.isLast && isCompressible(reply)) {
      this.compress(reply, coding);
      return;
    }
    const rated = quota === null ? reply : withQuota(reply, quota);
    this.note(reply.status);
    this.settle(codeOf(reply.status));
    this.record.sentBytes += reply.body.length;
    if (this.isLast || rated.closesConnection === true) this.endConnection(res, rated);
    else if (goesInPieces(rated)) this.endInPieces(res, rated);
    else res.cork(() => writeReply(res, rated, this));
  }

  /** Ends the response in the coding that the client wants, or as it is if there is no room. */
  private compress(plain: HttpReply, coding: Coding | 'identity') {
    const reply = varied(plain);
    this.coding = null;
    if (coding === 'identity') return this.end(reply);
    const { body, isShared = false } = reply;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const made = isShared
      ? this.sharedForm(bytes, coding)
      : compressAtOnce(bytes, coding, this.isInPacket ? COMPRESSED_IN_ORDER_BYTES_MAX : undefined);
    if (made !== undefined) return this.endCompressed(reply, coding, made);
    // Nothing else may end the response meanwhile; the client may go away.
    this.coding = UNDER_WAY;
    const begin = isShared ? compressShared : compressLater;
    const isBegun = begin(bytes, coding, (form) => this.endCompressed(reply, coding, form));
    if (!isBegun) this.endCompressed(reply, coding, null);
  }

  private sharedForm(bytes: Uint8Array, coding: Coding): Buffer | undefined {
    return this.isInPacket ? compressSharedAtOnce(bytes, coding) : undefined;
  }

  /** Ends the response with its body in a coding; null: as it is. */
  private endCompressed(reply: HttpReply, coding: Coding, form: Buffer | null) {
    if (this.res === null) return;
    this.coding = null;
    this.record.compress(coding, Buffer.byteLength(reply.body), form?.length ?? null);
    this.end(form === null ? reply : compressedReply(reply, coding, form));
  }

  /**
   * Ends the connection with the response. An error must not run requests that were sent behind it,
   * but the library would go on with the rest of the segment. Other responses are written later,
   * when there is no rest.
   */
  private endConnection(res: HttpResponse, reply: HttpReply) {
    if (!canBeLast(reply)) {
      res.cork(() => writeReply(res, { ...reply, closesConnection: true }, this));
      return;
    }
    const { headers = [] } = reply;
    const named = this.trace === null ? headers : [...headers, idHeader(this.trace)];
    res.cork(() => res.writeStatus(lastAnswer({ ...reply, headers: named }, this.standing)));
    const closing = setTimeout(() => res.close(), LAST_ANSWER_MS);
    this.gone = { gone: () => clearTimeout(closing) };
  }

  private endInPieces(res: HttpResponse, reply: HttpReply) {
    const reader = this.reader || this.forwardedFrom || addressOf(res);
    const gone = endInPieces(res, reply, { common: this, reader });
    if (gone !== null) this.gone = { gone };
  }

  /** Ends the response with this JSON and status 200, as nearly every answer. */
  endWithJson(body: string | Uint8Array) {
    const { res, coding } = this;
    if (res === null || coding === UNDER_WAY) return;
    const isCompressed = coding !== null && body.length >= COMPRESSED_BYTES_MIN;
    const { quota, standing } = this;
    const isRare = this.isLast || isCompressed || this.trace !== null;
    if (isRare || body.length > ANSWER_PIECE_BYTES || standing.connections.areEnding) {
      return this.end({ status: '200 OK', body });
    }
    this.settle(OK);
    this.record.sentBytes += body.length;
    writeEncoded(res, quota === null ? standing.json : standing.ratedJson(quota), body);
  }

  /** Ends the response to a HEAD with the headers that `stream` would send. */
  endHead(reply: StreamedReply, length: number | null) {
    const { res } = this;
    this.note(reply.status);
    if (res === null || !this.release(codeOf(reply.status))) return;
    res.cork(() => {
      writeHead(res, reply, this);
      if (length !== null) res.writeHeader('Content-Length', String(length));
      res.endWithoutBody();
    });
  }

  /**
   * Ends the response with a stream, as fast as the client takes it. If the client goes away, the
   * stream is destroyed; if the stream fails, the connection is closed, so that the client does not
   * take the part for the whole.
   */
  stream(reply: StreamedReply, body: Readable) {
    const { res } = this;
    if (res === null) {
      body.destroy();
      return;
    }
    this.gone = { gone: () => void body.destroy() };
    this.note(reply.status);
    res.cork(() => writeHead(res, reply, this));
    res.onWritable(() => {
      body.resume();
      return true;
    });
    body.on('data', (chunk: Buffer) => {
      if (this.res === null) return;
      this.record.sentBytes += chunk.length;
      res.cork(() => {
        if (!res.write(chunk)) body.pause();
      });
    });
    body.on('end', () => {
      if (this.release(codeOf(reply.status))) res.cork(() => res.end());
    });
    body.on('close', () => {
      if (this.release(GONE)) res.close();
    });
  }

  /**
   * Sends the next bytes of a response that has `total` in all; the first of them with its head.
   * Resolves when there is room for more, and the bytes are no longer used: with false if there is
   * nothing more to send, or the client has gone.
   */
  send(bytes: Uint8Array, total: number, head?: StreamedReply): Promise<boolean> {
    const { res } = this;
    if (res === null) return Promise.resolve(false);
    if (head !== undefined) this.note(head.status);
    const start = res.getWriteOffset();
    const reader = this.reader || this.forwardedFrom || addressOf(res);
    this.record.sentBytes += bytes.length;
    const untaken: Untaken = { reader, bytes: 2 * FILE_CHUNK_BYTES, cut: () => void res.close() };
    let isWaiting = false;
    return new Promise((resolve) => {
      const attempt = (from: number): boolean => {
        const [isTaken, isWhole] = res.tryEnd(from === 0 ? bytes : bytes.subarray(from), total);
        if (isWhole) this.release(OK);
        isWaiting = !isTaken && !isWhole;
        if (isWaiting) return false;
        release(untaken);
        resolve(!isWhole);
        return true;
      };
      this.gone = {
        gone() {
          release(untaken);
          resolve(false);
        },
      };
      // Tries the rest of the bytes again from where the library stopped taking them.
      res.onWritable((offset) => {
        goesOn(untaken);
        return !isWaiting || attempt(offset - start);
      });
      res.cork(() => {
        if (head !== undefined) writeHead(res, head, this);
        attempt(0);
      });
      if (isWaiting) hold(untaken);
    });
  }

  /** Closes the connection in the middle of a response. */
  breakOff() {
    const { res } = this;
    if (this.release(GONE)) res?.close();
  }

  /** Marks the response as ended; returns true if it was still open. */
  private release(code: number): boolean {
    const { res } = this;
    if (res !== null) this.settle(code);
    return res !== null;
  }

  /** Returns the body as it arrives. */
  takeBody(contentType: string, contentLength: string | null): BodyStream {
    const { res } = this;
    if (res === null) throw new Error('a request that is over has no body to come');
    this.body = new BodyStream(res, { contentType, contentLength }, this.record);
    return this.body;
  }

  /** Calls `whole` with a copy of the whole body, or `tooLarge` as soon as it exceeds the bound. */
  onBody(bytesMax: number, whole: (body: Buffer) => void, tooLarge: () => void) {
    const { res, record } = this;
    if (res !== null) collectBody(res, { bytesMax, record, whole, tooLarge });
  }
}

/** Stands for the coding while the answer is compressed. */
const UNDER_WAY = 'under way';

/** The number of the answers with a status of 200. */
const OK = codeOf('200');

const withQuota = (reply: HttpReply, quota: Quota): HttpReply => ({
  ...reply,
  headers: [...(reply.headers ?? []), ...rateHeaders(quota)],
});
