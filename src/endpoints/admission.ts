import type { Realm } from '../../actors/realm/realm-handle.ts';
import type { ServerSettings } from '../config.ts';
import type { AskedHost } from '../domain/asked-host.ts';
import { RATED_NAMES_MAX } from '../domain/limits.ts';
import { ApiError, rateLimitHit } from '../domain/wire/errors.ts';
import { accountOfUrlKey } from '../operations/access/authentication.ts';
import type { Site } from '../operations/access/caller.ts';
import { accountOfHeader } from './authenticate.ts';
import type { Deployment } from './dispatch.ts';
import type { Endpoint, RateClass } from './endpoint.ts';
import { getEvents } from './events/get-events.ts';
import { isNewUpload } from './files/resumable-uploads.ts';
import { type Allowance, openRequestRate, type RequestRate } from './request-rate.ts';
import { openRoutes } from './routes.ts';

/** What is known of a request before its parameters are. */
export interface Arrival {
  readonly method: string;
  /** Below `/api/v1`, as sent; undefined for what is no endpoint. */
  readonly path: string | undefined;
  readonly host: AskedHost;
  readonly authorization: string;
  /** Where it comes from: what counts as one address. */
  readonly address: () => string;
  /** The parameter `api_key` in the URL. */
  readonly urlKey: () => string | undefined;
}

/** Counts a request; null where nothing limits it. Whoever has nothing left is to be refused, which changes nothing. */
export type Admit = (arrival: Arrival) => Allowance | null;

/** The same of a poll by an account that is known: with nothing but numbers, since a thousand come at once. */
export type AdmitPoll = (realm: Realm, userId: number) => Allowance | null;

type RateLimits = ServerSettings['rateLimits'];

export interface AdmissionInput {
  readonly limits: RateLimits;
  readonly now: () => number;
}

export interface Admission {
  readonly admit: Admit;
  readonly admitPoll: AdmitPoll;
}

/**
 * The limits of requests (reference/endpoints.md section 3, "Rate limits"), before anything is read of a request but its
 * head; null where there are none. Credentials that are right count for their account, wherever they come from, so that
 * nobody is shut out by a neighbour; all else, and whatever tries a password, counts for the address.
 */
export function openAdmission(
  deployment: Deployment,
  endpoints: readonly Endpoint[],
  { limits, now }: AdmissionInput,
): Admission | null {
  if (Object.values(limits).every((limit) => limit === 0)) return null;
  const addresses = rateOf<string>(limits.anonymous);
  const logIns = rateOf<string>(limits.logIn);
  const accounts = ratesOfAccounts(limits);
  const declaredAt = openDeclared(endpoints);

  function admit(arrival: Arrival): Allowance | null {
    const { realm, site } = deployment.at(arrival.host);
    // Whoever looks for the endpoint says that the server stops.
    if (realm?.isOpen() === false) return null;
    const declared = declaredAt(arrival);
    if (declared?.rate === 'logIn') return logIns?.take(arrival.address(), now()) ?? null;
    const user = realm && whoAsks(arrival, declared, { realm, site });
    if (realm === undefined || user === undefined) {
      return addresses?.take(arrival.address(), now()) ?? null;
    }
    return (
      accounts[rateClassOf(arrival, declared)]?.take(accountName(realm, user.id), now()) ?? null
    );
  }

  const admitPoll: AdmitPoll = (realm, userId) =>
    accounts.poll?.take(accountName(realm, userId), now()) ?? null;
  return { admit, admitPoll };
}

interface Seen {
  readonly realm: Realm;
  readonly site: Site;
}

/** The account of whoever asks, if they have one that they may use: why not, they are told when they are answered. */
function whoAsks(
  { authorization, urlKey }: Arrival,
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

/** Whoever has nothing left has to wait. */
export function refuseTooMany(allowance: Allowance | null) {
  if (allowance !== null && allowance.retryAfterMs > 0) {
    throw rateLimitHit(allowance.retryAfterMs / 1000);
  }
}

type AccountClass = Exclude<RateClass, 'logIn'> | 'request';

/** "Event polling is counted separately", at the same limit as what has none of its own. */
const ratesOfAccounts = (limits: RateLimits): Record<AccountClass, RequestRate<number> | null> => ({
  request: rateOf(limits.request),
  poll: rateOf(limits.request),
  send: rateOf(limits.send),
  search: rateOf(limits.search),
  upload: rateOf(limits.upload),
  mail: rateOf(limits.mail),
});

const rateOf = <Name extends string | number>(perMinute: number): RequestRate<Name> | null =>
  perMinute === 0 ? null : openRequestRate<Name>({ perMinute, namesMax: RATED_NAMES_MAX });

/** An account of all realms as one number, which is exact: a text for it would be made with each request. */
const accountName = (realm: Realm, userId: number): number => realm.id * ACCOUNTS_OF_REALM + userId;
const ACCOUNTS_OF_REALM = 2 ** 32;

/** What else is counted is said by the transports themselves: a socket is a poll that goes on. */
function rateClassOf({ method, path }: Arrival, declared: Endpoint | undefined): AccountClass {
  if (declared?.rate !== undefined && declared.rate !== 'logIn') return declared.rate;
  if (path === SOCKET_PATH) return 'poll';
  return path !== undefined && isNewUpload({ method, path }) ? 'upload' : 'request';
}

/** The endpoint of a request, where its declaration says something of how it is counted: of few it does. */
function openDeclared(endpoints: readonly Endpoint[]) {
  const declared = endpoints.filter(({ rate, byUrlKey }) => rate !== undefined || byUrlKey);
  const routes = openRoutes(declared);
  const paths = declared.map(({ path }) => path);
  const fixed = new Set(paths.filter((path) => !path.includes('{')));
  const beginnings = new Set(paths.filter((path) => !fixed.has(path)).map(beginningOf));
  /** Taking a path apart costs more than all else here, and few are worth it. */
  const mayBe = (path: string) => fixed.has(path) || beginnings.has(beginningOf(path));
  return ({ method, path }: Arrival): Endpoint | undefined => {
    if (path === undefined || !mayBe(path)) return undefined;
    try {
      return routes.find(path)?.byMethod.get(method === 'HEAD' ? 'GET' : method)?.endpoint;
    } catch (error) {
      // No path at all: whoever looks for its endpoint says so.
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  };
}

/** The first part of a path. */
function beginningOf(path: string): string {
  const end = path.indexOf('/', 1);
  return end < 0 ? path : path.slice(0, end);
}

export const SOCKET_PATH = `${getEvents.path}/socket`;
