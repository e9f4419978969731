import type { UserRow } from '../../../storage/tables/people/users.ts';

/** Who asks, and by what address: what an operation knows of the request besides its parameters. */
export interface Caller {
  readonly user: UserRow;
  readonly site: Site;
  /** Name of the client program, as stored with a message. */
  readonly client: string;
}

/** The realm as seen from outside. */
export interface Site {
  /** Absolute, without a trailing slash: `https://chat.example.com`. */
  readonly url: string;
  /** The same by the name that the realm has now, where `url` has a former one. */
  readonly currentUrl: string;
  /** The same by what the operator has set alone, whatever the request says: for what others are sent. */
  readonly settledUrl: string;
  /** The host that the request named, which clients link files by; empty where there is no request. */
  readonly askedHost: string;
  /** The host part of addresses that exist for the API alone. */
  readonly host: string;
  /** Existing clients look for `<prefix>_version` beside `service_version`; empty for none. */
  readonly aliasPrefix: string;
  /** Presence is told only to those who may know of the user, as the operator of the server chose. */
  readonly limitsPresence: boolean;
  /** Whether a push bouncer is configured. */
  readonly hasPushService: boolean;
  /** Whether a mail server is configured. */
  readonly hasMailService: boolean;
  /** UNIX seconds. */
  readonly serverStartedAt: number;
  /** Whether the server shows web-public channels to those who are not logged in, in realms that want it. */
  readonly isWebPublic: boolean;
  /** Whether this server looks at what messages link, in realms that want it. */
  readonly showsPreviews: boolean;
  /** Where pictures are found by the hash of a mail address, which follows; null: the server has pictures of its own. */
  readonly gravatarUrl: string | null;
  /** How long invitations last that do not say it. */
  readonly invitationMinutes: number;
  /** MiB that an uploaded file may have. */
  readonly maxUploadMib: number;
}

/** What operations are handed, by name, for those who call them. */
export type { Operation, RealmReader, RealmTransaction } from '../../../storage/transaction.ts';
