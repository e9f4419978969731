import type { Realm } from '../../actors/realm/realm-handle.ts';
import { ApiError, rateLimitHit } from '../domain/errors.ts';
import { RATED_NAMES_MAX } from '../domain/limits.ts';
import { accountOfUrlKey } from '../operations/authentication.ts';
import type { Place } from '../operations/caller.ts';
import { accountOfHeader } from './authenticate.ts';
import type { Deployment } from './dispatch.ts';
import type { Endpoint } from './endpoint.ts';
import { getEvents } from './events/get-events.ts';
import { type Allowance, openRequestRate } from './request-rate.ts';
import { openRoutes } from './routes.ts';

/** What is known of a request before its parameters are. */
export interface Arrival {
  readonly method: string;
  /** Below `/api/v1`, as sent; undefined for what is no endpoint. */
  readonly path: string | undefined;
  readonly host: string;
  readonly authorization: string;
  /** Where it comes from: what counts as one address. */
  readonly address: string;
  /** The parameter `api_key` in the URL. */
  readonly urlKey: () => string | undefined;
}

/** Counts a request; null where nothing limits it. Whoever has nothing left is to be refused, which changes nothing. */
export type Admit = (arrival: Arrival) => Allowance | null;

export interface AdmissionInput {
  /** Requests of an account in a minute; 0 for any number. */
  readonly perUser: number;
  /** Requests without right credentials from an address in a minute; 0 for any number. */
  readonly perAddress: number;
  readonly now: () => number;
}

/**
 * The limits of requests (reference/endpoints.md section 3, "Rate limits"), before anything is read of a request but its
 * head; null where there are none. Credentials that are right count for their account, wherever they come from, so that
 * nobody is shut out by a neighbour; all else counts for the address.
 */
export function openAdmission(
  deployment: Deployment,
  endpoints: readonly Endpoint[],
  { perUser, perAddress, now }: AdmissionInput,
): Admit | null {
  if (perUser === 0 && perAddress === 0) return null;
  const users = rateOf(perUser);
  const polls = rateOf(perUser);
  const addresses = rateOf(perAddress);
  const isByUrlKey = openUrlKeyed(endpoints);
  return (arrival) => {
    const { realm, place } = deployment.at(arrival.host);
    // Whoever looks for the endpoint says that the server stops.
    if (realm?.isOpen() === false) return null;
    const user = realm && whoAsks(arrival, { realm, place });
    if (realm === undefined || user === undefined) {
      return addresses?.take(arrival.address, now()) ?? null;
    }
    // "Event polling is counted separately", at the same limit.
    const rate = isPoll(arrival) ? polls : users;
    return rate?.take(`${realm.id} ${user.id}`, now()) ?? null;
  };

  /** The account of whoever asks, if they have one that they may use: why not, they are told when they are answered. */
  function whoAsks({ path, authorization, urlKey }: Arrival, { realm, place }: Seen) {
    try {
      if (!isByUrlKey(path)) {
        return authorization === '' ? undefined : accountOfHeader(realm, authorization, place);
      }
      const key = urlKey();
      return key === undefined ? undefined : accountOfUrlKey(realm.reader, key);
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  }
}

interface Seen {
  readonly realm: Realm;
  readonly place: Place;
}

/** Whoever has nothing left has to wait. */
export function refuseTooMany(allowance: Allowance | null) {
  if (allowance !== null && allowance.retryAfterMs > 0) {
    throw rateLimitHit(allowance.retryAfterMs / 1000);
  }
}

const rateOf = (perMinute: number) =>
  perMinute === 0 ? null : openRequestRate({ perMinute, namesMax: RATED_NAMES_MAX });

/** Whether the key in the URL says who asks, and the header nothing. */
function openUrlKeyed(endpoints: readonly Endpoint[]) {
  const routes = openRoutes(endpoints.filter(({ byUrlKey }) => byUrlKey));
  return (path: string | undefined): boolean => {
    try {
      return path !== undefined && routes.find(path) !== undefined;
    } catch (error) {
      // No path at all: whoever looks for its endpoint says so.
      if (error instanceof ApiError) return false;
      throw error;
    }
  };
}

/** A socket is a poll that goes on. */
const isPoll = ({ method, path }: Arrival): boolean =>
  (path === getEvents.path && (method === 'GET' || method === 'HEAD')) || path === SOCKET_PATH;

export const SOCKET_PATH = '/events/socket';
