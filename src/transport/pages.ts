import { createHash } from 'node:crypto';
import { html, Markup } from '../endpoints/pages/markup.ts';
import type {
  DocumentReply,
  HtmlReply,
  Onward,
  PageReply,
  Redirect,
} from '../endpoints/pages/page.ts';
import { isOneOf, tagOf } from './answers/entity-tags.ts';
import type { HttpReply } from './answers/http-reply.ts';
import { statusLine } from './answers/reply.ts';

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; background: Canvas; color: CanvasText; }
main { max-width: 24rem; margin: 10vh auto; padding: 0 1rem; }
label { display: block; margin: 1rem 0; }
input { box-sizing: border-box; width: 100%; font: inherit; padding: 0.5rem; }
button { font: inherit; padding: 0.5rem 1.5rem; }
[role='alert'] { border-left: 0.25rem solid; padding-left: 0.75rem; }
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
 * Encodes a page; 304 if the client has the document (its `If-None-Match`). The cookie is kept by a
 * browser that is led on, and is empty for none.
 */
export function pageReply(reply: PageReply, ifNoneMatch: string, cookie = ''): HttpReply {
  if ('location' in reply) return redirectReply(reply);
  if ('onward' in reply) return onwardReply(reply, cookie);
  return 'document' in reply ? documentReply(reply, ifNoneMatch) : htmlReply(reply);
}

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
const onwardReply = ({ status, onward }: Onward, cookie: string): HttpReply => ({
  status: statusLine(status),
  headers: [
    ...HEADERS,
    ['Location', onward],
    ...(cookie === '' ? [] : [['Set-Cookie', cookie] as const]),
  ],
  contentType: 'text/html; charset=utf-8',
  isFinal: true,
  body: '',
});

const htmlReply = ({ status, title, main }: HtmlReply): HttpReply => ({
  status: statusLine(status),
  contentType: 'text/html; charset=utf-8',
  headers: HEADERS,
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
