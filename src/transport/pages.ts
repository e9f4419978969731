import { createHash } from 'node:crypto';
import { html, Markup } from '../endpoints/pages/markup.ts';
import type {
  Away,
  DocumentReply,
  HtmlReply,
  JsonReply,
  Onward,
  PageReply,
  Redirect,
  ScimReply,
} from '../endpoints/pages/page.ts';
import { isOneOf, tagOf } from './answers/entity-tags.ts';
import type { HttpReply } from './answers/http-reply.ts';
import { statusLine } from './answers/reply.ts';

/** It looks as the log-in page of the web client, to which these pages lead. */
const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#e4e4e1, #2c3035); --edge: light-dark(#8a8f98, #6e7681); --accent: light-dark(#3d52c4, #9fb1ff); }
body { display: grid; min-height: 100dvh; box-sizing: border-box; margin: 0; padding: 1.5rem 1rem; place-items: center; background: light-dark(#f5f5f3, #121417); color: light-dark(#1d1f23, #e4e6e9); font: 0.9375rem/1.5 system-ui, sans-serif; }
main { box-sizing: border-box; width: min(29rem, 100%); padding: 2rem; border: 1px solid var(--line); border-radius: 1rem; background: light-dark(#fff, #1f2226); overflow-wrap: anywhere; }
h1 { margin: 0 0 1rem; font-size: 1.5rem; letter-spacing: -0.01em; }
a { color: var(--accent); }
label { display: block; margin: 0 0 1rem; font-size: 0.8125rem; font-weight: 600; }
input { display: block; box-sizing: border-box; width: 100%; min-height: 40px; margin-top: 0.25rem; padding: 0 0.75rem; border: 1px solid var(--edge); border-radius: 6px; background: light-dark(#fff, #1f2226); color: inherit; font: 0.9375rem/1.5 system-ui, sans-serif; }
button { width: 100%; min-height: 40px; margin-top: 0.25rem; border: 1px solid transparent; border-radius: 6px; background: var(--accent); color: light-dark(#fff, #12162b); font: inherit; font-weight: 600; cursor: pointer; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
[role='alert'] { padding-left: 0.75rem; border-left: 0.25rem solid light-dark(#b3261e, #ff9088); }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** The policy allows only this one style, and forms that post back to the server. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${STYLE_HASH}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The address of an invitation is a secret, so the referrer goes to no other server. */
const OTHER_HEADERS = [
  ['Referrer-Policy', 'same-origin'],
  ['X-Frame-Options', 'DENY'],
  ['X-Robots-Tag', 'noindex'],
] as const;

const HEADERS = [['Content-Security-Policy', POLICY], ...OTHER_HEADERS] as const;

/**
 * Encodes a page; 304 if the client has the document (its `If-None-Match`). The cookies are kept by
 * a browser that is led on.
 */
export function pageReply(
  reply: PageReply,
  ifNoneMatch: string,
  cookies: readonly string[] = [],
): HttpReply {
  if ('json' in reply) return jsonReply(reply);
  if ('scim' in reply) return scimReply(reply, ifNoneMatch);
  if ('location' in reply) return redirectReply(reply);
  if ('onward' in reply) return onwardReply(reply, cookies);
  if ('away' in reply) return awayReply(reply, cookies);
  return 'document' in reply ? documentReply(reply, ifNoneMatch) : htmlReply(reply, cookies);
}

/** SCIM has a media type of its own (RFC 7644, section 8.1), and versions (section 3.14). */
function scimReply(reply: ScimReply, ifNoneMatch: string): HttpReply {
  const { status, scim, location, version, isRead, isUnauthorized } = reply;
  const tag = version?.replace(/^W\//, '');
  const isKnown = isRead === true && tag !== undefined && isOneOf(ifNoneMatch, tag);
  return {
    status: statusLine(isKnown ? 304 : status),
    contentType: 'application/scim+json',
    headers: [
      ...(location === undefined || status !== 201 ? [] : [['Location', location] as const]),
      ...(version === undefined ? [] : [['ETag', version] as const]),
      ...(isUnauthorized ? [['WWW-Authenticate', 'Bearer realm="scim"'] as const] : []),
    ],
    body: scim === null || isKnown ? '' : JSON.stringify(scim),
  };
}

const jsonReply = ({ status, json }: JsonReply): HttpReply => ({
  status: statusLine(status),
  contentType: 'application/json',
  cacheControl: 'no-store',
  body: json === null ? '' : JSON.stringify(json),
});

const redirectReply = ({ status, location, keptSeconds }: Redirect): HttpReply => ({
  status: statusLine(status),
  headers: [...REDIRECT_HEADERS, ['Location', location]],
  cacheControl: keptSeconds === 0 ? 'private, no-cache' : `private, max-age=${keptSeconds}`,
  body: '',
});

/** The server of an image must not learn the address of the organization. */
const REDIRECT_HEADERS = [
  ['Content-Security-Policy', "default-src 'none'"],
  ['Referrer-Policy', 'no-referrer'],
  ['Vary', 'Authorization'],
] as const;

/** Such an answer is not compressed: its cookie is a secret. */
const onwardReply = ({ status, onward }: Onward, cookies: readonly string[]): HttpReply => ({
  status: statusLine(status),
  headers: [
    ...HEADERS,
    ['Location', onward],
    ...cookies.map((cookie) => ['Set-Cookie', cookie] as const),
  ],
  contentType: 'text/html; charset=utf-8',
  isFinal: true,
  body: '',
});

/** The other server learns no address of a page here, and no cache keeps the cookie. */
const awayReply = ({ status, away }: Away, cookies: readonly string[]): HttpReply => ({
  status: statusLine(status),
  headers: [
    ['Content-Security-Policy', "default-src 'none'"],
    ['Referrer-Policy', 'no-referrer'],
    ['Location', away],
    ...cookies.map((cookie) => ['Set-Cookie', cookie] as const),
  ],
  contentType: 'text/html; charset=utf-8',
  cacheControl: 'no-store',
  isFinal: true,
  body: '',
});

const htmlReply = ({ status, title, main }: HtmlReply, cookies: readonly string[]): HttpReply => ({
  status: statusLine(status),
  contentType: 'text/html; charset=utf-8',
  headers: [...HEADERS, ...cookies.map((cookie) => ['Set-Cookie', cookie] as const)],
  // The address of such a page is a secret, and its form names it.
  isFinal: true,
  body: html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`.text,
});

function documentReply({ status, document }: DocumentReply, ifNoneMatch: string): HttpReply {
  const body = Buffer.from(document.text);
  const tag = tagOf(createHash('sha256').update(body).digest('base64url'));
  const isKnown = isOneOf(ifNoneMatch, tag);
  return {
    status: statusLine(isKnown ? 304 : status),
    contentType: 'text/html; charset=utf-8',
    cacheControl: 'no-cache',
    headers: [['ETag', tag], ['Content-Security-Policy', DOCUMENT_POLICY], ...OTHER_HEADERS],
    body: isKnown ? '' : body,
  };
}

/** The policy allows files of this server alone, and no text that becomes markup. */
const DOCUMENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** Returns the page that shows a refusal or a bug to a person. */
export const failurePage = (status: number, msg: string): HtmlReply => ({
  status,
  title: 'Error',
  main: html`<h1>Error</h1><p role="alert">${msg}</p>`,
});
