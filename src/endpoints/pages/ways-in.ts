import type { Site } from '../../operations/access/caller.ts';
import { html, type Markup } from './markup.ts';

/** Says where somebody logs in who has a password now: in the browser itself, if that can be. */
export const waysIn = ({ url, settings }: Site, email: string): Markup =>
  settings.servesWeb
    ? html`<p><a href="/">Log in</a> as <strong>${email}</strong>, here or with any client, at
<strong>${url}</strong>.</p>`
    : html`<p>Log in with any client, as <strong>${email}</strong>, at <strong>${url}</strong>.</p>`;
