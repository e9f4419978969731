import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import aws4 from 'aws4';
import { diskFault } from '../files/disk-fault.ts';
import { ObjectStoreAway, ObjectStoreError } from './object-error.ts';
import { textsIn } from './s3-xml.ts';

/** The service that `s3://` addresses are of, and the key that it knows this server by. */
export interface S3Settings {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string | null;
  readonly secretAccessKey: string | null;
  readonly secretAccessKeyFile: string | null;
  /** A file with certificates of the authorities that alone are trusted; by default Node's are. */
  readonly authoritiesFile?: string | null;
}

/** The bytes of a request, with their hash: it is signed, so the service refuses changed bytes. */
export interface Body {
  /** The bytes, or a function that reads them again for each try. */
  readonly chunks: Iterable<Uint8Array> | (() => AsyncIterable<Uint8Array>);
  readonly bytes: number;
  readonly sha256: string;
}

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  /** The first byte that is wanted. */
  readonly offset?: number;
  /** The byte behind the last one that is wanted; by default all to the end are. */
  readonly end?: number;
  readonly body?: Body;
}

export interface S3Reply {
  readonly headers: http.IncomingHttpHeaders;
  /** The content, which has to be read or destroyed. */
  readonly content: http.IncomingMessage;
}

export interface Bucket {
  /** Sends a request, several times if the service has no answer for now. */
  send(request: S3Request): Promise<S3Reply>;
  /** The same for a short answer, which it returns. */
  text(request: S3Request): Promise<{ text: string; headers: http.IncomingHttpHeaders }>;
}

const NOTHING: Body = {
  chunks: [],
  bytes: 0,
  sha256: createHash('sha256').digest('hex'),
};

/** How patient a bucket is with its service. */
export interface Patience {
  /** A connection on which nothing happens for this long is given up. */
  readonly silenceMs: number;
  readonly connectionsMax: number;
}

const TRIES = 4;
/** The first pause before another try; each further one is four times as long. */
const PAUSE_MS = 200;
/** A backup has time: no request of a client waits for it. */
const PATIENT: Patience = { silenceMs: 60_000, connectionsMax: 16 };
/** The description of an error is a few hundred bytes. */
const REFUSAL_BYTES_MAX = 64 * 1024;

/** Opens a bucket. Nothing is sent yet. */
export function openBucket(
  name: string,
  settings: S3Settings,
  { silenceMs, connectionsMax }: Patience = PATIENT,
): Bucket {
  const credentials = credentialsIn(settings);
  const { protocol, hostname, port, pathname } = new URL(settings.endpoint);
  const transport = protocol === 'https:' ? https : http;
  const agent = new transport.Agent({
    keepAlive: true,
    maxSockets: connectionsMax,
    ...trustedBy(settings),
  });
  const root = `${pathname.replace(/\/$/, '')}/${name}`;

  function once(asked: S3Request): Promise<S3Reply> {
    const { method, key, query = {}, body = NOTHING } = asked;
    const path = `${root}/${key}${queryOf(query)}`;
    const headers = { 'x-amz-content-sha256': body.sha256, 'content-length': body.bytes };
    const target = { method, hostname, port, path };
    const signed = aws4.sign(
      { ...target, service: 's3', region: settings.region, headers: { ...headers } },
      credentials,
    );
    return new Promise((resolve, reject) => {
      const request = transport.request({
        ...target,
        agent,
        timeout: silenceMs,
        headers: { ...signed.headers, ...rangeOf(asked) },
      });
      request.on('timeout', () =>
        request.destroy(new Error(`it was silent for ${silenceMs / 1000} s`)),
      );
      request.on('error', (error) => reject(new Unreachable(settings.endpoint, error)));
      request.on('response', (content) => {
        content.on('error', () => undefined); // whoever reads the content is told as well
        const { statusCode = 0, headers: answered } = content;
        if (statusCode < 300) resolve({ headers: answered, content });
        else refusalIn(content, `s3://${name}/${key}`).then(reject, reject);
      });
      const chunks = typeof body.chunks === 'function' ? body.chunks() : body.chunks;
      pipeline(Readable.from(chunks), request).catch(() => undefined); // as `error` above
    });
  }

  async function send(request: S3Request): Promise<S3Reply> {
    for (let tried = 1; ; tried++) {
      try {
        return await once(request);
      } catch (error) {
        if (tried === TRIES || !(error instanceof ObjectStoreAway)) throw error;
        await pause(PAUSE_MS * 4 ** (tried - 1));
      }
    }
  }

  return {
    send,
    async text(request) {
      const { content, headers } = await send(request);
      const chunks: Buffer[] = [];
      for await (const chunk of content) chunks.push(chunk as Buffer); // it has no encoding
      return { text: Buffer.concat(chunks).toString(), headers };
    },
  };
}

