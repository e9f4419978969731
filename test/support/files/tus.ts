import http from 'node:http';
import { basic } from '../client.ts';
import type { Person } from '../users.ts';

interface TusReply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** The parsed JSON; null if there was no body. */
  readonly body: Record<string, unknown> | null;
}

export interface TusRequest {
  readonly method: string;
  /** From the root of the server; where uploads are begun, when it is not said. */
  readonly path?: string;
  readonly as?: Person | null;
  /** `tus-resumable` is among them, unless it is null. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: string | Buffer;
  readonly host?: string;
}

export const TUS = '/api/v1/tus';

/** One request as tus clients make it. */
export function tus(port: number, request: TusRequest): Promise<TusReply> {
  const begun = beginTus(port, request);
  const reply = answerTo(begun);
  begun.end(request.body);
  return reply;
}

/** The same, to be written and ended by the test. */
export function beginTus(
  port: number,
  { method, path = TUS, as = null, headers = {}, host = 'test.localhost' }: TusRequest,
): http.ClientRequest {
  const authorization = as === null ? {} : { authorization: basic(as) };
  const sent: http.OutgoingHttpHeaders = { host, 'tus-resumable': '1.0.0', ...authorization };
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) delete sent[name];
    else sent[name] = value;
  }
  return http.request({
    port,
    host: '127.0.0.1',
    method,
    path,
    headers: sent,
    agent: false,
  });
}

/** Returns the reply to a request that is begun. Call it before the request is ended. */
export const answerTo = (request: http.ClientRequest): Promise<TusReply> =>
  new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => void replyOf(response).then(resolve, reject));
  });

async function replyOf(response: http.IncomingMessage): Promise<TusReply> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const { statusCode = 0, headers } = response;
  return { status: statusCode, headers, body: text === '' ? null : JSON.parse(text) };
}

/** `Upload-Metadata` of these. */
export const metadata = (values: Readonly<Record<string, string | Buffer>>): string =>
  Object.entries(values)
    .map(([key, value]) => `${key} ${Buffer.from(value as string).toString('base64')}`) // of either
    .join(',');

export const PART = { 'content-type': 'application/offset+octet-stream' };

/** Begins an upload, which must succeed; its path. */
export async function begun(
  port: number,
  as: Person,
  { length, ...values }: { length: number; filename?: string; filetype?: string },
): Promise<string> {
  const { status, headers, body } = await tus(port, {
    method: 'POST',
    as,
    headers: { 'upload-length': String(length), 'upload-metadata': metadata(values) },
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return headers.location ?? '';
}

/** Sends the bytes from here on. */
export const part = (
  port: number,
  as: Person | null,
  { path, offset, body }: { path: string; offset: number; body: string | Buffer },
): Promise<TusReply> =>
  tus(port, {
    method: 'PATCH',
    path,
    as,
    headers: { ...PART, 'upload-offset': String(offset) },
    body,
  });

/** How much of it the server has. */
export async function offsetOf(port: number, as: Person, path: string): Promise<number> {
  const { status, headers } = await tus(port, { method: 'HEAD', path, as });
  if (status !== 200) throw new Error(`HEAD ${path}: ${status}`);
  return Number(headers['upload-offset']);
}
