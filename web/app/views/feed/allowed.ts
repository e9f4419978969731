/** What the server writes into messages, and nothing else: its own tests hold it to the same list. */

const words = (text: string): readonly string[] => text.split(' ');

/** Elements with no attribute that matters. */
const BARE =
  'p br hr em strong del code pre blockquote ul li h1 h2 h3 h4 h5 h6 table thead tbody tr b i';

/** Attributes by element. `data-align` and `data-picture` stand for styles, which the policy forbids. */
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

/** Formulas, as browsers set them themselves; the other half of what the library writes is left out. */
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

/** Tells whether a picture or a sound may be fetched: the server hands out those of others itself. */
export const isFetched = (url: string): boolean => OWN_PATH.test(url) && !url.startsWith('#');

const ALIGN = /<(t[hd]) style="text-align: (left|right|center);">/g;
const PICTURE = / style="background-image: url\((\/external_content\/[0-9a-f]+\/[0-9a-f]+)\)"/g;

/** Writes the two styles of the server as attributes. It needs no care: the sanitizer comes after it. */
export const withoutStyles = (html: string): string =>
  html.replace(ALIGN, '<$1 data-align="$2">').replace(PICTURE, ' data-picture="$1"');
