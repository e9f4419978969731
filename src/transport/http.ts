import { badRequest, headersTooLarge, notFound, payloadTooLarge } from '../domain/errors.ts';
import { BODY_BYTES_MAX, HEAD_BYTES_MAX } from '../domain/limits.ts';
import type { Answer, Call, Dispatch } from '../endpoints/dispatch.ts';
import { rawParameters } from './body.ts';
import { type HttpExchange, openExchange } from './exchange.ts';
import { parkPoll } from './long-poll.ts';
import { failure, headersOf, statusLine, successBody } from './reply.ts';
import type { HttpRequest, TemplatedApp } from './sockets.ts';

export const API_PREFIX = '/api/v1';

export interface HttpInput {
  readonly dispatch: Dispatch;
  /** A bug, with the endpoint it happened in. */
  readonly onBug: (error: unknown, call: { method: string; path: string }) => void;
}

/** Serves every path of the API over HTTP. */
export function mountHttp(app: TemplatedApp, input: HttpInput) {
  app.any('/*', (res, req) => {
    const exchange = openExchange(res);
    try {
      receive(exchange, readHead(req), input);
    } catch (error) {
      fail(exchange, error, { call: { method: '', path: '' }, input, closesConnection: true });
    }
  });
}

/** What is copied of a request before the library takes it back. */
export interface Head {
  readonly method: string;
  readonly url: string;
  readonly query: string;
  readonly headers: Headers;
}

interface Headers {
  host: string;
  authorization: string;
  userAgent: string;
  contentType: string;
  idempotencyKey: string;
  hasBody: boolean;
  /** Why the request cannot be read safely; the connection is closed then. */
  fault: string | null;
  bytes: number;
}

export function readHead(req: HttpRequest): Head {
  const headers: Headers = {
    host: '',
    authorization: '',
    userAgent: '',
    contentType: '',
    idempotencyKey: '',
    hasBody: false,
    fault: null,
    bytes: 0,
  };
  let contentLength: string | null = null;
  let isChunked = false;
  req.forEach((name, value) => {
    headers.bytes += name.length + value.length + 4;
    if (name === 'authorization') headers.authorization = value;
    else if (name === 'host') headers.host = value;
    else if (name === 'user-agent') headers.userAgent = value;
    else if (name === 'content-type') headers.contentType = value;
    else if (name === 'idempotency-key') headers.idempotencyKey = value;
    else if (name === 'content-length') {
      if (contentLength !== null && contentLength !== value) {
        headers.fault = 'Two Content-Length headers that differ';
      } else if (!/^\d+$/.test(value)) headers.fault = 'Malformed Content-Length';
      contentLength = value;
    } else if (name === 'transfer-encoding') {
      if (value.toLowerCase() !== 'chunked') headers.fault = 'Unknown Transfer-Encoding';
      isChunked = true;
    }
  });
  if (isChunked && contentLength !== null) {
    headers.fault = 'Both Content-Length and Transfer-Encoding';
  }
  headers.hasBody = isChunked || (contentLength !== null && contentLength !== '0');
  return {
    method: req.getMethod().toUpperCase(),
    url: req.getUrl(),
    query: req.getQuery() ?? '',
    headers,
  };
}

function receive(exchange: HttpExchange, head: Head, input: HttpInput) {
  const { method, url, headers } = head;
  const call = { method, path: url };
  const refuse = (error: unknown) => fail(exchange, error, { call, input, closesConnection: true });
  if (headers.fault !== null) return refuse(badRequest(headers.fault));
  if (headers.bytes + url.length + head.query.length > HEAD_BYTES_MAX) {
    return refuse(headersTooLarge(HEAD_BYTES_MAX));
  }
  if (!headers.hasBody) return answerCall(exchange, head, null, input);
  exchange.onBody(
    BODY_BYTES_MAX,
    (body) => answerCall(exchange, head, body, input),
    () => refuse(payloadTooLarge(BODY_BYTES_MAX)),
  );
}

function answerCall(exchange: HttpExchange, head: Head, body: Buffer | null, input: HttpInput) {
  const { method, url, query, headers } = head;
  const failed = { call: { method, path: url }, input };
  try {
    if (!url.startsWith(`${API_PREFIX}/`)) throw notFound(url);
    const call: Call = {
      method,
      path: url.slice(API_PREFIX.length),
      raw: rawParameters(query, body, headers.contentType),
      host: headers.host,
      authorization: headers.authorization,
      userAgent: headers.userAgent,
      idempotencyKey: headers.idempotencyKey,
    };
    input.dispatch(call, answerOver(exchange, method === 'HEAD', input));
  } catch (error) {
    fail(exchange, error, failed);
  }
}

function answerOver(exchange: HttpExchange, isHead: boolean, input: HttpInput): Answer {
  return {
    succeed(body, ignored) {
      exchange.end({
        status: '200 OK',
        body: `${JSON.stringify(successBody(body, ignored))}\n`,
        isHead,
      });
    },
    fail: (error, call) => fail(exchange, error, { call, input, isHead }),
    options: (allowed) =>
      exchange.end({
        status: statusLine(204),
        headers: [['Allow', [...allowed, 'OPTIONS'].join(', ')]],
        body: '',
      }),
    park: (queueId) => parkPoll(exchange, queueId),
    onGone: exchange.onGone,
  };
}

interface Failed {
  readonly call: { readonly method: string; readonly path: string };
  readonly input: HttpInput;
  readonly closesConnection?: boolean;
  readonly isHead?: boolean;
}

function fail(exchange: HttpExchange, error: unknown, { call, input, ...how }: Failed) {
  const failed = failure(error);
  if (failed.isBug) input.onBug(error, call);
  exchange.end({
    status: statusLine(failed.status),
    headers: headersOf(failed),
    body: `${JSON.stringify(failed.body)}\n`,
    ...how,
  });
}
