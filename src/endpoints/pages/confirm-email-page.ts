import { ApiError } from '../../domain/wire/errors.ts';
import * as emailChanges from '../../operations/accounts/email-changes.ts';
import { html, type Markup } from './markup.ts';
import type { Page, PageReply } from './page.ts';

/**
 * The page that the mail to a new address links: pressing its button proves that the address is the
 * user's (docs/decisions/0046).
 */
export const confirmEmailPage: Page = {
  path: `${emailChanges.CONFIRMATION_PATH}{key}`,
  show: ({ realm, site, values }) =>
    replyOr(async () => {
      const { user, row } = await realm.perform((tx) =>
        emailChanges.requested(tx, site, values['key'] ?? ''),
      );
      return reply(
        'Confirm your new address',
        html`<p>The address of your account at ${site.url} is to change from
<strong>${user.email}</strong> to <strong>${row.newEmail}</strong>.</p>
<form method="post"><button type="submit">Confirm</button></form>`,
      );
    }),
  submit: ({ realm, site, values }) =>
    replyOr(async () => {
      const email = await realm.perform((tx) =>
        emailChanges.confirm(tx, site, values['key'] ?? ''),
      );
      return reply('Address confirmed', html`<p>The address of your account is now ${email}.</p>`);
    }),
};

const reply = (title: string, text: Markup, status = 200): PageReply => ({
  status,
  title,
  main: html`<h1>${title}</h1>
${text}`,
});

async function replyOr(act: () => Promise<PageReply>): Promise<PageReply> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return reply('Address not changed', html`<p role="alert">${error.message}</p>`, error.status);
  }
}
