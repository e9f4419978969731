import { ApiError } from '../../domain/wire/errors.ts';
import * as userSettings from '../../operations/accounts/user-settings.ts';
import * as unsubscribing from '../../operations/notifications/unsubscribing.ts';
import { html, type Markup } from './markup.ts';
import type { Page, PageReply } from './page.ts';

/**
 * The page that mails about missed messages lead to. Mail programs post to it by themselves
 * (RFC 8058), and being shown changes nothing, because programs follow links in mails.
 */
export const unsubscribePage: Page = {
  path: `${unsubscribing.PATH}{key}`,
  show: ({ realm, site, values }) =>
    replyOr(async () => {
      const { user, mails } = unsubscribing.keyOf(realm.reader, values['key'] ?? '');
      return reply(
        'End these mails',
        html`<p>The account ${user.email} at ${site.url} is to get no more ${NAMES[mails]}.</p>
<form method="post"><button type="submit">End these mails</button></form>`,
      );
    }),
  submit: ({ realm, site, values }) =>
    replyOr(async () => {
      const ended = await realm.perform((tx) => {
        const { user, mails } = unsubscribing.keyOf(tx, values['key'] ?? '');
        userSettings.set(tx, { user, site }, unsubscribing.MAILS_OFF[mails]);
        return mails;
      });
      return reply(
        'These mails have ended',
        html`<p>There are no more ${NAMES[ended]}. The settings of notifications have
them back: <a href="${site.url}/#settings/notifications">${site.url}/#settings/notifications</a></p>`,
      );
    }),
};

const NAMES = { missed: 'mails about missed messages', digests: 'weekly mails' } as const;

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
    return reply('Nothing has changed', html`<p role="alert">${error.message}</p>`, error.status);
  }
}
