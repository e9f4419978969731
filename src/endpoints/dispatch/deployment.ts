import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { RequestHost } from '../../domain/request-host.ts';
import type { Site } from '../../operations/access/caller.ts';
import type { DemoPerson } from '../endpoint.ts';

/** The realms of a server, as requests name them. */
export interface Deployment {
  /**
   * Returns the realm of a host name, undefined if it names none and there is no default, and how
   * the realm is seen from there.
   */
  at(host: RequestHost): At;
  /**
   * Reserves a name for a realm that is about to get it; refuses the name of another realm. The
   * returned function ends the reservation, and is told whether the realm has the name.
   */
  claimName(realm: Realm, stringId: string): (isGiven: boolean) => void;
  /**
   * On a node that follows the realm: resolves when it has all that others had told the client of
   * a queue, with false if it does not get it in time; null if it has that already. By default it
   * has.
   */
  readonly whenCaughtUp?: (host: RequestHost, position: QueuePosition) => Promise<boolean> | null;
  /** Returns the people of the demo file, if there is one. */
  demoPeople(): readonly DemoPerson[];
}

/** The place in a queue that a client names. */
export interface QueuePosition {
  readonly queueId: string;
  /** It is not a number if the client names none. */
  readonly lastEventId: number;
}

/** A realm as it is named by a host, and how it is seen from there. */
export interface At {
  readonly realm: Realm | undefined;
  readonly site: Site;
}
