import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '../../domain/limits/credentials.ts';
import { ApiError } from '../../domain/wire/errors.ts';
import * as passwords from '../../operations/accounts/passwords.ts';
import * as placeholders from '../../operations/accounts/placeholders.ts';
import { hashPassword } from '../server/password-hash.ts';
import { field } from './form-field.ts';
import { html, NOTHING } from './markup.ts';
import type { Page, PageReply, PageVisit } from './page.ts';
import { waysIn } from './ways-in.ts';

/**
 * The page of a link for setting a password. The link is what authorizes a request, so the form
 * asks for no former password and has no token.
 */
export const passwordPage: Page = {
  path: `${passwords.PASSWORD_PATH}{key}`,
  async show(visit) {
    const opened = await open(visit);
    return 'status' in opened ? opened : form(200, opened.email);
  },
  async submit(visit) {
    // The link is judged before the password is hashed, which takes long, and when it is set.
    const opened = await open(visit);
    if ('status' in opened) return opened;
    try {
      return done(visit, await set(visit));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return form(error.status, opened.email, error.message);
    }
  },
};

const keyOf = ({ values }: PageVisit) => values['key'] ?? '';

async function open(visit: PageVisit): Promise<{ readonly email: string } | PageReply> {
  try {
    const { user } = await visit.realm.perform((tx) => passwords.ofLink(tx, keyOf(visit)));
    return { email: user.email };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return {
      status: error.status,
      title: TITLE,
      main: html`<h1>${TITLE}</h1>
<p role="alert">${error.message}</p>
<p>Ask an administrator of your organization for a new link.</p>`,
    };
  }
}

async function set(visit: PageVisit): Promise<string> {
  const { realm, site, form: fields } = visit;
  const linkKey = keyOf(visit);
  // Everybody who has the link shares a turn, so that nobody else waits for it.
  const passwordHash = await hashPassword(fields['password'] ?? '', `link ${linkKey}`);
  const user = await realm.perform((tx) =>
    passwords.setByLink(tx, site, { linkKey, passwordHash, claim: placeholders.claim }),
  );
  return user.email;
}

const TITLE = 'Set your password';

/** Renders the form. The address is there for programs that keep passwords. */
const form = (status: number, email: string, fault?: string): PageReply => ({
  status,
  title: TITLE,
  main: html`<h1>${TITLE}</h1>
${fault === undefined ? NOTHING : html`<p role="alert">${fault}</p>`}
<p>All your clients have to log in again then.</p>
<form method="post">
${field({ label: 'Email address', name: 'email', type: 'email', complete: 'username' }, email, html`readonly`)}
${field({ label: 'New password', name: 'password', type: 'password', complete: 'new-password' }, '', html`minlength="${String(PASSWORD_LENGTH_MIN)}" maxlength="${String(PASSWORD_LENGTH_MAX)}"`)}
<button type="submit">Set the password</button>
</form>`,
});

const done = ({ site }: PageVisit, email: string): PageReply => ({
  status: 200,
  title: 'Password set',
  main: html`<h1>Password set</h1>
${waysIn(site, email)}`,
});
