import { ApiError } from '../../domain/errors.ts';
import * as emailChanges from '../../operations/email-changes.ts';
import { html } from './markup.ts';
import type { Page, PageReply, PageVisit } from './page.ts';

/** Where the mail to a new address leads: opening the link shows that the address is theirs (docs/decisions/0046). */
export const confirmEmailPage: Page = {
  path: `${emailChanges.CONFIRMATION_PATH}{key}`,
  show: confirm,
  submit: confirm,
};

async function confirm({ realm, place, values }: PageVisit): Promise<PageReply> {
  try {
    const email = await realm.perform((tx) => emailChanges.confirm(tx, place, values['key'] ?? ''));
    return {
      status: 200,
      title: 'Address confirmed',
      main: html`<h1>Address confirmed</h1><p>The address of your account is now ${email}.</p>`,
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return {
      status: error.status,
      title: 'Address not changed',
      main: html`<h1>Address not changed</h1><p role="alert">${error.message}</p>`,
    };
  }
}
