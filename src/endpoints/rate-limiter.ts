import type { Realm } from '../../actors/realm/realm-handle.ts';
import type { ServerSettings } from '../config.ts';
import { RATED_NAMES_MAX } from '../domain/limits/turns.ts';
import type { RequestHost } from '../domain/request-host.ts';
import { ApiError, rateLimitHit } from '../domain/wire/errors.ts';
import type { LimitRecord } from '../metrics/recorders.ts';
import { accountOfUrlKey } from '../operations/access/authentication.ts';
import type { Site } from '../operations/access/caller.ts';
import { accountOfHeader } from './authenticate.ts';
import type { Deployment } from './dispatch/deployment.ts';
import type { Endpoint, RateClass } from './endpoint.ts';
import { getEvents } from './events/get-events.ts';
import { isNewUpload } from './files/resumable-uploads.ts';
import { openRequestRate, type Quota, type RequestRate } from './request-rate.ts';
import { openRoutes } from './routes.ts';

/** The parts of a request that are known before its body and its parameters are read. */
export interface RequestHead {
  readonly method: string;
  /** Below `/api/v1`, as sent; undefined for other paths. */
  readonly path: string | undefined;
  readonly host: RequestHost;
  readonly authorization: string;
  /** Returns the client's address, in the form that limits count. */
  readonly address: () => string;
  /** The parameter `api_key` in the URL. */
  readonly urlKey: () => string | undefined;
}

/**
 * Counts a request; returns null if it has no limit. The caller refuses a request that exceeds it,
 * and nothing changes then.
 */
export type LimitRequest = (head: RequestHead) => Quota | null;

/**
 * Does the same for a poll by a known account, with nothing but numbers, since a thousand come at
 * once.
 */
export type LimitPoll = (realm: Realm, userId: number) => Quota | null;

type RateLimits = ServerSettings['rateLimits'];

export interface RateLimiterInput {
  readonly limits: RateLimits;
  readonly now: () => number;
  readonly record: LimitRecord;
  /** Called for each request that was let through, if other processes let some through as well. */
  readonly onTaken?: ((kind: RateKind, name: string | number) => void) | undefined;
}

export interface RateLimiter {
  readonly limitRequest: LimitRequest;
  readonly limitPoll: LimitPoll;
  /** Notes requests that another process has let through. */
  readonly note: (kind: RateKind, name: string | number, count: number) => void;
}

/** The kinds of requests that are counted apart. */
export type RateKind = AccountClass | 'logIn' | 'anonymous';

/**
 * Opens the rate limits (reference/endpoints.md section 3, "Rate limits"), which are applied before
 * anything but the head of a request is read; null if there are none. Requests with valid
 * credentials count for their account, wherever they come from, so that a neighbour cannot shut it
 * out; all others, and all that try a password, count for the address.
 */
export function openRateLimiter(
  deployment: Deployment,
  endpoints: readonly Endpoint[],
  { limits, now, record, onTaken }: RateLimiterInput,
): RateLimiter | null {
  if (Object.values(limits).every((limit) => limit === 0)) return null;
  const rates = ratesOf(limits);
  const declaredAt = openDeclared(endpoints);

  function limitRequest(head: RequestHead): Quota | null {
    const { realm, site } = deployment.at(head.host);
    // The dispatch refuses the request because the server stops.
    if (realm?.isOpen() === false) return null;
    const declared = declaredAt(head);
    if (declared?.rate === 'logIn') return noted('logIn', taken('logIn', head.address()));
    const user = realm && whoAsks(head, declared, { realm, site });
    if (realm === undefined || user === undefined) {
      return noted('anonymous', taken('anonymous', head.address()));
    }
    const kind = rateClassOf(head, declared);
    return noted(kind, taken(kind, accountName(realm, user.id)));
  }

  function taken(kind: RateKind, name: string | number): Quota | undefined {
    const quota = rates[kind]?.take(name, now());
    if (onTaken !== undefined && quota?.retryAfterMs === 0) onTaken(kind, name);
    return quota;
  }

  const limitPoll: LimitPoll = (realm, userId) => taken('poll', accountName(realm, userId)) ?? null;

  /** Counts a request that is over its limit. One too many polls come here as requests as well. */
  function noted(kind: keyof LimitRecord, quota: Quota | undefined): Quota | null {
    if (quota === undefined) return null;
    if (quota.retryAfterMs > 0) record[kind] += 1;
    return quota;
  }

  return {
    limitRequest,
    limitPoll,
    note: (kind, name, count) => rates[kind]?.note(name, count, now()),
  };
}

