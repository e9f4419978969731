import type { z } from 'zod';
import type { EventQueue } from '../../actors/event-queue/queue.ts';
import type { Realm } from '../../actors/realm/realm-handle.ts';
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
/** What clients know events by, whatever their operation. */
export type EventType = EventBody['type'];
export type Body = Readonly<Record<string, unknown>>;

/** What an operation is handed of the request. */
export interface Asked<P extends Params> extends Caller {
  readonly params: Values<P>;
  readonly idempotencyKey: string | null;
  /** Of an endpoint `byUrlKey`. */
  readonly posted: Posted;
  /** Of an endpoint that `takesFile`: the one file of a multipart body, or null. */
  readonly file: Buffer | null;
  /** Of the key in the `Authorization` header; undefined where there is none. */
  readonly keyHash: string | undefined;
  /** UNIX milliseconds. What changes something has the time of its transaction instead. */
  readonly now: number;
}

/** What another service posts: more than parameters. */
export interface Posted {
  /** The body as text; undefined when it is a form, or there is none. */
  readonly text: string | undefined;
  /** The body as it came, whatever it is. */
  readonly body: Uint8Array;
  /** The header of this name, of those by which services say what has happened, and that it is them. */
  header(name: string): string | undefined;
}

/** A multipart body (RFC 7578) is made of pieces in the order it arrives: a head, then any number of runs of bytes. */
export type Piece = PartHead | { readonly bytes: Buffer };

export interface PartHead {
  /** Name of the field; empty when it has none. */
  readonly name: string;
  /** Null for a field that is no file. */
  readonly filename: string | null;
  readonly contentType: string;
}

/** The body of a request as it arrives; whoever takes a chunk has it to themselves. */
export interface IncomingBody extends AsyncIterable<Buffer> {
  /** Reads it as multipart, chunk by chunk: the length of each, and the pieces that it completes. Refuses what is none. */
  inPieces(): AsyncIterable<{ readonly length: number; readonly pieces: readonly Piece[] }>;
  /** As announced; null when it was not. */
  readonly bytes: number | null;
  /** Wants no more of it: whoever reads it is told that it was broken off. */
  stop(): void;
}

/** A queue at which a request can wait, and those that are to be told when its client has gone. */
export interface WaitingPlace {
  readonly queues: Realm['queues'];
  readonly queue: EventQueue;
}

/** What the few endpoints get besides that are not one step of reading or changing. */
export interface Exchange {
  readonly realm: Realm;
  readonly transport: {
    /** Whether the request can wait as the consumer of a queue; `park` makes it one. */
    readonly canPark: boolean;
    park(place: WaitingPlace): Consumer;
    /** Of an endpoint that `streams`: the body, when it is multipart. */
    readonly body: IncomingBody | null;
  };
  /** Answers, once: with the fields of a success, or with what was refused. */
  readonly answer: (body: Body) => void;
  readonly refuse: (error: unknown) => void;
  /**
   * Keeps a name for the realm until what is returned is called, with whether it has it now; that gives how the realm is
   * seen then. Refuses names of other realms.
   */
  readonly claimName: (stringId: string) => (isGiven: boolean) => Site;
}

/** A JSON document that is the same for everybody: its text is kept once, for all who read it. */
export interface JsonDocument {
  readonly bytes: Uint8Array;
  /** What the text says. */
  readonly value: Body;
}

/** Where a request comes from. */
export interface Origin {
  /** What counts as one address. */
  readonly address: () => string;
  readonly authorization: string;
}

/** What someone who is not logged in is handed. */
export interface Visit<P extends Params> {
  readonly params: Values<P>;
  /** Absent when the host names no realm. */
  readonly realm: Realm | undefined;
  readonly site: Site;
  readonly from: Origin;
  readonly answer: (body: Body) => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * How requests are counted that cost more than others, or that somebody gains by repeating: each class has a limit of its
 * own. A log-in is counted by its address, all else by its account.
 */
export type RateClass = 'logIn' | 'mail' | 'poll' | 'search' | 'send' | 'upload';

interface Declaration<P extends Params> {
  readonly summary: string;
  /** What the summary and the names do not say; Markdown. */
  readonly description?: string;
  readonly method: Method;
  /** Below `/api/v1`; `{name}` is a path parameter, and `{name...}`, at the end, one that may contain slashes. */
  readonly path: string;
  readonly params: P;
  /** What it counts as, where that is not one of the rest. */
  readonly rate?: RateClass;
  /** Takes a multipart body as it arrives: it is held nowhere as a whole, and no parameters are looked for in it. */
  readonly streams?: true;
  /** Takes a file along with its parameters, when the body is multipart. */
  readonly takesFile?: true;
  /** Its parameters hold far more than those of others: a body may be as large as one with a file. */
  readonly takesMuch?: true;
  /** Also for incoming-webhook bots, which may do nothing but send (reference/endpoints.md section 3). */
  readonly forSenders?: true;
  /**
   * Its URL is given to other services: the parameter `api_key` says who asks, and the body is handed on as it came when it
   * is no form.
   */
  readonly byUrlKey?: true;
  /** Also answers those who are not logged in, where the realm shows itself to them (`access/spectators.ts`). */
  readonly spectators?: true;
  /** Is carried out while the disk is nearly full, though it is no GET or DELETE: it takes hardly any space, or frees some. */
  readonly needsNoSpace?: true;
  /** Codes beyond those that any request may be refused with. */
  readonly refuses?: readonly ErrorCode[];
  readonly emits?: readonly EventType[];
  /** Headers that mean something to this endpoint, and what. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The fields of a success. */
  readonly reply?: Params;
}

/**
 * An endpoint: what is accepted, from whom, and what follows. `change` runs in the realm's transaction and is answered
 * when it is durable; `read` is answered at once from what is committed; `exchange` and `visit` answer for themselves;
 * a `document` is answered as it is, to anyone, without the envelope.
 */
export type Endpoint<P extends Params = Params> = Declaration<P> &
  (
    | {
        readonly allow: Rule;
        readonly change: (tx: RealmTransaction, asked: Asked<P>) => Body | void;
      }
    | { readonly allow: Rule; readonly read: (reader: RealmReader, asked: Asked<P>) => Body }
    | { readonly allow: Rule; readonly exchange: (asked: Asked<P>, exchange: Exchange) => void }
    | { readonly visit: (visit: Visit<P>) => void }
    | { readonly document: () => JsonDocument }
  );

/** Declares an endpoint; the types of its values come from its params. */
export const endpoint = <const P extends Params>(declaration: Endpoint<P>): Endpoint =>
  // Params and handler of one declaration belong together, which the list of all endpoints cannot express.
  declaration as unknown as Endpoint;
