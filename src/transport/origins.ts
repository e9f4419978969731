import { nameOfHost, type RequestHost } from '../domain/request-host.ts';
import { TUS_REQUEST_HEADERS } from '../domain/rules/files/tus.ts';
import { foreignOrigin } from '../domain/wire/errors.ts';
import { statusLine } from './answers/reply.ts';
import type { HttpExchange } from './exchange.ts';
import type { Head } from './request-head.ts';

/**
 * Tests whether a page of this very host sent the request. The scheme is not compared, since a
 * proxy may have changed it.
 */
export const isOfHost = (origin: string, host: RequestHost): boolean =>
  origin.slice(origin.indexOf('://') + '://'.length) === nameOfHost(host).toLowerCase();

/**
 * Judges the origin of a request: a page of another host may change nothing here unless the
 * operator allows it, and no page can read an answer that does not name it. Throws a refusal;
 * returns true if the request has been answered.
 */
export function judgeOrigin(exchange: HttpExchange, { method, headers }: Head): boolean {
  const { origin, host } = headers;
  if (origin === '' || isOfHost(origin, host)) return false;
  const allowed = exchange.standing.ofOrigins.get(origin);
  if (allowed === undefined) {
    if (!READING.has(method)) throw foreignOrigin();
    return false;
  }
  exchange.standing = allowed;
  if (method !== 'OPTIONS' || !headers.isPreflight) return false;
  exchange.end({ status: statusLine(204), headers: PREFLIGHT, body: '' });
  return true;
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Methods and headers that a page of an allowed origin may use. Cookies count for pages of the own
 * host only, so they are not included.
 */
const PREFLIGHT = [
  ['Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, PATCH, DELETE'],
  [
    'Access-Control-Allow-Headers',
    ['Authorization', 'Content-Type', 'Idempotency-Key', 'Range', ...TUS_REQUEST_HEADERS].join(
      ', ',
    ),
  ],
  ['Access-Control-Max-Age', '600'],
] as const;
