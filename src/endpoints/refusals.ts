import type { ErrorCode } from '../domain/wire/errors.ts';
import { describedParams } from './described-params.ts';
import type { Endpoint } from './endpoint.ts';

/** What any request may be refused with: it cannot be read, there are too many, or the server is about to stop. */
export const OF_ANY = [
  'BAD_REQUEST',
  'PAYLOAD_TOO_LARGE',
  'HEADERS_TOO_LARGE',
  'RATE_LIMIT_HIT',
  'SERVER_STOPPING',
  'STORAGE_FULL',
  'REALM_NOT_SERVED',
] as const satisfies readonly ErrorCode[];

/** What whoever has to log in may be refused with besides. */
export const OF_THOSE_WHO_LOG_IN = [
  'UNAUTHORIZED',
  'NONEXISTENT_SUBDOMAIN',
] as const satisfies readonly ErrorCode[];

/** What whoever is known by the key in a URL may be refused with besides. */
const OF_URL_KEYS = [
  'INVALID_API_KEY',
  'USER_DEACTIVATED',
  'REALM_DEACTIVATED',
  ...OF_THOSE_WHO_LOG_IN,
] as const satisfies readonly ErrorCode[];

/** Every code that an endpoint may answer with: its own, and those that follow from what it declares. */
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
