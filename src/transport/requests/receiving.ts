import { SCIM_BODY_BYTES_MAX } from '../../domain/limits/accounts.ts';
import {
  HEAD_BYTES_MAX,
  PAGE_BODY_BYTES_MAX,
  SMALL_BODY_BYTES_MAX,
} from '../../domain/limits/requests.ts';
import { badRequest, headersTooLarge, payloadTooLarge } from '../../domain/wire/errors.ts';
import { isResumableUpload, TUS_HEADERS } from '../../endpoints/files/resumable-uploads.ts';
import { afterSegments, inPortions } from '../after-segments.ts';
import { codingFor } from '../answers/content-codings.ts';
import { isMultipart, kindOf, rawParameters } from '../body.ts';
import type { HttpExchange } from '../exchange.ts';
import { judgeOrigin } from '../origins.ts';
import { type Head, hasBody, isTooLarge } from '../request-head.ts';
import { answerRequest, answerUpload } from './answering.ts';
import { API_PREFIX, isOfApi } from './api.ts';
import { count } from './counting.ts';
import { fail, faultyOf } from './failing.ts';
import type { HttpInput } from './http-input.ts';

/** Takes a request whose head has been read: refuses it, or answers it when its body is there. */
export function receive(exchange: HttpExchange, head: Head, input: HttpInput) {
  const { headers } = head;
  if (headers.fault !== null) return refuse(exchange, head, input, badRequest(headers.fault));
  if (isTooLarge(headers.bytes, head.url, head.query)) {
    return refuse(exchange, head, input, headersTooLarge(HEAD_BYTES_MAX));
  }
  exchange.isLast = hidesItsEnd(head);
  exchange.isBrowser = headers.isBrowser;
  if (headers.acceptEncoding !== '') {
    exchange.coding = codingFor(headers.acceptEncoding) ?? 'identity';
  }
  if (headers.origin !== '' && isAnswered(exchange, head, input)) return;
  if (isOfApi(head) && !isWithinLimit(exchange, head, input)) return;
  if (isResumableUpload(head.url)) return answerUpload(exchange, head, input);
  if (!hasBody(headers)) return answerWhole(exchange, head, null, input);
  if (isStreamed(head, input)) {
    const incoming = exchange.takeBody(headers.contentType, headers.contentLength);
    return answerRequest(exchange, head, { body: null, incoming }, input);
  }
  const bytesMax = bodyLimit(exchange, head, input);
  if (bytesMax === undefined) return;
  exchange.onBody(
    bytesMax,
    (body) => answerWhole(exchange, head, body, input),
    () => refuse(exchange, head, input, payloadTooLarge(bytesMax)),
  );
}

const SCIM_PREFIX = '/scim/v2/';

/**
 * Tests for a request whose end is in doubt. The library accepts malformed chunks, which are not
 * seen here. It hides headers that follow one without a name, among them the length of the body;
 * methods with a body need such a header.
 */
const hidesItsEnd = ({ method, headers }: Head): boolean =>
  headers.isChunked || (headers.contentLength === null && METHODS_WITH_BODY.has(method));

const METHODS_WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Answers a request that has come as a whole. A request that may change something runs after the
 * library has gone through all that came with it: the library closes the connection if it finds
 * another request before the first is answered, and then neither is run (RFC 9112, 9.3.2).
 */
function answerWhole(exchange: HttpExchange, head: Head, body: Buffer | null, input: HttpInput) {
  if (!exchange.isLast && SAFE_METHODS.has(head.method)) {
    exchange.isInPacket = true;
    answerRequest(exchange, head, { body }, input);
    exchange.isInPacket = false;
    return;
  }
  const run = () => answerRequest(exchange, head, { body }, input);
  afterSegments(() => {
    // A client that leaves later than this has sent a whole request, which is run.
    if (!exchange.isOpen()) return;
    if (body !== null && body.length > SMALL_BODY_BYTES_MAX) inPortions(run);
    else run();
  });
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Returns how many bytes the body may have; undefined if the request is refused before any of it is
 * held. That does not end the connection: it is known where the body ends.
 */
function bodyLimit(exchange: HttpExchange, head: Head, input: HttpInput): number | undefined {
  if (head.url.startsWith(SCIM_PREFIX)) return SCIM_BODY_BYTES_MAX;
  if (!isOfApi(head)) return PAGE_BODY_BYTES_MAX;
  const { contentLength, host, authorization, contentType } = head.headers;
  const announced = contentLength === null ? Number.POSITIVE_INFINITY : Number(contentLength);
  if (announced <= SMALL_BODY_BYTES_MAX) return SMALL_BODY_BYTES_MAX;
  const { method, url, query } = head;
  try {
    const bytesMax = input.bodyLimit({
      method,
      path: url.slice(API_PREFIX.length),
      host,
      authorization,
      kind: kindOf(contentType),
      query: () => rawParameters(query, null, ''),
    });
    if (contentLength !== null && announced > bytesMax) throw payloadTooLarge(bytesMax);
    return bytesMax;
  } catch (error) {
    fail(exchange, error, { request: { method, path: url }, input });
    return undefined;
  }
}

/**
 * Returns true if a request of a page of another host has been answered here, so that nothing more
 * is done.
 */
function isAnswered(exchange: HttpExchange, head: Head, input: HttpInput): boolean {
  try {
    return judgeOrigin(exchange, head);
  } catch (error) {
    fail(exchange, error, { request: faultyOf(head), input });
    return true;
  }
}

/**
 * Refuses a request that exceeds the rate limit: its body is dropped, and the connection serves the
 * next one.
 */
function isWithinLimit(exchange: HttpExchange, head: Head, input: HttpInput): boolean {
  const { method, url: path } = head;
  try {
    count(exchange, head, input);
    return true;
  } catch (error) {
    fail(exchange, error, {
      request: faultyOf(head),
      input,
      isHead: method === 'HEAD',
      headers: isResumableUpload(path) ? TUS_HEADERS : [],
    });
    return false;
  }
}

/**
 * Refuses a request and closes the connection, since later requests cannot be told from this one.
 */
function refuse(exchange: HttpExchange, head: Head, input: HttpInput, error: unknown) {
  fail(exchange, error, { request: faultyOf(head), input, closesConnection: true });
}

const isStreamed = ({ method, url, headers }: Head, input: HttpInput) =>
  isMultipart(headers.contentType) &&
  input.isStreamed({ method, path: url.slice(API_PREFIX.length) });
