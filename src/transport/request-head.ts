import { HEAD_BYTES_MAX } from '../domain/limits/requests.ts';
import type { RequestHost } from '../domain/request-host.ts';
import { isTusHeader } from '../domain/rules/files/tus.ts';
import type { HttpRequest } from './library/sockets.ts';

/** The parts of a request that are copied before the library takes it back. */
export interface Head {
  readonly method: string;
  readonly url: string;
  readonly query: string;
  readonly headers: Headers;
}

export interface Headers {
  host: RequestHost;
  hasHost: boolean;
  authorization: string;
  userAgent: string;
  /** The origin of the page that sent the request; empty if no browser says so. */
  origin: string;
  /** `Sec-Fetch-Site`, `Referer` and `Cookie`; empty if the client sends none. */
  fetchSite: string;
  referer: string;
  cookie: string;
  /** The types and the codings of answers that the client takes; empty if it does not say. */
  accept: string;
  acceptEncoding: string;
  isBrowser: boolean;
  /** True if a proxy says that it has passed the request on. */
  isForwarded: boolean;
  /** True if a browser asks which requests a page may send. */
  isPreflight: boolean;
  contentType: string;
  idempotencyKey: string;
  range: string;
  /** Headers by which other services name an event and authenticate themselves. */
  webhook: Record<string, string> | undefined;
  ifRange: string;
  ifNoneMatch: string;
  ifMatch: string;
  /** Headers that have a meaning for resumable uploads. */
  tus: Record<string, string> | undefined;
  /** `X-Request-Id`, of which only that of a trusted proxy counts. */
  requestId: string;
  traceparent: string;
  contentLength: string | null;
  isChunked: boolean;
  /** The reason why the request cannot be read safely; the connection is closed then. */
  fault: string | null;
  bytes: number;
}

/**
 * The headers being read: there is one request at a time while its handler runs, so no closure is
 * made for each.
 */
let reading: Headers;

/** Counts the colon, the space and the end of the line as well. */
const headerBytes = (name: string, value: string) => name.length + value.length + 4;

function readHeader(name: string, value: string) {
  reading.bytes += headerBytes(name, value);
  if (name === 'host') {
    if (reading.hasHost) reading.fault = 'Two Host headers';
    reading.hasHost = true;
    reading.host = value;
  } else if (name === 'authorization') reading.authorization = value;
  else if (name === 'user-agent') {
    reading.userAgent = value;
    // Over plain HTTP a page's own GET has neither `Origin` nor `Sec-Fetch-…`.
    if (value.startsWith('Mozilla/')) reading.isBrowser = true;
  } else if (name === 'content-type') reading.contentType = value;
  else if (name === 'idempotency-key') reading.idempotencyKey = value;
  else if (name === 'range') reading.range = value;
  else if (name === 'if-range') reading.ifRange = value;
  else if (name === 'if-none-match') reading.ifNoneMatch = value;
  else if (name === 'if-match') reading.ifMatch = value;
  else if (name === 'content-length') {
    if (reading.contentLength !== null && reading.contentLength !== value) {
      reading.fault = 'Two Content-Length headers that differ';
    } else if (!/^\d+$/.test(value)) reading.fault = 'Malformed Content-Length';
    reading.contentLength = value;
  } else if (name === 'transfer-encoding') {
    if (reading.isChunked) reading.fault = 'Two Transfer-Encoding headers';
    if (value.toLowerCase() !== 'chunked') reading.fault = 'Unknown Transfer-Encoding';
    reading.isChunked = true;
  } else if (name === 'origin') {
    reading.origin = value.toLowerCase();
    reading.isBrowser = true;
  } else if (name === 'accept') {
    reading.accept = listWith(reading.accept, value);
    if (value.includes('text/html')) reading.isBrowser = true;
  } else if (name === 'accept-encoding') {
    reading.acceptEncoding = listWith(reading.acceptEncoding, value);
  } else if (name === 'access-control-request-method') reading.isPreflight = true;
  else if (name === 'x-request-id') reading.requestId = value;
  else if (name === 'traceparent') reading.traceparent = value;
  else if (name === 'cookie') {
    // A proxy may have divided the header (RFC 9113, 8.2.3).
    reading.cookie = reading.cookie === '' ? value : `${reading.cookie}; ${value}`;
  } else if (name === 'sec-fetch-site') {
    reading.fetchSite = value;
    reading.isBrowser = true;
  } else if (name === 'x-requested-with' || name.startsWith('sec-fetch-')) reading.isBrowser = true;
  else if (name === 'referer') reading.referer = value;
  else if (FORWARDED.test(name)) reading.isForwarded = true;
  else if (WEBHOOK_HEADER.test(name)) {
    reading.webhook = { ...reading.webhook, [name]: value };
  } else if (isTusHeader(name)) reading.tus = { ...reading.tus, [name]: value };
}

