/** The HTML that the server writes into messages; its own tests hold it to the same list. */

const words = (text: string): readonly string[] => text.split(' ');

/** Elements with no attribute that matters. */
const BARE =
  'p br hr em strong del code pre blockquote ul li h1 h2 h3 h4 h5 h6 table thead tbody tr b i';

/** Attributes by element. `data-align` and `data-picture` stand for styles, which are forbidden. */
export const ELEMENTS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(words(BARE).map((name) => [name, []])),
  ol: ['start'],
  th: ['data-align'],
  td: ['data-align'],
  div: ['class', 'data-code-language', 'aria-hidden'],
  span: ['class', 'data-user-id', 'data-user-group-id', 'aria-label', 'role', 'title'],
  img: [
    ...words('alt class src title'),
    ...words('data-original-content-type data-original-dimensions'),
  ],
  audio: ['controls', 'preload', 'src', 'title'],
  video: ['preload', 'src'],
  time: ['datetime'],
  a: ['href', 'title', 'class', 'data-id', 'data-stream-id', 'data-picture'],
};

/** Formulas, as browsers set them themselves; the other half of each is left out. */
export const MATH: readonly string[] = words(
  'math semantics mrow mi mn mo ms mtext mspace msup msub msubsup mover munder munderover mfrac ' +
    'msqrt mroot mtable mtr mtd mstyle mpadded mphantom menclose mlabeledtr',
);

export const MATH_ATTRIBUTES: readonly string[] = words(
  'display mathvariant stretchy fence separator accent accentunder lspace rspace minsize maxsize ' +
    'scriptlevel displaystyle linethickness columnalign rowspacing columnspacing width height depth ' +
    'voffset movablelimits symmetric largeop',
);

export const MATH_NAMESPACE = 'http://www.w3.org/1998/Math/MathML';

/** Elements whose content goes with them. */
export const DROPPED =
  /^(?:script|style|template|noscript|iframe|object|embed|svg|annotation|textarea|title)$/;

const SCHEMES = /^(?:https?:|mailto:|tel:|sms:)/i;
/** A path of this server, or a place in the page. */
const OWN_PATH = /^(?:#|\/(?![/\\]))/;

/** Tells whether an address may be followed by a click. */
export const isFollowed = (url: string): boolean => SCHEMES.test(url) || OWN_PATH.test(url);

/**
 * Tells whether a picture or a sound may be fetched: those of others come from this server, too.
 */
export const isFetched = (url: string): boolean => OWN_PATH.test(url) && !url.startsWith('#');

const ALIGN = /<(t[hd]) style="text-align: (left|right|center);">/g;
const PICTURE = / style="background-image: url\((\/external_content\/[0-9a-f]+\/[0-9a-f]+)\)"/g;
const TAG = /<[a-z][^<>]*>/g;
const STYLE = / style=(?:"[^"]*"|'[^']*')/g;

/**
 * Writes the two styles of the server as attributes, and leaves out all others, of which the policy
 * of the page would complain. It is no protection: the sanitizer comes after it.
 */
export const withoutStyles = (html: string): string =>
  withoutPictures(html)
    .replace(ALIGN, '<$1 data-align="$2">')
    .replace(PICTURE, ' data-picture="$1"')
    .replace(TAG, (tag) => (tag.includes(' style=') ? tag.replace(STYLE, '') : tag));

const FORMULA_PICTURE = '<span class="katex-html"';

/**
 * Leaves out the half of each formula that is a picture made of spans: it needs fonts and styles,
 * and the other half says the same to the browser.
 */
function withoutPictures(html: string): string {
  let rest = html;
  let kept = '';
  for (let at = rest.indexOf(FORMULA_PICTURE); at >= 0; at = rest.indexOf(FORMULA_PICTURE)) {
    kept += rest.slice(0, at);
    rest = rest.slice(endOfSpan(rest, at));
  }
  return kept + rest;
}

/** Returns where the element ends that begins there; the end of the text if it does not end. */
function endOfSpan(html: string, from: number): number {
  const tags = /<(\/?)span\b[^<>]*>/g;
  tags.lastIndex = from;
  let depth = 0;
  for (let tag = tags.exec(html); tag !== null; tag = tags.exec(html)) {
    depth += tag[1] === '/' ? -1 : 1;
    if (depth === 0) return tags.lastIndex;
  }
  return html.length;
}
