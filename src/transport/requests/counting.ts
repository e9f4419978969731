import { refuseTooMany } from '../../endpoints/rate-limiter.ts';
import { rawParameters } from '../body.ts';
import type { HttpExchange } from '../exchange.ts';
import type { Head } from '../request-head.ts';
import { API_PREFIX, isOfApi } from './api.ts';
import type { HttpInput } from './http-input.ts';

/** Counts a request if there are rate limits; refuses one too many. */
export function count(exchange: HttpExchange, head: Head, { limitRequest }: HttpInput) {
  // A poll that could not be parked at once has been counted already.
  if (limitRequest === null || exchange.quota !== null) return;
  const { method, url, query, headers } = head;
  const { host, authorization } = headers;
  exchange.quota = limitRequest({
    method,
    path: isOfApi(head) ? url.slice(API_PREFIX.length) : undefined,
    host,
    authorization,
    address: () => exchange.address(),
    urlKey: () => rawParameters(query, null, '')['api_key'],
  });
  refuseTooMany(exchange.quota);
}