/** Joins a list that came in several headers. */
const listWith = (list: string, more: string) => (list === '' ? more : `${list}, ${more}`);

/** The parts of a poll request that are read. */
export interface PollHead {
  readonly host: string;
  readonly authorization: string;
  readonly query: string;
}

let host: string;
let authorization: string;
let bytes: number;
let hosts: number;
let isPlain: boolean;

/** A request with one of these is read in full. */
const NOT_PLAIN: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'origin',
  'x-request-id',
  'traceparent',
]);

function readPollHeader(name: string, value: string) {
  bytes += headerBytes(name, value);
  if (name === 'authorization') authorization = value;
  else if (name === 'host') {
    host = value;
    hosts += 1;
  } else if (NOT_PLAIN.has(name)) isPlain = false;
}

/**
 * Does the same as `readHead` with only the fields of a poll; returns undefined if the request has
 * any header of a body or of a page, or two hosts.
 */
export function readPollHead(
  req: HttpRequest,
): (PollHead & { readonly bytes: number }) | undefined {
  host = '';
  authorization = '';
  bytes = 0;
  hosts = 0;
  isPlain = true;
  req.forEach(readPollHeader);
  const query = req.getQuery() ?? '';
  return isPlain && hosts === 1 ? { host, authorization, query, bytes } : undefined;
}

/** Headers that proxies add, whether or not they are trusted. */
const FORWARDED = /^(?:forwarded|via|x-real-ip|x-forwarded-\w+)$/;

/**
 * Matches `X-GitHub-Event`, `X-Hub-Signature-256`, `X-Gitlab-Token`, `Webhook-Signature` and its
 * companions.
 */
const WEBHOOK_HEADER =
  /^(?:x-.+-(?:event|token|signature-256)|webhook-(?:id|timestamp|signature))$/;

export function readHead(req: HttpRequest): Head {
  const headers: Headers = {
    host: '',
    hasHost: false,
    authorization: '',
    userAgent: '',
    origin: '',
    fetchSite: '',
    referer: '',
    cookie: '',
    accept: '',
    acceptEncoding: '',
    isBrowser: false,
    isForwarded: false,
    isPreflight: false,
    contentType: '',
    idempotencyKey: '',
    range: '',
    webhook: undefined,
    ifRange: '',
    ifNoneMatch: '',
    ifMatch: '',
    tus: undefined,
    requestId: '',
    traceparent: '',
    contentLength: null,
    isChunked: false,
    fault: null,
    bytes: 0,
  };
  reading = headers;
  req.forEach(readHeader);
  if (headers.isChunked && headers.contentLength !== null) {
    headers.fault = 'Both Content-Length and Transfer-Encoding';
  }
  return {
    method: req.getCaseSensitiveMethod(),
    url: req.getUrl(),
    query: req.getQuery() ?? '',
    headers,
  };
}

export const hasBody = ({ isChunked, contentLength }: Headers) =>
  isChunked || (contentLength !== null && contentLength !== '0');

/** Tests for a request whose head is longer than the server reads. */
export const isTooLarge = (headerBytes: number, url: string, query: string) =>
  headerBytes + url.length + query.length > HEAD_BYTES_MAX;
