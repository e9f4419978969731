import { POLL_PATH, type Wait } from '../endpoints/events/quick-poll.ts';
import type { Trace } from '../endpoints/tracing.ts';
import { HEALTH } from '../metrics/recorders.ts';
import { statusLine } from './answers/reply.ts';
import { asForwarded, type Forwarded, standingOf } from './connections/forwarding.ts';
import { HttpExchange } from './exchange.ts';
import type { HttpRequest, HttpResponse, TemplatedApp } from './library/sockets.ts';
import { ParkedPoll } from './long-poll.ts';
import { passedRequest } from './passing.ts';
import { type Head, isTooLarge, readHead, readPollHead } from './request-head.ts';
import { API_PREFIX } from './requests/api.ts';
import { fail } from './requests/failing.ts';
import type { HttpInput } from './requests/http-input.ts';
import { receive } from './requests/receiving.ts';

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
  const { passing = null } = input;
  if (passing?.isNeeded()) {
    const passed = passedRequest(passing, { res, req, forwarded });
    if (passed !== undefined) return passing.request(res, passed);
  }
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