/** The file is read whenever a bucket is opened, so that a new key needs no restart. */
function credentialsIn({ accessKeyId, secretAccessKey, secretAccessKeyFile }: S3Settings) {
  if (accessKeyId === null) throw new ObjectStoreError('CONFAB_S3_ACCESS_KEY_ID is not set');
  if (secretAccessKey !== null) return { accessKeyId, secretAccessKey };
  if (secretAccessKeyFile === null) {
    throw new ObjectStoreError(
      'neither CONFAB_S3_SECRET_ACCESS_KEY nor CONFAB_S3_SECRET_ACCESS_KEY_FILE is set',
    );
  }
  const secret = textOf(secretAccessKeyFile, 'CONFAB_S3_SECRET_ACCESS_KEY_FILE');
  return { accessKeyId, secretAccessKey: secret.trim() };
}

function trustedBy({ authoritiesFile = null }: S3Settings): { readonly ca?: string } {
  return authoritiesFile === null ? {} : { ca: textOf(authoritiesFile, 'CONFAB_S3_CA') };
}

function textOf(file: string, setting: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ObjectStoreError(`${setting} cannot be read: ${diskFault(error)}`);
  }
}

function rangeOf({ offset, end }: S3Request): { range?: string } {
  if (offset === undefined && end === undefined) return {};
  return { range: `bytes=${offset ?? 0}-${end === undefined ? '' : end - 1}` };
}

function queryOf(query: Readonly<Record<string, string>>): string {
  const parts = Object.entries(query).map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`,
  );
  return parts.length === 0 ? '' : `?${parts.sort().join('&')}`;
}

/** The service did not answer, or the connection broke. */
class Unreachable extends ObjectStoreAway {
  constructor(endpoint: string, cause: Error) {
    // Node gives several causes without a text if a name has several addresses.
    const causes = cause instanceof AggregateError ? cause.errors.map(String) : [cause.message];
    super(`${endpoint} cannot be reached: ${causes.join('; ')}`, { cause });
  }
}

/** The service has an answer, or says that it has none for now. */
function refused(address: string, status: number, why: string): ObjectStoreError {
  const line = `${address} was refused by the service: ${status} ${why}`.trim();
  const isPassing = status >= 500 || status === 429;
  return isPassing ? new ObjectStoreAway(line) : new ObjectStoreError(line);
}

async function refusalIn(content: http.IncomingMessage, address: string): Promise<Error> {
  let text = '';
  for await (const chunk of content) {
    if (text.length < REFUSAL_BYTES_MAX) text += String(chunk);
  }
  const texts = textsIn(text);
  const code = texts('Error/Code')[0] ?? '';
  const status = content.statusCode ?? 0;
  // An answer to HEAD has no code. Services answer 404 also to an unknown key or bucket.
  if (status === 404 && (code === '' || code === 'NoSuchKey')) return missing(address);
  const message = (texts('Error/Message')[0] ?? '').replace(/\s+/g, ' ');
  return refused(address, status, message === '' ? code : `${code}: ${message}`);
}

/** The same error as of a file that is not there. */
const missing = (address: string) =>
  Object.assign(new Error(`there is no ${address}`), { code: 'ENOENT', path: address });