interface Seen {
  readonly realm: Realm;
  readonly site: Site;
}

/** Returns the account of a request, if it has one that it may use; a refusal is answered later. */
function whoAsks(
  { authorization, urlKey }: RequestHead,
  declared: Endpoint | undefined,
  { realm, site }: Seen,
) {
  try {
    if (!declared?.byUrlKey) {
      return authorization === '' ? undefined : accountOfHeader(realm, authorization, site);
    }
    const key = urlKey();
    return key === undefined ? undefined : accountOfUrlKey(realm.reader, key);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** Refuses a request that exceeds a limit; the client has to wait. */
export function refuseTooMany(quota: Quota | null) {
  if (quota !== null && quota.retryAfterMs > 0) {
    throw rateLimitHit(quota.retryAfterMs / 1000);
  }
}

type AccountClass = Exclude<RateClass, 'logIn'> | 'request';

/**
 * "Event polling is counted separately", at the same limit as requests without one of their own.
 */
const ratesOf = (
  limits: RateLimits,
): Readonly<Record<RateKind, RequestRate<string | number> | null>> => ({
  anonymous: rateOf(limits.anonymous),
  logIn: rateOf(limits.logIn),
  request: rateOf(limits.request),
  poll: rateOf(limits.request),
  send: rateOf(limits.send),
  search: rateOf(limits.search),
  upload: rateOf(limits.upload),
  mail: rateOf(limits.mail),
});

const rateOf = (perMinute: number): RequestRate<string | number> | null =>
  perMinute === 0 ? null : openRequestRate({ perMinute, namesMax: RATED_NAMES_MAX });

/**
 * Returns a number that identifies an account among all realms, and is exact: a text would be built
 * with each request.
 */
const accountName = (realm: Realm, userId: number): number => realm.id * ACCOUNTS_OF_REALM + userId;
const ACCOUNTS_OF_REALM = 2 ** 32;

/**
 * Returns the class of a request. Sockets and uploads have no endpoint: a socket counts as a poll.
 */
function rateClassOf({ method, path }: RequestHead, declared: Endpoint | undefined): AccountClass {
  if (declared?.rate !== undefined && declared.rate !== 'logIn') return declared.rate;
  if (path === SOCKET_PATH) return 'poll';
  return path !== undefined && isNewUpload({ method, path }) ? 'upload' : 'request';
}

/** Returns the endpoint of a request, if its declaration affects how it is counted, as few do. */
function openDeclared(endpoints: readonly Endpoint[]) {
  const declared = endpoints.filter(({ rate, byUrlKey }) => rate !== undefined || byUrlKey);
  const routes = openRoutes(declared);
  const paths = declared.map(({ path }) => path);
  const fixed = new Set(paths.filter((path) => !path.includes('{')));
  const beginnings = new Set(paths.filter((path) => !fixed.has(path)).map(beginningOf));
  /**
   * Tests the path before it is taken apart, which costs more than all else here, and few paths are
   * worth it.
   */
  const mayBe = (path: string) => fixed.has(path) || beginnings.has(beginningOf(path));
  return ({ method, path }: RequestHead): Endpoint | undefined => {
    if (path === undefined || !mayBe(path)) return undefined;
    try {
      return routes.find(path)?.byMethod.get(method === 'HEAD' ? 'GET' : method)?.endpoint;
    } catch (error) {
      // The path is malformed, and the dispatch refuses it.
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  };
}

/** Returns the first part of a path. */
function beginningOf(path: string): string {
  const end = path.indexOf('/', 1);
  return end < 0 ? path : path.slice(0, end);
}

export const SOCKET_PATH = `${getEvents.path}/socket`;
