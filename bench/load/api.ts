import { Buffer } from 'node:buffer';
import { type HttpConnection, type HttpReply, openHttp } from './http.ts';
import type { Address } from './stream.ts';

export interface Credentials {
  readonly email: string;
  readonly api_key: string;
}

/** The baselines know this sender. */
export const BASELINE_SENDER: Credentials = {
  email: 'sender@load.example.com',
  api_key: 'k'.repeat(43),
};

export interface RequestParts {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Behind `/api/v1`, query included. */
  readonly path: string;
  readonly authorization?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly idempotencyKey?: string;
  /** By which name the server is asked, where that is not its address: a realm is chosen by it. */
  readonly host?: Address;
}

export interface JsonReply {
  readonly status: number;
  readonly body: ReplyBody;
}

/** The fields that are read here, and whatever else a reply holds. */
export interface ReplyBody {
  readonly id?: unknown;
  readonly queue_id?: unknown;
  readonly last_event_id?: unknown;
  readonly [name: string]: unknown;
}

export function basicAuthorization({ email, api_key }: Credentials): string {
  return `Basic ${Buffer.from(`${email}:${api_key}`).toString('base64')}`;
}

/** The bytes of a request as one string: ASCII, because params are form-encoded. */
export function requestText(address: Address, parts: RequestParts): string {
  const { method, path, authorization, params, idempotencyKey, host = address } = parts;
  const head = [`${method} /api/v1${path} HTTP/1.1`, `Host: ${host.host}:${host.port}`];
  if (authorization !== undefined) head.push(`Authorization: ${authorization}`);
  if (idempotencyKey !== undefined) head.push(`Idempotency-Key: ${idempotencyKey}`);
  if (params === undefined) return `${head.join('\r\n')}\r\n\r\n`;
  const body = new URLSearchParams(params).toString();
  head.push('Content-Type: application/x-www-form-urlencoded', `Content-Length: ${body.length}`);
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Parses the body of a reply while its bytes are still valid. */
export function jsonReply(reply: HttpReply): JsonReply {
  // A server under test answers every request with a JSON object; anything else throws here.
  const body = JSON.parse(reply.bytes.toString('utf8', reply.start, reply.end)) as ReplyBody;
  return { status: reply.status, body };
}

type Sender = Pick<HttpConnection, 'send'>;

/** Sends a request; the reply is undefined when the connection closed before it came. */
export const ask = (sender: Sender, address: Address, parts: RequestParts) =>
  new Promise<JsonReply | undefined>((resolve) => {
    sender.send(requestText(address, parts), (raw) => resolve(raw && jsonReply(raw)));
  });

export interface Called {
  readonly body: ReplyBody;
  readonly bytes: number;
  /** Until all of the answer was there; parsing it is the generator's own. */
  readonly ms: number;
}

/** Sends a request that must succeed; a refusal or a broken connection throws. */
export const callTimed = (sender: Sender, address: Address, parts: RequestParts) =>
  new Promise<Called>((resolve, reject) => {
    const text = requestText(address, parts);
    const startMs = performance.now();
    sender.send(text, (raw) => {
      const ms = performance.now() - startMs;
      const reply = raw && jsonReply(raw);
      if (raw !== undefined && reply?.status === 200) {
        resolve({ body: reply.body, bytes: raw.end - raw.start, ms });
        return;
      }
      const reason = reply === undefined ? 'connection closed' : JSON.stringify(reply);
      reject(new Error(`${parts.method} ${parts.path}: ${reason}`));
    });
  });

/** The same, of which only the body of the reply matters. */
export const call = async (
  sender: Sender,
  address: Address,
  parts: RequestParts,
): Promise<ReplyBody> => (await callTimed(sender, address, parts)).body;

/** Calls on a connection of its own. */
export async function callOnce(address: Address, parts: RequestParts): Promise<ReplyBody> {
  const connection = openHttp(address);
  try {
    return await call(connection, address, parts);
  } finally {
    connection.close();
  }
}
