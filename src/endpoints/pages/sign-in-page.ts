import { ApiError } from '../../domain/wire/errors.ts';
import { SIGN_IN_PATH } from '../../operations/access/sign-in.ts';
import * as vouched from '../../operations/accounts/vouched.ts';
import { begin } from '../sessions/browser.ts';
import { setCookie } from '../sessions/cookies.ts';
import * as attempts from '../sign-in/attempt-cookie.ts';
import { entryCalled } from '../sign-in/entries.ts';
import { SENTENCES, SignInFault } from '../sign-in/fault.ts';
import { authorizationUrl, type OpenIdEntry, personOf } from '../sign-in/provider.ts';
import { html } from './markup.ts';
import type { Page, PageReply, PageVisit } from './page.ts';

/** Leads a browser to a provider of OpenID Connect. */
export const signInPage: Page = {
  path: `${SIGN_IN_PATH}{provider}/`,
  takesText: true,
  isCounted: true,
  async show(visit) {
    const entry = entryOf(visit);
    if (entry === undefined) return unknown();
    if (visit.page === undefined) return notSignedIn(400, 'Open this address in a browser.');
    const { site, query, page } = visit;
    const { attempt, cookie } = attempts.begin(site, entry.name, query['place'] ?? '');
    try {
      const away = await authorizationUrl(entry, attempt, returnUrl(visit, entry));
      page.setCookie(cookie);
      return { status: 303, away };
    } catch (error) {
      return refused(visit, entry, error);
    }
  },
};

/** The page to which a provider leads the browser back; the web client follows it. */
export const signInReturnPage: Page = {
  path: `${SIGN_IN_PATH}{provider}/return`,
  takesText: true,
  isCounted: true,
  async show(visit) {
    const entry = entryOf(visit);
    if (entry === undefined) return unknown();
    const { site, page, host, realm, query } = visit;
    const attempt = attempts.inCookies(site, page?.cookie ?? '');
    // Another page may have led the browser here with a code of somebody else.
    if (page === undefined || attempt?.provider !== entry.name) return begunElsewhere(visit, entry);
    if (query['state'] !== attempt.state) return begunElsewhere(visit, entry);
    page.setCookie(attempts.forgotten(site));
    try {
      const came = new URL(`${returnUrl(visit, entry)}?${new URLSearchParams(query)}`);
      const { person, session } = await personOf(entry, attempt, came);
      const user = await realm.perform((tx) => vouched.accountFor(tx, site, { entry, person }));
      const browser = {
        keep: (cookie: string) => page.setCookie(setCookie({ host, site, origin: '' }, cookie)),
        forget: () => undefined,
      };
      const method = `openid:${entry.name}`;
      await begin({ realm, site, user, from: visit, browser, method, provider: session });
      visit.onSignIn?.({ provider: entry.name, outcome: 'signed_in' });
      return { status: 303, onward: `/${attempt.place}` };
    } catch (error) {
      return refused(visit, entry, error);
    }
  },
};

const entryOf = ({ realm, site, values }: PageVisit) =>
  entryCalled(realm.reader, site, { type: 'openid', name: values['provider'] ?? '' });

const returnUrl = ({ site }: PageVisit, { name }: OpenIdEntry) =>
  `${site.url}${SIGN_IN_PATH}${name}/return`;

const TITLE = 'You are not signed in';

/** The reason is text that has no secrets in it. */
const notSignedIn = (status: number, sentence: string): PageReply => ({
  status,
  title: TITLE,
  main: html`<h1>${TITLE}</h1>
<p role="alert">${sentence}</p>
<p><a href="/">Back to the log-in page</a></p>`,
});

const unknown = () =>
  notSignedIn(404, 'This organization has no such way to sign in. Check the address.');

function begunElsewhere(visit: PageVisit, entry: OpenIdEntry): PageReply {
  visit.onSignIn?.({ provider: entry.name, outcome: 'begun_elsewhere' });
  return notSignedIn(
    400,
    'This browser has not begun this sign-in, or began it too long ago. Please begin again.',
  );
}

function refused(visit: PageVisit, entry: OpenIdEntry, error: unknown): PageReply {
  const provider = entry.display_name ?? entry.name;
  if (error instanceof SignInFault) {
    visit.onSignIn?.({ provider: entry.name, outcome: error.code, error: error.cause });
    const status = error.code === 'busy' || error.code === 'unreachable' ? 503 : 400;
    return notSignedIn(status, `Signing in by ${provider} has failed. ${SENTENCES[error.code]}`);
  }
  if (!(error instanceof ApiError)) throw error;
  visit.onSignIn?.({ provider: entry.name, outcome: 'no_account' });
  return notSignedIn(error.status, error.message);
}
