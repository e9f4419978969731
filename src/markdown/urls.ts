import type { MarkdownIt, StateInline } from 'markdown-it';
import type { MarkdownDirectory } from './directory.ts';
import { renderingOf } from './rendering.ts';
import { VERBATIM } from './texts.ts';

/**
 * Any other scheme could run code, or read a file, in a client; uploaded files, and messages of the
 * same realm, are linked without a host.
 */
const ALLOWED_URL = /^(?:https?:\/\/[^/?#\\]|mailto:|tel:|sms:|\/user_uploads\/|\/?#narrow\/)/i;
/** Matches URLs that encoding does not change, which most are. */
const PLAIN_URL =
  /^https?:\/\/[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,3}(?:\/[\w;/:@&=+$,.!~*()-]*)?$/;

export function restrictUrls(md: MarkdownIt): void {
  const encode = md.normalizeLink.bind(md);
  md.normalizeLink = (url) => (PLAIN_URL.test(url) ? url : encode(url));
  md.validateLink = (url) => ALLOWED_URL.test(url);
  // A URL is shown as it was typed; decoding it could show another host than the link leads to.
  md.normalizeLinkText = (url) => url;
}

/** Matches the scheme before the colon, whole and not the end of another word. */
const URL_SCHEME = /(?<![\p{L}\p{N}_])(?:https?|mailto)$/iu;
const URL_SCHEME_LENGTH_MAX = 6;

/**
 * Reads a URL in the text. The library's own rules search each text for one, which takes longer
 * than all else together.
 */
export function url(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  if (src[pos] !== ':' || state.linkLevel > 0) return false;
  const before = src.slice(Math.max(0, pos - URL_SCHEME_LENGTH_MAX - 2), pos);
  const scheme = URL_SCHEME.exec(before)?.[0];
  // A scheme that is no longer pending text belongs to another element.
  if (scheme === undefined || scheme.length > state.pending.length) return false;
  const length = state.md.linkify.testSchemaAt(src, `${scheme}:`, pos + 1);
  if (length === 0) return false;
  const start = pos - scheme.length;
  // Markers at the end of the URL close an element that was opened before it.
  const text = src.slice(start, pos + 1 + length).replace(/(?<![*~])[*~]+$/, '');
  const href = state.md.normalizeLink(text);
  if (!state.md.validateLink(href)) return false;
  if (!silent) {
    state.pending = state.pending.slice(0, -scheme.length);
    const { directory } = renderingOf(state.env);
    state.push('link_open', 'a', 1).attrs = [['href', withoutOwnRealm(href, directory)]];
    pushVerbatim(state, text);
    state.push('link_close', 'a', -1);
  }
  state.pos = start + text.length;
  return true;
}

/** Adds text that is shown as it was typed, without emoji or links. */
export function pushVerbatim(state: StateInline, text: string): void {
  const token = state.push('text', '', 0);
  token.content = text;
  token.info = VERBATIM;
}

/**
 * Makes a link into the author's own realm relative, so that it works at each address of the realm
 * (5.1).
 */
export function withoutOwnRealm(href: string, { realmUrl }: MarkdownDirectory): string {
  const start = href.indexOf('#narrow/');
  if (realmUrl === '' || start < 0) return href;
  const before = href.slice(0, start).toLowerCase();
  return before === realmUrl || before === `${realmUrl}/` ? href.slice(start) : href;
}
