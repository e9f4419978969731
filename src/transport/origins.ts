import { type AskedHost, nameOfHost } from '../domain/asked-host.ts';
import { TUS_REQUEST_HEADERS } from '../domain/rules/files/tus.ts';
import { foreignOrigin } from '../domain/wire/errors.ts';
import { statusLine } from './answers/reply.ts';
import type { HttpExchange } from './exchange.ts';
import type { Head } from './request-head.ts';

/** Whether a browser says that a page of this very host asks; its scheme is that of whatever stands before the server. */
export const isOfHost = (origin: string, host: AskedHost): boolean =>
  origin.slice(origin.indexOf('://') + '://'.length) === nameOfHost(host).toLowerCase();

/**
 * A page of another host may change nothing here unless the operator allows it, and no page can read an answer that does not
 * name it. Throws what is refused; true where it has been answered.
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

/** What a page of an allowed origin may ask with. Nothing is taken from cookies here, so none need be sent. */
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
