import http from 'node:http';
import https from 'node:https';
import { callable, NotPossible, publicLookup } from './hosts.ts';

export interface Posting {
  readonly url: string;
  readonly contentType: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** The largest response that is read. */
  readonly bytesMax: number;
  /** Allows private addresses: those of this machine and of the networks around it. */
  readonly allowsPrivate: boolean;
}

export interface Posted {
  readonly status: number;
  readonly text: string;
  /** How long the server asks to be left alone (RFC 9110, section 10.2.3); null: it does not. */
  readonly retryAfterMs: number | null;
}

/** An error of a server that has said when another attempt may succeed. */
export class TooEarly extends Error {
  readonly pauseMs: number;

  constructor(message: string, pauseMs: number) {
    super(message);
    this.pauseMs = pauseMs;
  }
}

/** Tests for the error of a `post` that had no whole response in time. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === 'ABORT_ERR';

/** Says in words that there was no answer in time; `isTimeout` is true for it. */
export const noAnswer = (timeoutMs: number): Error =>
  Object.assign(new Error(`there was no answer within ${timeoutMs / 1_000} s`), {
    name: 'TimeoutError',
    code: 'ABORT_ERR',
  });

/** Reads `Retry-After`, in seconds or as a date. Milliseconds, bounded by a day. */
export function retryAfterMsOf(text: string | undefined, now: number = Date.now()): number | null {
  if (text === undefined) return null;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, RETRY_AFTER_MS_MAX) : null;
}

const RETRY_AFTER_MS_MAX = 86_400_000;

/** Sends one POST and follows no redirect. Rejects when there is no whole response in time. */
export function post(posting: Posting): Promise<Posted> {
  const url = callable(posting.url, posting);
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => reject(isTimeout(error) ? noAnswer(posting.timeoutMs) : error);
    const outgoing = request(
      url,
      {
        method: 'POST',
        // No connection is reused: the address of a new one is checked, whatever the host was
        // before.
        agent: false,
        signal: AbortSignal.timeout(posting.timeoutMs),
        headers: {
          'content-type': posting.contentType,
          'content-length': Buffer.byteLength(posting.body),
          'user-agent': 'confab',
          ...posting.headers,
        },
        ...(posting.allowsPrivate ? {} : { lookup: publicLookup }),
      },
      (response) => {
        read(response, posting.bytesMax).then(
          (text) =>
            resolve({
              status: response.statusCode ?? 0,
              text,
              retryAfterMs: retryAfterMsOf(response.headers['retry-after']),
            }),
          (error) => {
            outgoing.destroy();
            fail(error);
          },
        );
      },
    );
    outgoing.on('error', fail);
    outgoing.end(posting.body);
  });
}

async function read(response: http.IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new NotPossible(`The answer is larger than ${bytesMax} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
