import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { Place } from '../../operations/caller.ts';
import type { Markup } from './markup.ts';

/** What a page of the server is asked with; nobody is logged in on one. */
export interface PageVisit {
  readonly realm: Realm;
  readonly place: Place;
  /** Path parameters, decoded. */
  readonly values: Readonly<Record<string, string>>;
  /** The fields of its form. */
  readonly form: Readonly<Record<string, string>>;
}

export interface PageReply {
  readonly status: number;
  readonly title: string;
  /** What is within `<main>`. */
  readonly main: Markup;
}

/**
 * A page for people who have no client yet: HTML without script, at an address outside of the API. `show` answers GET,
 * `submit` the POST of its form.
 */
export interface Page {
  /** From the root of the server; `{name}` is a path parameter. */
  readonly path: string;
  show(visit: PageVisit): Promise<PageReply>;
  submit(visit: PageVisit): Promise<PageReply>;
}
