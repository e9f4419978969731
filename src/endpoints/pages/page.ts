import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { Site } from '../../operations/access/caller.ts';
import type { Origin } from '../endpoint.ts';
import type { FaultCode } from '../sign-in/fault.ts';
import type { Markup } from './markup.ts';

/**
 * The request for a page of the server; pages need no log-in. It has the credentials of the client
 * nevertheless; browsers that are not logged in have none.
 */
export interface PageVisit extends Origin {
  readonly realm: Realm;
  readonly site: Site;
  /** Path parameters, decoded. */
  readonly values: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The fields of its form. */
  readonly form: Readonly<Record<string, string>>;
  /** Notes a sign-in by a provider. */
  readonly onSignIn?: NoteSignIn | undefined;
}

/** How sign-ins and log-outs by providers end, besides the faults of a provider. */
const OUTCOMES = [
  'signed_in',
  'begun_elsewhere',
  'no_account',
  'logged_out',
  'logout_refused',
] as const;

/** Notes how a sign-in by a provider has ended; the error has no secrets. */
export type NoteSignIn = (noted: {
  readonly provider: string;
  readonly outcome: FaultCode | (typeof OUTCOMES)[number];
  readonly error?: unknown;
}) => void;

export type PageReply =
  | HtmlReply
  | DocumentReply
  | Redirect
  | Onward
  | Away
  | ScimReply
  | JsonReply;

/** An answer to a program, which no cache keeps; null for none. */
export interface JsonReply {
  readonly status: number;
  readonly json: object | null;
}

/** An answer to a program that speaks SCIM: a JSON object, or null for none. */
export interface ScimReply {
  readonly status: number;
  readonly scim: object | null;
  /** The address of a resource. */
  readonly location?: string;
  /** The version of a resource, a weak entity tag. */
  readonly version?: string;
  /** True if a client that has this version needs no body. */
  readonly isRead?: true;
  /** True if the request lacks its token. */
  readonly isUnauthorized?: true;
}

/** A request of a program, of any method. */
export interface AnyRequest extends PageVisit {
  readonly method: string;
  /** The versions of what it changes; empty for any. */
  readonly ifMatch: string;
  readonly text: (() => string) | undefined;
  /** Reads a body that is a form. */
  readonly fields: () => Readonly<Record<string, string>>;
}

/** Leads a browser to a page of another server, with a cookie. */
export interface Away {
  readonly status: 303;
  /** An absolute URL. */
  readonly away: string;
}

/** Leads a browser whose form was taken to a page of this server. */
export interface Onward {
  readonly status: 303;
  /** The path, from the root of the server. */
  readonly onward: string;
}

/**
 * Leads to a file that is public to everybody who has its address. The target may depend on
 * credentials.
 */
export interface Redirect {
  readonly status: 302;
  readonly location: string;
  /** How long the client may cache it. */
  readonly keptSeconds: number;
}

/** A whole document with files of its own; a browser that has it is told so. */
export interface DocumentReply {
  readonly status: number;
  readonly document: Markup;
}

export interface HtmlReply {
  readonly status: number;
  readonly title: string;
  /** The content of `<main>`. */
  readonly main: Markup;
}

/**
 * A page at an address outside of the API: HTML for people who have no client yet, or who write
 * one, or a redirect to an image. `show` answers GET, `submit` the POST of its form.
 */
export interface Page {
  /** The path from the root of the server; `{name}` is a path parameter. */
  readonly path: string;
  /** True if its parameters are any text, and not only letters and digits. */
  readonly takesText?: true;
  /** Tests for values of its parameters that it is not for: there is no such page. */
  readonly isFor?: (values: Readonly<Record<string, string>>) => boolean;
  /** True if showing it is counted as a log-in is, because it costs as much; or a test for it. */
  readonly isCounted?: true | ((asked: Pick<PageVisit, 'realm' | 'authorization'>) => boolean);
  /** Returns the answer to a request that is refused; by default it is a page for people. */
  readonly failed?: (status: number, sentence: string) => PageReply;
  /** Answers programs, instead of `show` and `submit`. */
  readonly answers?: {
    readonly methods: readonly string[];
    run(request: AnyRequest): Promise<PageReply>;
  };
  show?(visit: PageVisit): Promise<PageReply>;
  submit?(visit: PageVisit): Promise<PageReply>;
}
