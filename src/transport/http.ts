import { HEAD_BYTES_MAX, PAGE_BODY_BYTES_MAX, SMALL_BODY_BYTES_MAX } from '../domain/limits.ts';
import { jsonOf } from '../domain/wire/encoded-list.ts';
import {
  ApiError,
  badRequest,
  headersTooLarge,
  methodNotAllowed,
  notFound,
  payloadTooLarge,
} from '../domain/wire/errors.ts';
import type { BodyLimit } from '../endpoints/body-limits.ts';
import type { Faulty } from '../endpoints/bug-reports.ts';
import type { Answer, ApiRequest, Dispatch } from '../endpoints/dispatch.ts';
import type {
  Body,
  IncomingBody,
  JsonDocument,
  SendingPage,
  WaitingPlace,
} from '../endpoints/endpoint.ts';
import { POLL_PATH, type QuickPoll, type Wait } from '../endpoints/events/quick-poll.ts';
import {
  isResumableUpload,
  TUS_HEADERS,
  type UploadDispatch,
} from '../endpoints/files/resumable-uploads.ts';
import { type FileDispatch, isUploadedFile } from '../endpoints/files/serve-files.ts';
import type { PageDispatch } from '../endpoints/pages/dispatch-pages.ts';
import { type ContentDispatch, isExternalContent } from '../endpoints/pages/external-content.ts';
import { type LimitPoll, type LimitRequest, refuseTooMany } from '../endpoints/rate-limiter.ts';
import type { HoldsSecret } from '../endpoints/secrets.ts';
import type { SessionCookies } from '../endpoints/sessions/cookies.ts';
import type { Trace, Tracing } from '../endpoints/tracing.ts';
import type { Consumer } from '../events/delivery.ts';
import {
  EXTERNAL_CONTENT,
  FILE,
  FIRST_ENDPOINT,
  HEALTH,
  type HttpRecord,
  PAGE,
  RESUMABLE_UPLOAD,
} from '../metrics/recorders.ts';
import { afterSegments, inPortions } from './after-segments.ts';
import { codingFor } from './answers/content-codings.ts';
import type { HttpReply } from './answers/http-reply.ts';
import {
  type Failure,
  failure,
  headersOf,
  type NoteBug,
  sentenceOf,
  statusLine,
  successBody,
} from './answers/reply.ts';
import type { StandingHeaders } from './answers/standing-headers.ts';
import { fileReader, isMultipart, kindOf, rawParameters, textReader } from './body.ts';
import {
  asForwarded,
  type Forwarded,
  standingOf,
  type TrustedProxies,
} from './connections/forwarding.ts';
import { HttpExchange, idHeader } from './exchange.ts';
import { sendContent } from './external-content.ts';
import { fileAt } from './files.ts';
import type { HttpRequest, HttpResponse, TemplatedApp } from './library/sockets.ts';
import { ParkedPoll } from './long-poll.ts';
import { judgeOrigin } from './origins.ts';
import { failurePage, pageReply } from './pages.ts';
import { type Head, type Headers, hasBody, readHead, readPollHead } from './request-head.ts';
import { sendFile } from './uploaded-files.ts';
import type { WebClient } from './web/web-client.ts';

export const API_PREFIX = '/api/v1';

export interface HttpInput {
  readonly standing: StandingHeaders;
  readonly proxies: TrustedProxies | null;
  readonly dispatch: Dispatch;
  readonly holdsSecret: HoldsSecret;
  readonly limitRequest: LimitRequest | null;
  readonly limitPoll: LimitPoll | null;
  readonly pages: PageDispatch;
  readonly sessions: SessionCookies;
  readonly web: WebClient | null;
  readonly content: ContentDispatch;
  readonly files: FileDispatch;
  readonly uploads: UploadDispatch;
  readonly quickPoll: QuickPoll;
  /** Tests whether the endpoint takes a multipart body as it arrives. */
  readonly isStreamed: (request: { method: string; path: string }) => boolean;
  readonly bodyLimit: BodyLimit;
  readonly onBug: NoteBug;
  readonly record: HttpRecord;
  readonly tracing: Tracing;
  /** The number of the endpoint of polls. */
  readonly pollEndpoint: number;
  /** Tells whether the server should be sent requests, for balancers. */
  readonly isReady: () => boolean;
}

