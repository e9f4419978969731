import type { Quota } from '../../endpoints/request-rate.ts';
import { ratedHead } from './rate-headers.ts';

/** The headers that every answer has. */
export interface StandingHeaders {
  /** The connections of the server, shared by the headers for all origins. */
  readonly connections: Connections;
  readonly headers: readonly (readonly [string, string])[];
  /** The status line and all headers of a JSON answer with status 200, encoded. */
  readonly json: Uint8Array;
  /** The same with the rate limit; the bytes must be used before the next call. */
  readonly ratedJson: (quota: Quota) => Uint8Array;
  /** The headers for pages of origins that the operator allows, by origin. */
  readonly ofOrigins: ReadonlyMap<string, StandingHeaders>;
}

/** When a server drains, each of its connections ends with its next answer (RFC 9112, 9.6). */
export interface Connections {
  areEnding: boolean;
}

/**
 * Returns headers that make browsers take an answer for nothing but its declared type, since many
 * contain bytes that users uploaded or wrote. Clients that came over TLS once use only TLS for a
 * year; other hosts of the same domain are not included.
 */
export function standingHeaders({ isTls, allowedOrigins = [] }: StandingInput): StandingHeaders {
  const headers = isTls ? [NO_SNIFFING, STRICT_TRANSPORT] : [NO_SNIFFING];
  const ofOrigins = new Map<string, StandingHeaders>();
  const shared = { connections: { areEnding: false }, ofOrigins };
  for (const origin of allowedOrigins) {
    const named = [...headers, ['Access-Control-Allow-Origin', origin] as const, ...SHOWN];
    ofOrigins.set(origin, headersOfAll(named, shared));
  }
  return headersOfAll(headers, shared);
}

interface StandingInput {
  readonly isTls: boolean;
  /** Origins of pages of other hosts that may send requests and read the answers. */
  readonly allowedOrigins?: readonly string[];
}

function headersOfAll(
  headers: StandingHeaders['headers'],
  shared: Pick<StandingHeaders, 'connections' | 'ofOrigins'>,
): StandingHeaders {
  const json = jsonHead(headers);
  return { headers, json, ratedJson: ratedHead(json), ...shared };
}

const SHOWN = [
  [
    'Access-Control-Expose-Headers',
    'ETag, Location, Retry-After, Tus-Resumable, Upload-Length, Upload-Offset, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset',
  ],
  ['Vary', 'Origin'],
] as const;

const NO_SNIFFING = ['X-Content-Type-Options', 'nosniff'] as const;
const STRICT_TRANSPORT = ['Strict-Transport-Security', 'max-age=31536000'] as const;

/**
 * Encodes the status line and the headers of nearly every answer as one list of bytes: each call
 * into the library, and each text or list of bytes handed to it, costs as much as looking up the
 * account.
 */
function jsonHead(headers: StandingHeaders['headers']): Uint8Array {
  const all = [
    ['Content-Type', 'application/json'],
    ['Cache-Control', 'private, no-store'],
    ...headers,
  ];
  return Buffer.from(['200 OK', ...all.map((header) => header.join(': '))].join('\r\n'));
}
