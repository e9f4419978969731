import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { EMAIL_LENGTH_MAX, FULL_NAME_LENGTH_MAX } from '../../domain/limits/accounts.ts';
import {
  JOINS_WAITING_MAX,
  PASSWORD_LENGTH_MAX,
  PASSWORD_LENGTH_MIN,
} from '../../domain/limits/credentials.ts';
import { ApiError, badRequest } from '../../domain/wire/errors.ts';
import type { Caller } from '../../operations/access/caller.ts';
import * as joining from '../../operations/accounts/joining.ts';
import { hashPassword } from '../server/password-hash.ts';
import { begin, browserOf } from '../sessions/browser.ts';
import { isOfOwnPage } from '../sessions/own-page.ts';
import { field } from './form-field.ts';
import { html, NOTHING } from './markup.ts';
import type { Page, PageReply, PageVisit } from './page.ts';
import { waysIn } from './ways-in.ts';

/** The page of an invitation: makes the account that it offers (reference/endpoints.md 1.12). */
export const joinPage: Page = {
  path: '/join/{key}/',
  async show({ realm, values }) {
    const invited = await lookUp(realm, values['key'] ?? '');
    return invited.standing === 'open' ? form(200, { invited }) : ended(invited.standing);
  },
  async submit(visit) {
    const { realm } = visit;
    const invited = await lookUp(realm, visit.values['key'] ?? '');
    if (invited.standing !== 'open') return ended(invited.standing);
    const filled = filledIn(visit, invited);
    try {
      const isUnproved = invited.email === null && joining.isWaiting(realm.reader, filled.email);
      if (invited.asksProof || isUnproved) return await sendProof(visit, filled.email);
      const outcome = await join(visit, { ...filled, isProved: invited.email !== null });
      return 'user' in outcome ? await joined(visit, outcome.user) : ended(outcome.standing);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return form(error.status === 503 ? 503 : 400, { invited, filled, fault: error.message });
    }
  },
};

type OpenInvitation = Extract<joining.Invited, { standing: 'open' }>;

/** Runs as an operation, because expiry is judged by the transaction's time. */
const lookUp = (realm: Realm, key: string) =>
  realm.perform((tx) => joining.invited(tx, key, Math.floor(tx.now / 1000)));

interface Filled extends joining.Joiner {
  readonly password: string;
}

const filledIn = ({ form }: PageVisit, invited: OpenInvitation): Filled => ({
  fullName: form['full_name'] ?? '',
  // An invitation by mail has proved that the address is the user's; any other address has to be
  // proved.
  email: invited.email ?? form['email'] ?? '',
  password: form['password'] ?? '',
});

async function sendProof({ realm, site, values }: PageVisit, email: string): Promise<PageReply> {
  const request = { key: values['key'] ?? '', email };
  const outcome = await realm.perform((tx) => joining.sendProof(tx, site, request));
  if ('standing' in outcome) return ended(outcome.standing);
  const title = 'Look into your mail';
  return {
    status: 200,
    title,
    main: html`<h1>${title}</h1>
<p>A link was sent to <strong>${outcome.sentTo}</strong>. Open it within a day to make your account.</p>`,
  };
}

let waiting = 0;

/** Checks before the password is hashed, and again when the account is made. */
async function join(
  { realm, site, values }: PageVisit,
  { password, isProved, ...joiner }: Filled & { readonly isProved: boolean },
) {
  joining.refuseJoining(realm.reader, site, { ...joiner, isProved });
  if (waiting >= JOINS_WAITING_MAX) {
    throw badRequest('Too many people are joining at this moment. Please try again.');
  }
  waiting += 1;
  try {
    const passwordHash = await hashPassword(password);
    const acceptance = { ...joiner, passwordHash, key: values['key'] ?? '' };
    return await realm.perform((tx) => joining.accept(tx, site, acceptance));
  } finally {
    waiting -= 1;
  }
}

function ended(standing: joining.Ended): PageReply {
  const sentence = {
    unknown: 'There is no such invitation. Please check the link that you followed.',
    revoked: 'This invitation has been revoked or used. Please ask for a new one.',
    expired: 'This invitation has expired. Please ask for a new one.',
  }[standing];
  const title = 'Invitation';
  return {
    status: standing === 'unknown' ? 404 : 410,
    title,
    main: html`<h1>${title}</h1><p>${sentence}</p>`,
  };
}

/**
 * Logs a browser in and leads it to the web client. A program has no session, and nor has the page
 * of another host that has sent the form: that one must not log its visitor in as somebody.
 */
async function joined(visit: PageVisit, user: Caller['user']): Promise<PageReply> {
  const { realm, site, page, host } = visit;
  const isOwn = page !== undefined && isOfOwnPage(page, { host, site, isRead: false });
  if (!site.settings.servesWeb || !isOwn) return welcome(visit, user);
  await begin({
    realm,
    site,
    user,
    from: visit,
    browser: browserOf(visit, site),
    method: 'password',
  });
  return { status: 303, onward: WELCOME_PATH };
}

/** The view of the web client that tells newcomers what to do. */
const WELCOME_PATH = '/#welcome';

const welcome = ({ site }: PageVisit, { email }: { email: string }): PageReply => ({
  status: 200,
  title: 'Welcome',
  main: html`<h1>Welcome</h1>
<p>Your account has been made.</p>
${waysIn(site, email)}
<p>To write a client, see <a href="/api">the API</a>.</p>`,
});

interface FormInput {
  readonly invited: OpenInvitation;
  readonly filled?: Filled;
  readonly fault?: string;
}

/**
 * Renders the form. It has no token against forgery: the address itself is secret, and is what
 * authorizes a request.
 */
function form(status: number, { invited, filled, fault }: FormInput): PageReply {
  const title = `Join ${invited.realmName}`;
  return {
    status,
    title,
    main: html`<h1>${title}</h1>
${fault === undefined ? NOTHING : html`<p role="alert">${fault}</p>`}
<form method="post">
${invited.asksProof ? NOTHING : field({ label: 'Full name', name: 'full_name', type: 'text', complete: 'name' }, filled?.fullName ?? '', html`maxlength="${String(FULL_NAME_LENGTH_MAX)}"`)}
${emailField(invited, filled)}
${invited.asksProof ? NOTHING : field({ label: 'Password', name: 'password', type: 'password', complete: 'new-password' }, '', html`minlength="${String(PASSWORD_LENGTH_MIN)}" maxlength="${String(PASSWORD_LENGTH_MAX)}"`)}
<button type="submit">Join</button>
</form>`,
  };
}

const emailField = (invited: OpenInvitation, filled: Filled | undefined) =>
  field(
    { label: 'Email address', name: 'email', type: 'email', complete: 'email' },
    invited.email ?? filled?.email ?? '',
    html`maxlength="${String(EMAIL_LENGTH_MAX)}"${invited.email === null ? '' : ' readonly'}`,
  );