/**
 * Serves every path of the API over HTTP. Returns a function that gives later requests another
 * input.
 */
export function mountHttp(app: TemplatedApp, input: HttpInput): (next: HttpInput) => void {
  let mounted = input;
  for (const method of ['get', 'head'] as const) {
    const isHead = method === 'head';
    app[method]('/livez', (res) => answerHealth(res, { isWell: true, isHead }, mounted));
    app[method]('/readyz', (res) =>
      answerHealth(res, { isWell: mounted.isReady(), isHead }, mounted),
    );
  }
  app.get(POLL_URL, (res, req) => serve({ res, req, isPoll: true }, mounted));
  app.any('/*', (res, req) => serve({ res, req, isPoll: false }, mounted));
  return (next) => {
    mounted = next;
  };
}

/**
 * Answers a balancer, before any limit and whatever the host is: it says only whether, the
 * operator's listener says why.
 */
function answerHealth(
  res: HttpResponse,
  { isWell, isHead }: { readonly isWell: boolean; readonly isHead: boolean },
  { standing, record }: HttpInput,
) {
  const exchange = new HttpExchange(res, standing, record);
  exchange.endpoint = HEALTH;
  exchange.end({
    status: statusLine(isWell ? 200 : 503),
    contentType: 'text/plain; charset=utf-8',
    body: isWell ? 'ok\n' : 'not ready\n',
    isHead,
  });
}

interface Request {
  readonly res: HttpResponse;
  readonly req: HttpRequest;
  readonly isPoll: boolean;
}

function serve({ res, req, isPoll }: Request, input: HttpInput) {
  const forwarded = input.proxies === null ? null : input.proxies.forwarding(res, req);
  const exchange = new HttpExchange(res, standingOf(input, forwarded), input.record);
  exchange.forwardedFrom = forwarded?.address ?? '';
  try {
    const isQuick = isPoll && !input.tracing.isLogging;
    const wait = isQuick ? waitIn(req, forwarded, input) : undefined;
    if (wait !== undefined && isParked(exchange, wait, input)) return;
    const head = withSession(asForwarded(readHead(req), forwarded), input);
    exchange.trace = traceOf(head, forwarded, input);
    receive(exchange, head, input);
  } catch (error) {
    const request = { method: req.getMethod().toUpperCase(), path: req.getUrl() };
    fail(exchange, error, { request, input, closesConnection: true });
  }
}

/**
 * Gives a request the credentials of its session, if it has a cookie that counts. Cookies beside an
 * `Authorization` header are not even looked at.
 */
function withSession(head: Head, { sessions }: HttpInput): Head {
  const { method, url, headers } = head;
  if (headers.cookie === '' || headers.authorization !== '') return head;
  headers.authorization = sessions.ofRequest({
    ...headers,
    method,
    isOfApi: url.startsWith(`${API_PREFIX}/`),
  });
  return head;
}

/** Returns the trace of a request that asks for its id or is logged; null for all others. */
function traceOf(
  { method, headers }: Head,
  forwarded: Forwarded | null,
  { tracing }: HttpInput,
): Trace | null {
  const { host, authorization, requestId, traceparent } = headers;
  const asksId = requestId !== '' || traceparent !== '';
  if (!asksId && !tracing.isLogging) return null;
  const proxyId = forwarded === null ? '' : requestId;
  return tracing.begin({ method, host, authorization, proxyId, asksId, traceparent });
}

const POLL_URL = `${API_PREFIX}${POLL_PATH}`;

/**
 * Returns the wait of a common poll, which can be parked at once: polls are by far the most
 * frequent requests, and a thousand come at once.
 */
function waitIn(
  req: HttpRequest,
  forwarded: Forwarded | null,
  { quickPoll }: HttpInput,
): Wait | undefined {
  const head = readPollHead(req);
  if (head === undefined || isTooLarge(head.bytes, POLL_URL, head.query)) return undefined;
  return quickPoll(forwarded === null ? head : { ...head, host: forwarded.hostOf(head.host) });
}

/**
 * Parks a poll. One that exceeds the rate limit is not parked and not counted: `count` then refuses
 * it with the reason.
 */
