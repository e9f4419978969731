import type { RequestHost } from '../domain/request-host.ts';
import { ApiError } from '../domain/wire/errors.ts';
import { type LimitRequest, refuseTooMany, SOCKET_PATH } from '../endpoints/rate-limiter.ts';
import type { Quota } from '../endpoints/request-rate.ts';
import type { SessionCookies } from '../endpoints/sessions/cookies.ts';
import type { HttpRecord } from '../metrics/recorders.ts';
import { failure, headersOf, type NoteBug, statusLine } from './answers/reply.ts';
import type { StandingHeaders } from './answers/standing-headers.ts';
import { addressOf } from './connections/addresses.ts';
import { asForwarded, standingOf, type TrustedProxies } from './connections/forwarding.ts';
import { HttpExchange } from './exchange.ts';
import type { HttpRequest, HttpResponse } from './library/sockets.ts';
import { isOfHost } from './origins.ts';
import { readHead } from './request-head.ts';

const JSON_PROTOCOL = 'chat.v1.json';
const MSGPACK_PROTOCOL = 'chat.v1.msgpack';
/** The only version of the protocol (RFC 6455). */
const VERSION = '13';
const CREDENTIALS_PROTOCOL = 'auth.basic.';

export interface HandshakeInput {
  readonly standing: StandingHeaders;
  readonly proxies: TrustedProxies | null;
  readonly limitRequest: LimitRequest | null;
  readonly sessions: SessionCookies;
  readonly onBug: NoteBug;
  readonly record: HttpRecord;
}

/** The handshake of a socket, kept until the socket begins. */
export interface Handshake {
  /** Empty if the client offers no known protocol. */
  readonly protocol: string;
  /** True if its frames are msgpack. */
  readonly isBinary: boolean;
  readonly host: RequestHost;
  readonly authorization: string;
  readonly userAgent: string;
  readonly address: string;
  readonly query: string;
}

const offeredIn = (req: HttpRequest): readonly string[] =>
  req
    .getHeader('sec-websocket-protocol')
    .split(',')
    .map((name) => name.trim());

const protocolAmong = (offered: readonly string[]): string =>
  offered.find((name) => name === JSON_PROTOCOL || name === MSGPACK_PROTOCOL) ?? '';

/** Returns the protocol that is spoken with the client; empty if it offers no known one. */
export const protocolIn = (req: HttpRequest): string => protocolAmong(offeredIn(req));

export const isOfVersion = (req: HttpRequest): boolean =>
  req.getHeader('sec-websocket-version') === VERSION;

/** Reads a handshake. Returns undefined after rejecting it; the client has been answered. */
export function readHandshake(
  res: HttpResponse,
  req: HttpRequest,
  input: HandshakeInput,
): Handshake | undefined {
  const forwarded = input.proxies === null ? null : input.proxies.forwarding(res, req);
  const standing = standingOf(input, forwarded);
  const { headers, query } = asForwarded(readHead(req), forwarded);
  const { origin } = headers;
  const offered = offeredIn(req);
  const protocol = protocolAmong(offered);
  const isForeign =
    origin !== '' && !isOfHost(origin, headers.host) && !input.standing.ofOrigins.has(origin);
  if (headers.fault !== null || isForeign) {
    const msg = headers.fault ?? 'This origin may not connect';
    const body = JSON.stringify({ result: 'error', msg, code: 'BAD_REQUEST' });
    new HttpExchange(res, standing, input.record).end({
      status: statusLine(isForeign ? 403 : 400),
      body: `${body}\n`,
      closesConnection: true,
    });
    return undefined;
  }
  if (!isOfVersion(req)) {
    const msg = `Only version ${VERSION} of WebSocket is spoken here`;
    const body = JSON.stringify({ result: 'error', msg, code: 'BAD_REQUEST' });
    new HttpExchange(res, standing, input.record).end({
      status: statusLine(426),
      headers: [
        ['Sec-WebSocket-Version', VERSION],
        ['Upgrade', 'websocket'],
      ],
      body: `${body}\n`,
      closesConnection: true,
    });
    return undefined;
  }
  const { host, userAgent } = headers;
  const authorization =
    headers.authorization ||
    offeredCredentials(offered) ||
    (headers.cookie === '' ? '' : input.sessions.ofHandshake(headers));
  const address = forwarded?.address || addressOf(res);
  if (!isWithinLimit(res, { host, authorization, address }, { ...input, standing }))
    return undefined;
  return {
    protocol,
    isBinary: protocol === MSGPACK_PROTOCOL,
    host,
    authorization,
    userAgent,
    address,
    query,
  };
}

/**
 * Counts a socket against the rate limits, and refuses one too many before it is opened: it costs
 * more than any request.
 */
function isWithinLimit(
  res: HttpResponse,
  handshake: Pick<Handshake, 'host' | 'authorization' | 'address'>,
  { limitRequest, standing, onBug, record }: HandshakeInput,
): boolean {
  const request = { method: 'GET', path: SOCKET_PATH };
  let quota: Quota | null = null;
  try {
    quota =
      limitRequest?.({
        ...handshake,
        ...request,
        address: () => handshake.address,
        urlKey: () => undefined,
      }) ?? null;
    refuseTooMany(quota);
    return true;
  } catch (error) {
    const failed = failure(error, () =>
      onBug(error, { ...request, host: handshake.host, authorization: handshake.authorization }),
    );
    record.refuse(error instanceof ApiError && !failed.isBug ? error.code : null);
    const exchange = new HttpExchange(res, standing, record);
    exchange.quota = quota;
    exchange.end({
      status: statusLine(failed.status),
      headers: headersOf(failed, exchange),
      body: `${JSON.stringify(failed.body)}\n`,
      closesConnection: true,
    });
    return false;
  }
}

/** Reads `auth.basic.<base64url(email:api_key)>`, for browsers, which cannot set the header. */
function offeredCredentials(offered: readonly string[]): string {
  const found = offered.find((name) => name.startsWith(CREDENTIALS_PROTOCOL));
  if (found === undefined) return '';
  const decoded = Buffer.from(found.slice(CREDENTIALS_PROTOCOL.length), 'base64url');
  return `Basic ${decoded.toString('base64')}`;
}
