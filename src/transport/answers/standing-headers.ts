import type { Allowance } from '../../endpoints/request-rate.ts';
import { ratedHead } from './rate-headers.ts';

/** The headers that an answer has whatever it says. */
export interface StandingHeaders {
  readonly headers: readonly (readonly [string, string])[];
  /** The status line and all headers of an answer with JSON and status 200, as the bytes they are. */
  readonly json: Uint8Array;
  /** The same with what is left to whoever asks; to be handed on before the next one is asked for. */
  readonly ratedJson: (allowance: Allowance) => Uint8Array;
  /** Those for pages of other hosts that the operator allows, by their origin. */
  readonly ofOrigins: ReadonlyMap<string, StandingHeaders>;
}

/**
 * Nobody is to take an answer for anything but what it says it is: bytes that somebody uploaded or wrote are in many of
 * them. Who came by TLS once comes by nothing else for a year; other hosts of the same domain are not spoken for.
 */
export function standingHeaders({ isTls, allowedOrigins = [] }: StandingInput): StandingHeaders {
  const headers = isTls ? [NO_SNIFFING, STRICT_TRANSPORT] : [NO_SNIFFING];
  const ofOrigins = new Map<string, StandingHeaders>();
  for (const origin of allowedOrigins) {
    const named = [...headers, ['Access-Control-Allow-Origin', origin] as const, ...SHOWN];
    ofOrigins.set(origin, headersOfAll(named, ofOrigins));
  }
  return headersOfAll(headers, ofOrigins);
}

interface StandingInput {
  readonly isTls: boolean;
  /** Of pages of other hosts that may ask, and read what they are answered. */
  readonly allowedOrigins?: readonly string[];
}

function headersOfAll(
  headers: StandingHeaders['headers'],
  ofOrigins: StandingHeaders['ofOrigins'],
): StandingHeaders {
  const json = jsonHead(headers);
  return { headers, json, ratedJson: ratedHead(json), ofOrigins };
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
 * Each call into the library, and each text or list of bytes that is handed to it, costs as much as looking up the account.
 * So the status line and the headers that nearly every answer has are one.
 */
function jsonHead(headers: StandingHeaders['headers']): Uint8Array {
  const all = [
    ['Content-Type', 'application/json'],
    ['Cache-Control', 'private, no-store'],
    ...headers,
  ];
  return Buffer.from(['200 OK', ...all.map((header) => header.join(': '))].join('\r\n'));
}
