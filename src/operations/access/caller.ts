import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { ServerSettings } from '../../config.ts';

/** An operation knows this of a request, besides its parameters: who asks, and by what address. */
export interface Caller {
  readonly user: UserRow;
  readonly site: Site;
  /** Name of the client program, as stored with a message. */
  readonly client: string;
}

/** A realm as seen from outside, perhaps by one request. */
export interface Site {
  /** The realm's URL, absolute and without a trailing slash: `https://chat.example.com`. */
  readonly url: string;
  /** The same by the name that the realm has now, where `url` has a former one. */
  readonly currentUrl: string;
  /**
   * The same by the operator's settings only, whatever the request says: for what others are sent.
   */
  readonly settledUrl: string;
  /**
   * The host that the request named, which clients link files by; empty where there is no request.
   */
  readonly requestHost: string;
  /** The host part of addresses that exist only for the API. */
  readonly host: string;
  /** The host part of the addresses that mails come from, and go to. */
  readonly mailHost: string;
  /** UNIX seconds. */
  readonly serverStartedAt: number;
  /** The operator's settings: the same object for all realms and requests (decision 0150). */
  readonly settings: ServerSettings;
}

/** Types of the arguments of operations, for their callers. */
export type { Operation, RealmReader, RealmTransaction } from '../../../storage/transaction.ts';
