import type { Allowance } from '../endpoints/request-rate.ts';
import { ratedHead } from './rate-headers.ts';

/** The headers that an answer has whatever it says. */
export interface StandingHeaders {
  readonly headers: readonly (readonly [string, string])[];
  /** The status line and all headers of an answer with JSON and status 200, as the bytes they are. */
  readonly json: Uint8Array;
  /** The same with what is left to whoever asks; to be handed on before the next one is asked for. */
  readonly ratedJson: (allowance: Allowance) => Uint8Array;
}

/**
 * Nobody is to take an answer for anything but what it says it is: bytes that somebody uploaded or wrote are in many of
 * them. Who came by TLS once comes by nothing else for a year; other hosts of the same domain are not spoken for.
 */
export function standingHeaders({ isTls }: { readonly isTls: boolean }): StandingHeaders {
  const headers = isTls ? [NO_SNIFFING, STRICT_TRANSPORT] : [NO_SNIFFING];
  const json = jsonHead(headers);
  return { headers, json, ratedJson: ratedHead(json) };
}

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
