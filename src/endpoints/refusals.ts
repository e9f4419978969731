import type { ErrorCode } from '../domain/wire/errors.ts';
import { describedParams } from './described-params.ts';
import type { Endpoint } from './endpoint.ts';

/**
 * Codes with which any request may be refused: it cannot be read, there are too many, or the server
 * is about to stop.
 */
export const OF_ANY = [
  'BAD_REQUEST',
  'PAYLOAD_TOO_LARGE',
  'HEADERS_TOO_LARGE',
  'RATE_LIMIT_HIT',
  'SERVER_STOPPING',
  'STORAGE_FULL',
  'REALM_NOT_SERVED',
  'FILES_AWAY',
] as const satisfies readonly ErrorCode[];

/** Further codes for requests that need credentials. */
export const OF_THOSE_WHO_LOG_IN = [
  'UNAUTHORIZED',
  'NONEXISTENT_SUBDOMAIN',
  'SECOND_STEP_MISSING',
] as const satisfies readonly ErrorCode[];

/** Further codes for requests with a key in the URL. */
const OF_URL_KEYS = [
  'INVALID_API_KEY',
  'USER_DEACTIVATED',
  'REALM_DEACTIVATED',
  ...OF_THOSE_WHO_LOG_IN,
] as const satisfies readonly ErrorCode[];

/**
 * Returns every code that an endpoint may answer with: its own, and those that follow from its
 * declaration.
 */
export function refusalsOf(endpoint: Endpoint): readonly ErrorCode[] {
  const params = describedParams(endpoint);
  const codes: ErrorCode[] = [...(endpoint.refuses ?? [])];
  if (params.some(({ isRequired, isInPath }) => isRequired && !isInPath)) {
    codes.push('REQUEST_VARIABLE_MISSING');
  }
  if (params.some(({ aliases }) => aliases.length > 0)) codes.push('REQUEST_CONFUSING_VAR');
  if (endpoint.byUrlKey) codes.push(...OF_URL_KEYS);
  else if ('allow' in endpoint) codes.push(...OF_THOSE_WHO_LOG_IN);
  codes.push(...OF_ANY);
  return [...new Set(codes)];
}
