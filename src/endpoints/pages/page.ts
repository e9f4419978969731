import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { Site } from '../../operations/access/caller.ts';
import type { Markup } from './markup.ts';

/** What a page of the server is asked with; nobody has to be logged in on one. */
export interface PageVisit {
  readonly realm: Realm;
  readonly site: Site;
  /** Path parameters, decoded. */
  readonly values: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The fields of its form. */
  readonly form: Readonly<Record<string, string>>;
  /** The header of clients that have credentials; empty for browsers. */
  readonly authorization: string;
}

export type PageReply = HtmlReply | Redirect;

/** Leads to something that anybody may have who knows its address. Who is led there may depend on their credentials. */
export interface Redirect {
  readonly status: 302;
  readonly location: string;
  /** How long the same client need not ask again. */
  readonly keptSeconds: number;
}

export interface HtmlReply {
  readonly status: number;
  readonly title: string;
  /** What is within `<main>`. */
  readonly main: Markup;
}

/**
 * A page at an address outside of the API: HTML without script for people who have no client yet, or what leads to an
 * image. `show` answers GET, `submit` the POST of its form.
 */
export interface Page {
  /** From the root of the server; `{name}` is a path parameter. */
  readonly path: string;
  /** Its parameters are any text, and not letters and digits alone. */
  readonly takesText?: true;
  show(visit: PageVisit): Promise<PageReply>;
  submit?(visit: PageVisit): Promise<PageReply>;
}
