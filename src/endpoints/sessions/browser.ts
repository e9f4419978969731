import type { Realm } from '../../../actors/realm/realm-handle.ts';
import * as errors from '../../domain/wire/errors.ts';
import { isOfSession } from '../../operations/access/authentication.ts';
import type { Caller, RealmTransaction, Site } from '../../operations/access/caller.ts';
import { beginSession } from '../../operations/accounts/logins.ts';
import * as sessions from '../../operations/accounts/sessions.ts';
import { accountOfHeader, keyHashOf } from '../authenticate.ts';
import type { Origin } from '../endpoint.ts';
import { clearCookie, setCookie } from './cookies.ts';
import { isOfOwnPage } from './own-page.ts';

/** The browser that has sent a request, which keeps the cookie of a session. */
export interface Browser {
  keep(cookie: string): void;
  forget(): void;
}

/**
 * Returns the browser of a page of this host; refuses any other request. Otherwise a page of
 * anybody could log its visitor in as somebody else.
 */
export function browserOf({ page, host }: Pick<Origin, 'page' | 'host'>, site: Site): Browser {
  if (page === undefined) throw errors.notFromOwnPage();
  if (!isOfOwnPage(page, { host, site, isRead: false })) throw errors.notFromOwnPage();
  const seen = { host, site, origin: page.origin };
  return {
    keep: (cookie) => page.setCookie(setCookie(seen, cookie)),
    forget: () => page.setCookie(clearCookie(seen)),
  };
}

interface LogIn {
  readonly realm: Realm;
  readonly site: Site;
  /** The account, as it was when its password was verified. */
  readonly user: Caller['user'];
  readonly from: Origin;
  readonly browser: Browser;
  /** The way in, for the audit log. */
  readonly method: string;
  /** The session at the provider, if one has vouched for the person. */
  readonly provider?: sessions.NewBrowser['provider'];
}

/**
 * Begins a session, and has the browser keep its cookie in place of the one of a former session,
 * which ends. Returns the answer.
 */
export async function begin({ realm, site, user, browser, ...way }: LogIn) {
  const { from, method, provider } = way;
  const former = sessionOf(realm, site, from);
  const begun = await realm.perform((tx) =>
    beginIn(tx, former, () =>
      beginSession(tx, user, {
        ...newBrowser(from, method),
        ...(provider === undefined ? {} : { provider }),
      }),
    ),
  );
  return kept(browser, begun);
}

type Begun = ReturnType<typeof beginSession>;

/** Returns the browser as a session keeps it, with the way in which it was logged in. */
export const newBrowser = (from: Origin, method: LogIn['method']): sessions.NewBrowser => ({
  userAgent: from.userAgent,
  address: from.address(),
  method,
});

/** Begins a session within a transaction, in place of the former one of the browser. */
export function beginIn(
  tx: RealmTransaction,
  former: sessions.OwnSession | undefined,
  beginNow: () => Begun,
): Begun {
  const begun = beginNow();
  if (former !== undefined) sessions.endCurrent(tx, former);
  return begun;
}

/** Has the browser keep the cookie of a session, and returns the answer. */
export function kept(browser: Browser, begun: Begun) {
  browser.keep(begun.cookie);
  return { email: begun.email, user_id: begun.userId };
}

/** Returns the session of a request, if it is in one that has not ended. */
export function sessionOf(
  realm: Realm,
  site: Site,
  { authorization }: Origin,
): sessions.OwnSession | undefined {
  if (!isOfSession(authorization)) return undefined;
  try {
    const userId = accountOfHeader(realm, authorization, site).id;
    const hash = keyHashOf(realm, authorization, site);
    return hash === undefined ? undefined : { userId, hash };
  } catch (error) {
    if (error instanceof errors.ApiError) return undefined;
    throw error;
  }
}
