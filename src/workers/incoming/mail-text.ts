import { Parser } from 'htmlparser2';
import { MarkdownWriter } from './markdown-writer.ts';

const BLOCKS = new Set(
  'p div table section article header footer hr dl dt dd address center form blockquote'.split(' '),
);
const HEADING = /^h[1-6]$/;
const MARKS: Readonly<Record<string, string>> = {
  b: '**',
  strong: '**',
  i: '*',
  em: '*',
  code: '`',
  s: '~~',
  del: '~~',
  h1: '**',
  h2: '**',
  h3: '**',
  h4: '**',
  h5: '**',
  h6: '**',
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
 * out; a mail that only passes another one on, or is known to do so, is whole.
 */
export function markdownOfHtml(html: string, isForward = false): string {
  const own = isForward ? '' : converted(html, true);
  return own === '' ? converted(html, false) : own;
}

function converted(html: string, isCut: boolean): string {
  const written = new MarkdownWriter();
  const elements = openElements(written);
  let unseen = 0;
  let depth = 0;
  let isOver = false;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth += 1;
        if (depth > DEPTH_READ_MAX) throw new TooDeep();
        if (isCut && beginsCopy(attributes)) isOver = true;
        const isLeftOut = UNSEEN.has(name) || isHidden(attributes);
        if (unseen > 0 || isLeftOut || (isCut && isQuote(name, attributes))) unseen += 1;
        else if (depth <= DEPTH_MAX && !isOver) elements.begin(name, attributes);
      },
      ontext(part) {
        if (unseen === 0 && !isOver) written.words(part);
      },
      onclosetag(name) {
        depth -= 1;
        if (unseen > 0) unseen -= 1;
        else if (depth < DEPTH_MAX && !isOver) elements.end(name);
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

/** Writes elements as Markdown; their words are written by the caller. */
function openElements(written: MarkdownWriter) {
  const links: { readonly href: string; readonly from: number }[] = [];
  /** The lists within each other: the number of the next item, or null if they have none. */
  const lists: (number | null)[] = [];

  function item() {
    const number = lists.at(-1) ?? null;
    if (number !== null) lists[lists.length - 1] = number + 1;
    const indent = '   '.repeat(Math.max(0, Math.min(lists.length, LISTS_MAX) - 1));
    written.item(`${indent}${number === null ? '-' : `${number}.`} `);
  }

  return {
    begin(name: string, attributes: Attributes) {
      const mark = MARKS[name];
      if (mark !== undefined) {
        if (HEADING.test(name)) written.block();
        written.begin(mark);
      } else if (name === 'br') written.lineBreak();
      else if (name === 'img') written.words(attributes['alt'] ?? '');
      else if (name === 'li') item();
      else if (name === 'ul' || name === 'ol') {
        if (lists.length === 0) written.block();
        lists.push(name === 'ol' ? 1 : null);
      } else if (name === 'tr') written.line();
      else if (name === 'td' || name === 'th') written.cell();
      else if (name === 'pre') written.beginCode();
      else if (name === 'a') {
        links.push({ href: targetOf(attributes['href'] ?? ''), from: written.beginLink() });
      } else if (BLOCKS.has(name)) written.block();
    },
    end(name: string) {
      const mark = MARKS[name];
      if (mark !== undefined) {
        written.end(mark);
        if (HEADING.test(name)) written.block();
      } else if (name === 'ul' || name === 'ol') {
        lists.pop();
        if (lists.length === 0) written.block();
        else written.line();
      } else if (name === 'tr') written.line();
      else if (name === 'pre') written.endCode();
      else if (name === 'a') {
        const link = links.pop();
        if (link !== undefined) written.endLink(link);
      } else if (BLOCKS.has(name)) written.block();
    },
  };
}

/** Lists within each other that are indented. */
const LISTS_MAX = 6;

/** Returns the target of a link as Markdown can have it; empty if readers are not to follow it. */
function targetOf(href: string): string {
  const said = href.trim();
  if (said.length > ATTRIBUTE_MAX || !/^https?:\/\/\S+$/i.test(said)) return '';
  return said.replaceAll('(', '%28').replaceAll(')', '%29');
}
