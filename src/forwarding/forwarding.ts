import type { Realm } from '../../actors/realm/realm-handle.ts';
import * as errors from '../domain/wire/errors.ts';
import type { Deployment } from '../endpoints/dispatch/deployment.ts';
import type { ApiRequest } from '../endpoints/dispatch/request.ts';
import type { Dispatch } from '../endpoints/dispatch.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { getEvents } from '../endpoints/events/get-events.ts';
import { registerQueue } from '../endpoints/events/register-queue.ts';
import type { Route, Routes } from '../endpoints/routes.ts';
import type { AskedRequest, Outcome } from './asked-request.ts';
import { askedOf, settle } from './asking.ts';

interface ForwardingInput {
  readonly local: Dispatch;
  readonly routes: Routes;
  readonly deployment: Deployment;
  /** Asks the writer. Returns false if too much is under way. */
  readonly ask: Ask;
  /**
   * Tells whether this process writes the realm of a request, or nobody does because there is none.
   * By default another one writes all.
   */
  readonly isWrittenHere?: ((realm: Realm | undefined) => boolean) | undefined;
  /** Resolves when polls may be answered here; null for at once. */
  readonly whenCaughtUp?: Deployment['whenCaughtUp'];
}

export type Ask = (
  asked: AskedRequest,
  settle: (outcome: Outcome) => void,
  about: AskedAbout,
) => boolean;

export interface AskedAbout {
  readonly realm: Realm | undefined;
  readonly endpoint: Endpoint;
  /** Answers here after all, as this process has become the writer. */
  readonly serveHere: () => void;
}

/**
 * Answers what only reads here, and has the writer answer the rest. A request to no realm is
 * refused by the writer, which also knows the realms that are not served.
 */
export function openForwarding(input: ForwardingInput): Dispatch {
  const { local, routes, deployment, ask, isWrittenHere = () => false, whenCaughtUp } = input;
  return (request, answer) => {
    const route = routeOf(routes, request);
    if (route === undefined) return local(request, answer);
    const { endpoint } = route;
    const { realm } = deployment.at(request.host);
    // The dispatch refuses everything while the process stops.
    const isHere = realm?.isOpen() === false || 'document' in endpoint;
    if (isHere) return local(request, answer);
    const serveHere = () => local(request, answer);
    if (isWrittenHere(realm) || (realm !== undefined && isServedHere(endpoint))) {
      const isPoll = endpoint === getEvents;
      const wait = isPoll ? whenCaughtUp?.(request.host, positionIn(request)) : null;
      if (wait === null || wait === undefined) serveHere();
      else {
        // A client is not wrong because it was told elsewhere what is not here yet.
        void wait.then((isKnown) => {
          if (isKnown) serveHere();
          else answer.fail(errors.serverStopping(), request);
        });
      }
      return;
    }
    answer.isOf(route.index);
    const asked = askedOf(request, { withBody: hasBody(endpoint) });
    const about = { realm, endpoint, serveHere };
    const isTaken = ask(asked, (outcome) => settle(outcome, request, answer), about);
    if (!isTaken) answer.fail(errors.rateLimitHit(BUSY_SECONDS), request);
  };
}

const positionIn = ({ raw }: ApiRequest) => ({
  queueId: raw['queue_id'] ?? '',
  lastEventId: Number(raw['last_event_id']),
});

/** Seconds after which a client is asked to come back when the writer has too much to do. */
const BUSY_SECONDS = 1;

/** Returns the route of a request; undefined if the request is refused with any. */
function routeOf(routes: Routes, { method, path, raw }: ApiRequest): Route | undefined {
  try {
    const matched = routes.find(path);
    const named = method === 'POST' ? (raw['method']?.toUpperCase() ?? method) : method;
    return matched?.byMethod.get(named === 'HEAD' ? 'GET' : named);
  } catch (error) {
    if (error instanceof errors.ApiError) return undefined;
    throw error;
  }
}

/** A registration has the writer add its queue (`actors/realm/registrar.ts`). */
const SERVED_HERE: ReadonlySet<Endpoint> = new Set([getEvents, registerQueue]);

const isServedHere = (endpoint: Endpoint) => 'read' in endpoint || SERVED_HERE.has(endpoint);

const hasBody = ({ byUrlKey, takesFile }: Endpoint) => byUrlKey === true || takesFile === true;