function isParked(
  exchange: HttpExchange,
  wait: Wait,
  { limitPoll, pollEndpoint }: HttpInput,
): boolean {
  const { realm, queues, queue, lastEventId } = wait;
  exchange.endpoint = pollEndpoint;
  const quota = limitPoll?.(realm, queue.userId) ?? null;
  if (quota !== null && quota.retryAfterMs > 0) return false;
  exchange.quota = quota;
  return queues.attach(queue, lastEventId, new ParkedPoll(exchange, wait)) === 'attached';
}

const isTooLarge = (headerBytes: number, url: string, query: string) =>
  headerBytes + url.length + query.length > HEAD_BYTES_MAX;

function receive(exchange: HttpExchange, head: Head, input: HttpInput) {
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
    return answerRequest(exchange, head, { body }, input);
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

/** Counts a request if there are rate limits; refuses one too many. */
function count(exchange: HttpExchange, head: Head, { limitRequest }: HttpInput) {
  // A poll that could not be parked at once has been counted already.
  if (limitRequest === null || exchange.quota !== null) return;
  const { method, url, query, headers } = head;
  const { host, authorization } = headers;
  exchange.quota = limitRequest({
    method,
    path: isOfApi(head) ? url.slice(API_PREFIX.length) : undefined,
    host,
    authorization,
    address: () => exchange.address(),
    urlKey: () => rawParameters(query, null, '')['api_key'],
  });
  refuseTooMany(exchange.quota);
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

/** The body of a request, read or still arriving. */
interface Came {
  readonly body: Buffer | null;
  readonly incoming?: IncomingBody;
}

const isOfApi = ({ url }: Head) => url.startsWith(`${API_PREFIX}/`);

function answerRequest(
  exchange: HttpExchange,
  head: Head,
  { body, incoming }: Came,
  input: HttpInput,
) {
  const { method, url, query, headers } = head;
  try {
    if (!isOfApi(head)) {
      const file = fileAt(url, headers.ifNoneMatch) ?? input.web?.file(url, headers);
      exchange.endpoint = numberOutside(url, file !== undefined);
      if (file !== undefined) return answerFile(exchange, head, { file, input });
      if (isExternalContent(url)) return answerContent(exchange, head, input);
      if (isUploadedFile(url)) return answerUploaded(exchange, head, input);
      return answerPage(exchange, head, body, input);
    }
    const answer = new HttpAnswer(exchange, input, {
      isHead: method === 'HEAD',
      body: incoming ?? null,
      reader: headers.authorization,
    });
    const request: ApiRequest = {
      method,
      path: url.slice(API_PREFIX.length),
      raw: rawParameters(query, body, headers.contentType),
      host: headers.host,
      address: () => exchange.address(),
      authorization: headers.authorization,
      userAgent: headers.userAgent,
      idempotencyKey: headers.idempotencyKey,
      text: body === null ? undefined : textReader(body, headers.contentType),
      bytes: body ?? undefined,
      file: body === null ? undefined : fileReader(body, headers.contentType),
      webhookHeaders: headers.webhook,
      page: headers.isBrowser ? pageOf(headers, answer) : undefined,
      trace: exchange.trace,
    };
    input.dispatch(request, answer);
  } catch (error) {
    fail(exchange, error, { request: faultyOf(head), input });
  }
}

/** Returns what the browser says of the page that has sent a request. */
const pageOf = (
  { fetchSite, origin, referer, isForwarded }: Headers,
  answer: { cookie: string },
): SendingPage => ({
  ...{ fetchSite, origin, referer, isForwarded },
  setCookie(header) {
    answer.cookie = header;
  },
});

function numberOutside(url: string, isFile: boolean): number {
  if (isExternalContent(url)) return EXTERNAL_CONTENT;
  return isFile || isUploadedFile(url) ? FILE : PAGE;
}

function answerFile(
  exchange: HttpExchange,
  { method }: Head,
  { file, input }: { file: HttpReply; input: HttpInput },
) {
  if (isRead(exchange, method, input)) exchange.end({ ...file, isHead: method === 'HEAD' });
}

/** Answers with content of another site. */
function answerContent(exchange: HttpExchange, head: Head, input: HttpInput) {
  const { method, url: path, headers } = head;
  if (!isRead(exchange, method, input)) return;
  const isHead = method === 'HEAD';
  const gone = new AbortController();
  exchange.onGone({ gone: () => gone.abort() });
  input.content({ path, host: headers.host, range: headers.range, signal: gone.signal }).then(
    (content) => sendContent(exchange, content, isHead),
    (error) => fail(exchange, error, { request: faultyOf(head), input, isHead }),
  );
}

/** Answers with an uploaded file. */
function answerUploaded(exchange: HttpExchange, head: Head, input: HttpInput) {
  const { method, url: path, query, headers } = head;
  if (!isRead(exchange, method, input)) return;
  const isHead = method === 'HEAD';
  const { host, authorization, range, ifRange, ifNoneMatch } = headers;
  const { api_key: apiKey } = rawParameters(query, null, '');
  input
    .files({ path, host, authorization, apiKey })
    .then((file) => sendFile(exchange, file, { range, ifRange, ifNoneMatch, isHead }))
    .catch((error) => fail(exchange, error, { request: faultyOf(head), input, isHead }));
}

/** Answers an upload whose parts are read as they arrive. */
function answerUpload(exchange: HttpExchange, head: Head, input: HttpInput) {
  exchange.endpoint = RESUMABLE_UPLOAD;
  const { method, url: path, headers } = head;
  const { host, authorization, contentType, contentLength, tus = {} } = headers;
  const body = hasBody(headers) ? exchange.takeBody(contentType, contentLength) : null;
  const isHead = method === 'HEAD';
  input.uploads({ method, path, host, authorization, contentType, headers: tus, body }).then(
    ({ status, headers, body }) => {
      const text = body === undefined ? '' : `${JSON.stringify(body)}\n`;
      exchange.end({ status: statusLine(status), headers, body: text, isHead });
    },
    (error) =>
      fail(exchange, error, { request: faultyOf(head), input, isHead, headers: TUS_HEADERS }),
  );
}

/** Returns true for methods that read; answers OPTIONS and refuses other methods. */
function isRead(exchange: HttpExchange, method: string, input: HttpInput): boolean {
  if (FILE_METHODS.includes(method)) return true;
  if (method !== 'OPTIONS') throw methodNotAllowed(FILE_METHODS);
  new HttpAnswer(exchange, input, WITHOUT_BODY).options(FILE_METHODS);
  return false;
}

const WITHOUT_BODY: AnswerInput = { isHead: false, body: null, reader: '' };

const FILE_METHODS = ['GET', 'HEAD'];

function answerPage(exchange: HttpExchange, head: Head, body: Buffer | null, input: HttpInput) {
  const { method, url: path, query, headers } = head;
  const { host, authorization, userAgent, contentType } = headers;
  const answer = { cookie: '' };
  const page = headers.isBrowser ? pageOf(headers, answer) : undefined;
  const outcome = input.pages({
    method,
    path,
    from: { host, authorization, userAgent, address: () => exchange.address(), page },
    isBrowser: headers.isBrowser,
    query: () => rawParameters(query, null, ''),
    form: () => rawParameters(query, body, contentType),
  });
  if (outcome === undefined) {
    const document = FILE_METHODS.includes(method) ? input.web?.document(path, headers) : undefined;
    if (document === undefined) throw notFound(path);
    return exchange.end({ ...document, isHead: method === 'HEAD' });
  }
  if (!outcome.isAllowed) {
    if (method !== 'OPTIONS') throw methodNotAllowed(outcome.allowed);
    return new HttpAnswer(exchange, input, WITHOUT_BODY).options(outcome.allowed);
  }
  const isHead = method === 'HEAD';
  const show = async () => {
    if (outcome.hasForm) count(exchange, head, input);
    return await outcome.reply();
  };
  show().then(
    (reply) => exchange.end({ ...pageReply(reply, headers.ifNoneMatch, answer.cookie), isHead }),
    (error) => {
      const said = () => Object.values(rawParameters(query, body, contentType));
      const request = { ...faultyOf(head), said, trace: exchange.trace };
      const failed = failure(error, () => input.onBug(error, request));
      const page = pageReply(failurePage(failed.status, sentenceOf(failed)), '');
      const waits = failed.status === 429 ? headersOf(failed, exchange) : [];
      const named = bugHeaders(failed, exchange);
      exchange.end({ ...page, headers: [...(page.headers ?? []), ...waits, ...named], isHead });
    },
  );
}

interface AnswerInput {
  readonly isHead: boolean;
  readonly body: IncomingBody | null;
  /** The credentials of the caller, which stand for the account; empty without any. */
  readonly reader: string;
}

/** It is a class for the same reason as `HttpExchange`. */
class HttpAnswer implements Answer {
  /** False for a HEAD, which does not wait: a parked answer is written with its body. */
  readonly canPark: boolean;
  readonly body: IncomingBody | null;
  private readonly exchange: HttpExchange;
  private readonly input: HttpInput;
  private readonly isHead: boolean;
  private readonly reader: string;
  /** The `Set-Cookie` header of a success; empty for none. */
  cookie = '';

  constructor(exchange: HttpExchange, input: HttpInput, { isHead, body, reader }: AnswerInput) {
    this.exchange = exchange;
    this.input = input;
    this.isHead = isHead;
    this.canPark = !isHead;
    this.body = body;
    this.reader = reader;
  }

  isOf(index: number) {
    this.exchange.endpoint = FIRST_ENDPOINT + index;
  }

  succeed(body: Body, ignored: readonly string[]) {
    const text = `${jsonOf(successBody(body, ignored))}\n`;
    const { exchange, input } = this;
    if (exchange.coding !== null && input.holdsSecret(exchange.endpoint - FIRST_ENDPOINT, body)) {
      exchange.coding = null;
    }
    // It is set only here: a parked poll keeps its exchange with all of its fields.
    exchange.reader = this.reader;
    if (this.cookie !== '') {
      const headers = [['Set-Cookie', this.cookie]] as const;
      exchange.end({ status: '200 OK', body: text, headers });
    } else if (this.isHead) exchange.end({ status: '200 OK', body: text, isHead: true });
    else exchange.endWithJson(text);
  }

  show({ bytes: body }: JsonDocument) {
    this.exchange.end({ status: '200 OK', body, isShared: true, isHead: this.isHead });
  }

  fail(error: unknown, request: ApiRequest) {
    fail(this.exchange, error, { request, input: this.input, isHead: this.isHead });
  }

  options(allowed: readonly string[]) {
    this.exchange.end({
      status: statusLine(204),
      headers: [['Allow', [...allowed, 'OPTIONS'].join(', ')]],
      body: '',
    });
  }

  isGone(): boolean {
    return !this.exchange.isOpen();
  }

  /** A connection has one answer at a time, so it never holds back. */
  holdsBack(): boolean {
    return false;
  }

  park(place: WaitingPlace): Consumer {
    return new ParkedPoll(this.exchange, place);
  }
}

interface Failed {
  readonly request: Faulty;
  readonly input: HttpInput;
  readonly closesConnection?: boolean;
  readonly isHead?: boolean;
  /** Headers besides those of the refusal itself. */
  readonly headers?: HttpReply['headers'];
}

/** Describes a request for the log if it does not reach an endpoint. */
const faultyOf = ({ method, url: path, headers }: Head): Faulty => ({
  method,
  path,
  host: headers.host,
  authorization: headers.authorization,
});

function fail(
  exchange: HttpExchange,
  error: unknown,
  { request, input, headers = [], ...how }: Failed,
) {
  const failed = failure(error, () => input.onBug(error, { ...request, trace: exchange.trace }));
  input.record.refuse(error instanceof ApiError && !failed.isBug ? error.code : null);
  exchange.end({
    status: statusLine(failed.status),
    headers: [...headersOf(failed, exchange), ...headers, ...bugHeaders(failed, exchange)],
    body: `${JSON.stringify(failed.body)}\n`,
    ...how,
  });
}

/** Names the id of a bug's line in the log, where the answer does not name that of its request. */
function bugHeaders({ isBug, body }: Failure, { trace }: HttpExchange) {
  return isBug && trace === null ? [idHeader({ requestId: String(body['request_id']) })] : [];
}
