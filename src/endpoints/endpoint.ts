import type { z } from 'zod';
import type { EventQueue } from '../../actors/event-queue/queue.ts';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import type { RequestHost } from '../domain/request-host.ts';
import type { ErrorCode } from '../domain/wire/errors.ts';
import type { EventBody } from '../domain/wire/events/log-entry.ts';
import type { Consumer } from '../events/delivery.ts';
import type { Caller, RealmReader, RealmTransaction, Site } from '../operations/access/caller.ts';
import type { Rule } from './permissions.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
/** A parameter as it arrives: text, or nothing. */
export type Param = z.ZodType;
export type Params = Readonly<Record<string, Param>>;
export type Values<P extends Params> = { readonly [Name in keyof P]: z.output<P[Name]> };
/** The type of an event, whatever its operation. */
export type EventType = EventBody['type'];
export type Body = Readonly<Record<string, unknown>>;

/** A request with its caller and its parsed parameters, as an operation gets it. */
export interface ParsedRequest<P extends Params> extends Caller {
  readonly params: Values<P>;
  readonly idempotencyKey: string | null;
  /** The body, for an endpoint `byUrlKey`. */
  readonly posted: Posted;
  /** The one file of a multipart body, or null, for an endpoint that `takesFile`. */
  readonly file: Buffer | null;
  /** Hash of the key or of the session of the request; undefined without credentials. */
  readonly keyHash: string | undefined;
  /** The `name/version` that the program names itself by in `User-Agent`. */
  readonly program: string;
  /** UNIX milliseconds. A change uses the time of its transaction instead. */
  readonly now: number;
  /** Notes for the metrics how long (ms) a search for words has taken. */
  readonly noteSearch: (ms: number) => void;
}

/** The request of another service, which is more than parameters. */
export interface Posted {
  /** The body as text; undefined for a form, and without a body. */
  readonly text: string | undefined;
  /** The body as it came, of any type. */
  readonly body: Uint8Array;
  /**
   * Returns the header of this name, among those in which services name the event and authenticate
   * themselves.
   */
  header(name: string): string | undefined;
}

/**
 * A multipart body (RFC 7578) is made of pieces in the order it arrives: a head, then any number of
 * runs of bytes.
 */
export type Piece = PartHead | { readonly bytes: Buffer };

export interface PartHead {
  /** Name of the field; empty when it has none. */
  readonly name: string;
  /** Null for a field that is no file. */
  readonly filename: string | null;
  readonly contentType: string;
}

/** The body of a request as it arrives; a reader owns the chunks that it takes. */
export interface IncomingBody extends AsyncIterable<Buffer> {
  /**
   * Reads it as multipart, chunk by chunk: the length of each, and the pieces that it completes.
   * Refuses what is none.
   */
  inPieces(): AsyncIterable<{ readonly length: number; readonly pieces: readonly Piece[] }>;
  /** The announced length; null without one. */
  readonly bytes: number | null;
  /** Stops the body: its reader sees it as broken off. */
  stop(): void;
}

/** A queue at which a request can wait, and the queues to notify when its client has gone. */
export interface WaitingPlace {
  readonly queues: Realm['queues'];
  readonly queue: EventQueue;
}

/** The means of the few endpoints that are more than one step of reading or changing. */
export interface Exchange {
  readonly realm: Realm;
  readonly transport: {
    /** True if the request can wait as the consumer of a queue; `park` makes it one. */
    readonly canPark: boolean;
    park(place: WaitingPlace): Consumer;
    /** The body of a request to an endpoint that `streams`, if it is multipart. */
    readonly body: IncomingBody | null;
  };
  /** Answers, once: with the fields of a success, or with a refusal. */
  readonly answer: (body: Body) => void;
  readonly refuse: (error: unknown) => void;
  /**
   * Reserves a name for the realm, and refuses names of other realms. The returned function ends
   * the reservation; it is told whether the realm has the name, and returns how the realm is seen
   * then.
   */
  readonly claimName: (stringId: string) => (isGiven: boolean) => Site;
}

/** A JSON document that is the same for all callers: one copy of its text serves them all. */
export interface JsonDocument {
  readonly bytes: Uint8Array;
  /** The parsed text. */
  readonly value: Body;
}

/** The origin of a request. */
export interface Origin {
  /** Returns the client's address, in the form that limits count. */
  readonly address: () => string;
  readonly authorization: string;
  readonly userAgent: string;
  readonly host: RequestHost;
  readonly page?: SendingPage | undefined;
}

