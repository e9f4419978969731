import { Parser } from 'htmlparser2';

const BLOCKS = new Set(
  'p div table tr ul ol h1 h2 h3 h4 h5 h6 section article header footer pre hr dl dt dd'.split(' '),
);
const MARKS: Readonly<Record<string, string>> = {
  b: '**',
  strong: '**',
  i: '*',
  em: '*',
  code: '`',
};
const UNSEEN = new Set(['style', 'script', 'head', 'title', 'template', 'svg', 'noscript']);
/** Elements within each other that are followed; deeper ones are text. */
const DEPTH_MAX = 200;
/** The parser takes long for elements within each other, so a mail is read up to so many. */
const DEPTH_READ_MAX = 1_000;
/** Characters of an attribute that are looked at. */
const ATTRIBUTE_MAX = 2_000;

type Attributes = Readonly<Record<string, string>>;

const of = (attributes: Attributes, name: string) =>
  (attributes[name] ?? '').slice(0, ATTRIBUTE_MAX).toLowerCase();

/** The elements in which mail programs put the quoted mail, and the line before it. */
const isQuote = (name: string, attributes: Attributes): boolean =>
  name === 'blockquote' ||
  /\b(?:gmail_quote|yahoo_quoted|moz-cite-prefix|protonmail_quote)\b/.test(of(attributes, 'class'));

/** Tests for where Outlook begins the quoted mail, which no element holds. */
const beginsCopy = (attributes: Attributes): boolean =>
  /^(?:appendonsend|divrplyfwdmsg)$/.test(of(attributes, 'id')) ||
  /border-top:solid#(?:e1e1e1|b5c4df)/.test(of(attributes, 'style').replace(/\s/g, ''));

const HIDING =
  /(?:^|;)(?:display:none|visibility:hidden|(?:font-size|max-height|opacity):0(?:px|pt|em|%)?)(?:!important)?(?:;|$)/;

const isHidden = (attributes: Attributes): boolean =>
  attributes['hidden'] !== undefined || HIDING.test(of(attributes, 'style').replace(/\s/g, ''));

/**
 * Returns the Markdown of a mail that has only HTML. Hidden text and quotes of other mails are left
 * out; a mail that only passes another one on is whole.
 */
export function markdownOfHtml(html: string): string {
  const own = converted(html, true);
  return own === '' ? converted(html, false) : own;
}

function converted(html: string, isCut: boolean): string {
  const written = openText();
  let unseen = 0;
  let depth = 0;
  let isOver = false;
  const hrefs: string[] = [];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth += 1;
        if (depth > DEPTH_READ_MAX) throw new TooDeep();
        if (isCut && beginsCopy(attributes)) isOver = true;
        const isLeftOut = UNSEEN.has(name) || isHidden(attributes);
        if (unseen > 0 || isLeftOut || (isCut && isQuote(name, attributes))) unseen += 1;
        else if (depth > DEPTH_MAX || isOver) return;
        else if (name === 'br') written.add('\n');
        else if (name === 'li') written.line('- ');
        else if (BLOCKS.has(name)) written.block();
        else if (name === 'a') {
          hrefs.push(attributes['href'] ?? '');
          written.add('[');
        } else if (name === 'img') written.add(attributes['alt'] ?? '');
        else written.add(MARKS[name] ?? '');
      },
      ontext(part) {
        if (unseen === 0 && !isOver) written.words(part);
      },
      onclosetag(name) {
        depth -= 1;
        if (unseen > 0) unseen -= 1;
        else if (depth >= DEPTH_MAX || isOver) return;
        else if (BLOCKS.has(name)) written.block();
        else if (name === 'a') {
          const href = hrefs.pop() ?? '';
          written.add(/^https?:\/\/[^\s()]+$/.test(href) ? `](${href})` : ']');
        } else written.add(MARKS[name] ?? '');
      },
    },
    { decodeEntities: true },
  );
  try {
    parser.end(html);
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
  }
  return written.whole();
}

class TooDeep extends Error {}

/** Text that grows piece by piece; only its end is looked at, so that each piece costs the same. */
function openText() {
  const pieces: string[] = [];
  let end = '';
  const add = (piece: string) => {
    if (piece === '') return;
    pieces.push(piece);
    end = `${end}${piece.slice(-2)}`.slice(-2);
  };
  return {
    add,
    words(part: string) {
      const spaced = part.replace(/\s+/g, ' ');
      add(end === '' || /\s$/.test(end) ? spaced.replace(/^ /, '') : spaced);
    },
    line(mark: string) {
      add(end === '' || end.endsWith('\n') ? mark : `\n${mark}`);
    },
    block() {
      if (end !== '' && end !== '\n\n') add(end.endsWith('\n') ? '\n' : '\n\n');
    },
    whole: () => pieces.join('').trim(),
  };
}
