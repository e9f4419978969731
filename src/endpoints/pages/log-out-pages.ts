import { ApiError } from '../../domain/wire/errors.ts';
import { SIGN_IN_PATH } from '../../operations/access/sign-in.ts';
import * as sessions from '../../operations/accounts/sessions.ts';
import { isChallenge } from '../../operations/second-steps/passkeys.ts';
import { entryCalled } from '../sign-in/entries.ts';
import { SENTENCES, SignInFault } from '../sign-in/fault.ts';
import { LOGGED_OUT, purposeOf } from '../sign-in/log-out-there.ts';
import { verifiedLogoutToken } from '../sign-in/logout-token.ts';
import { html } from './markup.ts';
import type { AnyRequest, JsonReply, Page, PageVisit } from './page.ts';
import { reply } from './page-replies.ts';

const entryOf = ({ realm, site, values }: PageVisit) =>
  entryCalled(realm.reader, site, { type: 'openid', name: values['provider'] ?? '' });

/**
 * The address at which a provider says that it has logged somebody out (OpenID Connect Back-Channel
 * Logout 1.0, section 2.5). Nothing but the token says who asks.
 */
export const backChannelLogoutPage: Page = {
  path: `${SIGN_IN_PATH}{provider}/back-channel-logout`,
  takesText: true,
  failed: (status, sentence) => refusal(status, 'invalid_request', sentence),
  answers: { methods: ['POST'], run: loggedOutBy },
};

async function loggedOutBy(request: AnyRequest): Promise<JsonReply> {
  const entry = entryOf(request);
  if (entry === undefined) return refusal(404, 'invalid_request', 'There is no such provider.');
  const { logout_token: token = '' } = request.fields();
  const refused = (sentence: string, fault?: unknown) => {
    request.onSignIn?.({ provider: entry.name, outcome: 'logout_refused', error: fault });
    return refusal(400, 'invalid_request', sentence);
  };
  try {
    const verified = await verifiedLogoutToken(entry, token, request.realm.now());
    if (verified === undefined) return refused('The logout token is not valid, or not new.');
    await request.realm.perform((tx) => sessions.endLoggedOut(tx, verified));
  } catch (error) {
    if (error instanceof SignInFault) return refused(SENTENCES[error.code], error.cause);
    // The transport says how long to wait, and writes bugs to the log.
    if (!(error instanceof ApiError) || error.status >= 429) throw error;
    return refused(error.message);
  }
  request.onSignIn?.({ provider: entry.name, outcome: 'logged_out' });
  return { status: 200, json: null };
}

/** RFC 6749, section 5.2. */
const refusal = (status: number, error: string, sentence: string): JsonReply => ({
  status,
  json: { error, error_description: sentence },
});

/**
 * The page to which a provider leads a browser that was logged out there (OpenID Connect
 * RP-Initiated Logout 1.0, section 3). The session here has ended before.
 */
export const loggedOutPage: Page = {
  path: `${SIGN_IN_PATH}{provider}/${LOGGED_OUT}`,
  takesText: true,
  show(visit) {
    const entry = entryOf(visit);
    const { realm, query } = visit;
    const isOwn =
      entry !== undefined &&
      isChallenge(realm.reader, purposeOf(entry.name), query['state'] ?? '', realm.now());
    return Promise.resolve(isOwn ? { status: 303, onward: '/' } : NOT_BEGUN);
  },
};

const NOT_BEGUN = reply(
  'No log-out was begun here',
  html`<p role="alert">Nobody has begun this log-out here, or it took too long. You are logged in here as you were before.</p>
<p><a href="/">Go on</a></p>`,
  400,
);
