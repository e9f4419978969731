import { ApiError } from '../../domain/wire/errors.ts';
import { PASSWORD_PATH } from '../../operations/accounts/passwords.ts';
import { mailPasswordLink, refuseWithoutLinks } from '../server/forgotten-passwords.ts';
import { field } from './form-field.ts';
import { html, NOTHING } from './markup.ts';
import type { Page, PageReply, PageVisit } from './page.ts';

/** The page for people who have forgotten their password. */
export const passwordResetPage: Page = {
  path: `${PASSWORD_PATH}reset/`,
  async show(visit) {
    return withoutLinks(visit) ?? form(200, visit.query['email'] ?? '');
  },
  async submit(visit) {
    const { realm, site, address } = visit;
    const refused = withoutLinks(visit);
    if (refused !== undefined) return refused;
    const username = visit.form['email']?.trim() ?? '';
    try {
      await mailPasswordLink({ realm, site, address: address(), username });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 429) throw error;
      return form(error.status, username, error.message);
    }
    return done(username);
  },
};

const TITLE = 'Forgotten password';

/** Returns the page that says why this server mails no links; undefined if it mails them. */
function withoutLinks({ realm, site }: PageVisit): PageReply | undefined {
  try {
    refuseWithoutLinks(realm, site);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return {
      status: error.status,
      title: TITLE,
      main: html`<h1>${TITLE}</h1>
<p role="alert">${error.message}.</p>`,
    };
  }
}

const form = (status: number, email: string, fault?: string): PageReply => ({
  status,
  title: TITLE,
  main: html`<h1>${TITLE}</h1>
${fault === undefined ? NOTHING : html`<p role="alert">${fault}</p>`}
<p>Enter the email address of your account, and a link to set a new password is mailed to it.</p>
<form method="post">
${field({ label: 'Email address', name: 'email', type: 'email', complete: 'username' }, email, NOTHING)}
<button type="submit">Mail me a link</button>
</form>`,
});

/** Renders the same answer whether or not there is such an account. */
const done = (email: string): PageReply => ({
  status: 200,
  title: 'Look into your mailbox',
  main: html`<h1>Look into your mailbox</h1>
<p>If there is an account with the address <strong>${email}</strong>, a link to set a new password is on its way to it. It
works for a day.</p>
<p>If no mail comes, look among the unwanted ones, or ask an administrator of your organization which address you have.</p>`,
});
