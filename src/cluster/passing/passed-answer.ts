import type { IncomingMessage } from 'node:http';
import { UNWRITTEN } from '../../gateways/relay.ts';
import type { HttpResponse } from '../../transport/library/sockets.ts';

/** Shorter answers are written at once, when all of them is here. */
const WHOLE_BYTES_MAX = 256 * 1024;

/** The client's side of a request. */
export interface Client {
  readonly res: HttpResponse;
  readonly isHead: boolean;
  /** False once the client has gone or has its answer. */
  isOpen(): boolean;
  /** The response ends with what is written next. */
  settle(): void;
}

/** Returns the bytes of an answer that is short; undefined for a long one. */
export async function shortAnswer(answer: IncomingMessage): Promise<Buffer | undefined> {
  if (lengthOf(answer) > WHOLE_BYTES_MAX) return undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The announced length; infinite if it is not known. */
const lengthOf = ({ headers }: IncomingMessage): number =>
  Number(headers['content-length'] ?? Number.POSITIVE_INFINITY);

/** Writes an answer whose bytes are here. */
export function writeShort({ res, isHead, settle }: Client, answer: IncomingMessage, body: Buffer) {
  settle();
  res.cork(() => {
    writeHead(res, answer);
    // A 304 has no body either.
    if (!isHead && answer.statusCode !== 304) return void res.end(body);
    writeEmpty(res, answer);
  });
}

function writeEmpty(res: HttpResponse, { headers }: IncomingMessage) {
  const length = headers['content-length'];
  if (length !== undefined) res.writeHeader('Content-Length', length);
  res.endWithoutBody();
}

/**
 * Writes an answer as it comes, as fast as the client takes it. Rejects if the other node ends in
 * the middle; then the client must not take the part for the whole.
 */
export async function writeLong(client: Client, answer: IncomingMessage) {
  const { res, isHead, isOpen, settle } = client;
  if (isHead) {
    answer.resume();
    settle();
    res.cork(() => {
      writeHead(res, answer);
      writeEmpty(res, answer);
    });
    return;
  }
  const total = lengthOf(answer);
  res.cork(() => writeHead(res, answer));
  const put = Number.isFinite(total) ? putOf(client, total) : putChunk(client);
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    if (!isOpen()) return;
    await put(chunk);
  }
  if (!isOpen()) return;
  settle();
  res.cork(() => res.end());
}

type Put = (chunk: Buffer) => Promise<void>;

/** Writes chunks of an answer whose length nobody knows. */
function putChunk({ res }: Client): Put {
  let resume: (() => void) | null = null;
  res.onWritable(() => {
    resume?.();
    return true;
  });
  return (chunk) =>
    new Promise((resolve) => {
      res.cork(() => {
        if (res.write(chunk)) return resolve();
        resume = resolve;
      });
    });
}

/** Writes chunks of an answer of a known length, which ends with the last of them. */
function putOf({ res, settle }: Client, total: number): Put {
  let again: ((offset: number) => boolean) | null = null;
  res.onWritable((offset) => again?.(offset) ?? true);
  return (chunk) =>
    new Promise((resolve) => {
      const start = res.getWriteOffset();
      const attempt = (from: number): boolean => {
        const [isTaken, isWhole] = res.tryEnd(from === 0 ? chunk : chunk.subarray(from), total);
        if (isWhole) settle();
        if (!isTaken && !isWhole) return false;
        again = null;
        resolve();
        return true;
      };
      again = (offset) => attempt(offset - start);
      res.cork(() => void attempt(0));
    });
}

function writeHead(res: HttpResponse, answer: IncomingMessage) {
  const { statusCode = 502, statusMessage = '', headers } = answer;
  res.writeStatus(`${statusCode} ${statusMessage}`);
  for (const [name, value] of Object.entries(headers)) {
    if (UNWRITTEN.has(name) || value === undefined) continue;
    for (const one of [value].flat()) res.writeHeader(name, one);
  }
}
