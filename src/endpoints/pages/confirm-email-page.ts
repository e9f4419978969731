import * as emailChanges from '../../operations/accounts/email-changes.ts';
import { html } from './markup.ts';
import type { Page } from './page.ts';
import { reply, replyOr } from './page-replies.ts';

/**
 * The page that the mail to a new address links: pressing its button proves that the address is the
 * user's (docs/decisions/0046).
 */
export const confirmEmailPage: Page = {
  path: `${emailChanges.CONFIRMATION_PATH}{key}`,
  show: ({ realm, site, values }) =>
    replyOr('Address not changed', async () => {
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
    replyOr('Address not changed', async () => {
      const email = await realm.perform((tx) =>
        emailChanges.confirm(tx, site, values['key'] ?? ''),
      );
      return reply('Address confirmed', html`<p>The address of your account is now ${email}.</p>`);
    }),
};
