import * as userSettings from '../../operations/accounts/user-settings.ts';
import * as unsubscribing from '../../operations/notifications/unsubscribing.ts';
import { html } from './markup.ts';
import type { Page } from './page.ts';
import { reply, replyOr } from './page-replies.ts';

/**
 * The page that mails about missed messages lead to. Mail programs post to it by themselves
 * (RFC 8058), and being shown changes nothing, because programs follow links in mails.
 */
export const unsubscribePage: Page = {
  path: `${unsubscribing.PATH}{key}`,
  show: ({ realm, site, values }) =>
    replyOr('Nothing has changed', async () => {
      const { user, mails } = unsubscribing.keyOf(realm.reader, values['key'] ?? '');
      return reply(
        'End these mails',
        html`<p>The account ${user.email} at ${site.url} is to get no more ${NAMES[mails]}.</p>
<form method="post"><button type="submit">End these mails</button></form>`,
      );
    }),
  submit: ({ realm, site, values }) =>
    replyOr('Nothing has changed', async () => {
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
