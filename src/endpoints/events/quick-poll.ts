import { isPolledWith, notePoller } from '../../../actors/event-queue/queue.ts';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { RequestHost } from '../../domain/request-host.ts';
import { ApiError } from '../../domain/wire/errors.ts';
import type { Site } from '../../operations/access/caller.ts';
import { type Credentials, credentialsOf } from '../authenticate.ts';
import type { Deployment } from '../dispatch/deployment.ts';
import type { WaitingPlace } from '../endpoint.ts';
import { getEvents, mayWait } from './get-events.ts';

export const POLL_PATH = getEvents.path;

/** The parts of a poll request that are read. */
interface PollRequest {
  readonly host: RequestHost;
  readonly authorization: string;
  readonly query: string;
}

/** The queue at which a poll waits, and the client's position. */
export interface Wait extends WaitingPlace {
  readonly realm: Realm;
  readonly lastEventId: number;
}

/**
 * Returns where a poll waits; undefined, with nothing changed, if anything about it is unusual or
 * wrong: the endpoint handles those, and says why.
 */
export type QuickPoll = (request: PollRequest) => Wait | undefined;

/**
 * Answers `GET /events` for the queries that clients make, without the general steps of an
 * endpoint: of a thousand clients that wait for the same event each polls again at once, and that
 * is most of what their server does.
 */
export function openQuickPolls(deployment: Deployment): QuickPoll {
  return ({ host, authorization, query }) => {
    if (!query.startsWith(QUEUE)) return undefined;
    const end = query.indexOf('&', QUEUE.length);
    if (end < 0 || !query.startsWith(POSITION, end)) return undefined;
    const lastEventId = positionAt(query, end + POSITION.length);
    if (lastEventId === undefined) return undefined;
    const { realm, site } = deployment.at(host);
    if (realm === undefined || !realm.isOpen()) return undefined;
    const { queues } = realm;
    // An encoded or invalid id is not found.
    const queue = queues.all().get(query.slice(QUEUE.length, end));
    if (queue === undefined) return undefined;
    if (!isPolledWith(queue, authorization, realm.reader.accountsVersion())) {
      const poller = pollerOf(realm, authorization, site);
      if (poller?.user.id !== queue.userId) return undefined;
      notePoller(queue, poller);
    }
    const wait = deployment.whenCaughtUp?.(host, { queueId: queue.id, lastEventId }) ?? null;
    if (wait !== null) return undefined;
    return { realm, queues, queue, lastEventId };
  };
}

/** Returns the caller of this header, if it may wait. */
function pollerOf(realm: Realm, authorization: string, site: Site): Credentials | undefined {
  try {
    const credentials = credentialsOf(realm, authorization, site);
    mayWait(credentials.user);
    return credentials;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

const QUEUE = 'queue_id=';
const POSITION = '&last_event_id=';
/** Numbers of this length are exact, whatever the digits are. */
const POSITION_DIGITS_MAX = 15;
const DIGIT_0 = 48;

/**
 * Returns the integer at the end of the query; undefined if it is not one, or has more digits than
 * a position has.
 */
function positionAt(query: string, start: number): number | undefined {
  const isNegative = query.startsWith('-', start);
  const first = isNegative ? start + 1 : start;
  const digits = query.length - first;
  if (digits < 1 || digits > POSITION_DIGITS_MAX) return undefined;
  let position = 0;
  for (let at = first; at < query.length; at += 1) {
    const digit = query.charCodeAt(at) - DIGIT_0;
    if (digit < 0 || digit > 9) return undefined;
    position = position * 10 + digit;
  }
  return isNegative ? -position : position;
}
