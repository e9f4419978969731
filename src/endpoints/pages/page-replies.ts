import { ApiError } from '../../domain/wire/errors.ts';
import { html, type Markup } from './markup.ts';
import type { PageReply } from './page.ts';

/** Returns a page that says how something has ended. */
export const reply = (title: string, text: Markup, status = 200): PageReply => ({
  status,
  title,
  main: html`<h1>${title}</h1>
${text}`,
});

/** Returns the page of what is done, or a page with this title that says why it was refused. */
export async function replyOr(refused: string, act: () => Promise<PageReply>): Promise<PageReply> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return reply(refused, html`<p role="alert">${error.message}</p>`, error.status);
  }
}
