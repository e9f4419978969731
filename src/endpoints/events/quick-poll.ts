import type { Consumer } from '../../events/delivery.ts';
import { authenticate } from '../authenticate.ts';
import type { Deployment } from '../dispatch.ts';
import { getEvents, mayWait, waitFor } from './get-events.ts';

export const POLL_PATH = getEvents.path;

/** What is looked at of a request for events. */
interface Asked {
  readonly host: string;
  readonly authorization: string;
  readonly query: string;
}

/** A request that can wait. */
export interface Waiting {
  park(queueId: string): Consumer;
  onGone(callback: () => void): void;
}

/**
 * Has a request wait for events, or answers it; false, with nothing done, when anything about it is unusual or wrong: the
 * endpoint sees to those, and says why.
 */
export type QuickPoll = (asked: Asked, request: Waiting) => boolean;

/**
 * What `GET /events` does for the queries that clients make, without what other endpoints need besides: of a thousand who
 * wait for the same event each asks again at once, and that is most of what their server does.
 */
export function openQuickPolls(deployment: Deployment): QuickPoll {
  return ({ host, authorization, query }, request) => {
    const wanted = wantedIn(query);
    if (wanted === undefined) return false;
    const { realm, place } = deployment.at(host);
    if (realm === undefined || !realm.isOpen()) return false;
    try {
      const user = authenticate(realm, authorization, place);
      mayWait(user);
      const queue = realm.queues.find(wanted.queueId, user.id);
      if (queue === undefined) return false;
      const { lastEventId } = wanted;
      const parked = request.park(wanted.queueId);
      return waitFor({ realm, queue, lastEventId, parked, request }) === 'attached';
    } catch {
      return false;
    }
  };
}

const QUEUE = 'queue_id=';
const POSITION = '&last_event_id=';
/** Nothing in it is encoded, and it has no third parameter. */
const PLAIN = /^[\w-]+$/;

function wantedIn(query: string): { queueId: string; lastEventId: number } | undefined {
  if (!query.startsWith(QUEUE)) return undefined;
  const end = query.indexOf(POSITION);
  if (end < 0) return undefined;
  const queueId = query.slice(QUEUE.length, end);
  const position = query.slice(end + POSITION.length);
  if (!PLAIN.test(queueId) || !POSITIONS.test(position)) return undefined;
  return { queueId, lastEventId: Number(position) };
}

const POSITIONS = /^-?\d{1,15}$/;