/** The page in a browser that has sent a request. Programs have none, and nor do frames. */
export interface SendingPage {
  /** `Sec-Fetch-Site`; empty from older browsers and over plain HTTP. */
  readonly fetchSite: string;
  /** `Origin`, in lower case; empty for most requests that read. */
  readonly origin: string;
  /** `Referer`; many pages send none. */
  readonly referer: string;
  /** True if a proxy says that it has passed the request on. */
  readonly isForwarded: boolean;
  /** The `Cookie` header, for pages; requests of the API have none. */
  readonly cookie?: string | undefined;
  /** Sets a cookie with the answer: the value of a `Set-Cookie` header. */
  setCookie(header: string): void;
}

/** A person of the demo realm, as the first start has made them. */
export interface DemoPerson {
  readonly userId: number;
  /** The account has another one once its password was changed. */
  readonly passwordHash: string;
}

/** The request of a client that need not be logged in. */
export interface Visit<P extends Params> {
  readonly params: Values<P>;
  /** Undefined if the host names no realm. */
  readonly realm: Realm | undefined;
  readonly site: Site;
  readonly from: Origin;
  /** Returns those whose passwords are those of the demo file, by the file; none without one. */
  readonly demoPeople: () => readonly DemoPerson[];
  readonly answer: (body: Body) => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * A class of requests with a limit of its own: they cost more than others, or a client gains by
 * repeating them. A log-in is counted by its address, all others by their account.
 */
export type RateClass = 'logIn' | 'mail' | 'poll' | 'search' | 'send' | 'upload';

interface Declaration<P extends Params> {
  readonly summary: string;
  /** Facts that the summary and the names do not tell; Markdown. */
  readonly description?: string;
  readonly method: Method;
  /**
   * The path below `/api/v1`; `{name}` is a path parameter, and `{name...}`, at the end, one that
   * may contain slashes.
   */
  readonly path: string;
  readonly params: P;
  /** The class for rate limits, if it has one of its own. */
  readonly rate?: RateClass;
  /**
   * True if it takes a multipart body as it arrives, which is never held as a whole, and has no
   * parameters.
   */
  readonly streams?: true;
  /** True if it takes a file along with its parameters, when the body is multipart. */
  readonly takesFile?: true;
  /**
   * True if its parameters are far larger than those of others: a body may be as large as one with
   * a file.
   */
  readonly takesMuch?: true;
  /**
   * True if incoming-webhook bots may use it, which may only send (reference/endpoints.md section
   * 3).
   */
  readonly forSenders?: true;
  /**
   * True if its URL is given to other services: the parameter `api_key` identifies the caller, and
   * a body that is not a form is passed on as it came.
   */
  readonly byUrlKey?: true;
  /**
   * True if it also answers spectators, if the realm shows itself to them (`access/spectators.ts`).
   */
  readonly spectators?: true;
  /**
   * True if it works while the disk is nearly full, although it is not a GET or DELETE: it takes
   * hardly any space, or frees some.
   */
  readonly needsNoSpace?: true;
  /** Codes besides those that any request may be refused with. */
  readonly refuses?: readonly ErrorCode[];
  readonly emits?: readonly EventType[];
  /** Headers that have a meaning for this endpoint, and which. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The fields of a success. */
  readonly reply?: Params;
  /**
   * Tests for a reply with a secret in it, or true if each has one. Its length must not tell how
   * much the secret is like something else in it, so it is not compressed (decision 0196).
   */
  readonly holdsSecret?: true | ((body: Body) => boolean);
}

/**
 * An endpoint: what is accepted, from whom, and what follows. `change` runs in the realm's
 * transaction and is answered when it is durable; `read` is answered at once from what is
 * committed; `exchange` and `visit` answer for themselves; a `document` is answered as it is, to
 * all callers, without the envelope.
 */
export type Endpoint<P extends Params = Params> = Declaration<P> &
  (
    | {
        readonly allow: Rule;
        readonly change: (tx: RealmTransaction, request: ParsedRequest<P>) => Body | void;
      }
    | {
        readonly allow: Rule;
        readonly read: (reader: RealmReader, request: ParsedRequest<P>) => Body;
      }
    | {
        readonly allow: Rule;
        readonly exchange: (request: ParsedRequest<P>, exchange: Exchange) => void;
      }
    | { readonly visit: (visit: Visit<P>) => void }
    | { readonly document: () => JsonDocument }
  );

/** Declares an endpoint; the types of its values come from its params. */
export const endpoint = <const P extends Params>(declaration: Endpoint<P>): Endpoint =>
  // Params and handler of one declaration belong together, which the list of all endpoints cannot
  // express.
  declaration as unknown as Endpoint;
