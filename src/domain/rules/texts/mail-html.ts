import { escapeHtml } from './html.ts';
import { type Attributes, eachVisiblePart, type PartVisitor, unescaped } from './html-text.ts';

/**
 * Converts rendered content for a mail: links are absolute, hidden content is left out, and opening
 * the mail fetches nothing. Only links keep their attributes, because a mail has none of the
 * styles.
 */
export function mailHtml(html: string, url: string): string {
  let shown = '';
  eachPartOfMail(html, {
    text(part) {
      shown += part;
    },
    begin(name, attributes) {
      const tag = tagOf(name);
      if (tag !== null) shown += `<${tag}${linkOf(attributes, url)}>`;
    },
    end(name) {
      const tag = tagOf(name);
      if (tag !== null) shown += `</${tag}>`;
    },
  });
  return shown;
}

/**
 * Returns the element that a mail has for one of the content; null for none. What is left of a
 * formula is its source, which stands in an element that programs with MathML do not show.
 */
function tagOf(name: string): string | null {
  if (name === 'math' || name === 'semantics') return null;
  return name === 'annotation' ? 'code' : name;
}

/** Visits what a mail shows: emoji of Unicode are characters there, and not their names. */
function eachPartOfMail(html: string, { text, begin, end }: Required<PartVisitor>) {
  let character = '';
  eachVisiblePart(html, {
    text: (part) => text(character === '' ? part : character),
    begin(name, attributes) {
      character = emojiOf(attributes);
      begin(name, attributes);
    },
    end(name) {
      character = '';
      end(name);
    },
  });
}

/** Returns the characters of an emoji element, whose class has their code points. */
function emojiOf({ class: classes = '' }: Attributes): string {
  const [, codes] = /^emoji emoji-([0-9a-f]{1,6}(?:-[0-9a-f]{1,6}){0,10})$/.exec(classes) ?? [];
  if (codes === undefined) return '';
  const points = codes.split('-').map((code) => Number.parseInt(code, 16));
  return points.every((point) => point <= 0x10ffff) ? String.fromCodePoint(...points) : '';
}

function linkOf({ href }: Attributes, url: string): string {
  if (href === undefined) return '';
  const target = unescaped(href);
  const base = `${url}/`;
  return URL.canParse(target, base) ? ` href="${escapeHtml(new URL(target, base).href)}"` : '';
}

/**
 * Converts rendered content to plain text for a mail, as far as a text can show it: a link has its
 * target behind it, items and quotes have their marks. Its length is bounded in characters.
 */
export function mailText(html: string, url: string, lengthMax: number): string {
  const written = openLines();
  const links: { readonly href: string; text: string }[] = [];
  /** The number of the next item of each list; null for one without numbers. */
  const lists: (number | null)[] = [];
  /** The cells of the present row of a table; undefined outside one. */
  let cells: number | undefined;
  const say = (part: string) => {
    written.say(part);
    const link = links.at(-1);
    if (link !== undefined) link.text += part;
  };
  function item() {
    const number = lists.at(-1) ?? null;
    if (number !== null) lists[lists.length - 1] = number + 1;
    const indent = '  '.repeat(Math.max(0, Math.min(lists.length, DEPTH_MAX) - 1));
    written.breakLine();
    say(`${indent}${number === null ? '-' : `${number}.`} `);
  }
  eachPartOfMail(html, {
    text(part) {
      if (cells !== undefined && part.trim() === '') return;
      for (const [index, line] of unescaped(part).split('\n').entries()) {
        if (index > 0) written.breakLine();
        say(line);
      }
    },
    begin(name, attributes) {
      if (name === 'a') links.push({ href: attributes['href'] ?? '', text: '' });
      else if (name === 'br') written.breakLine();
      else if (name === 'ul') lists.push(null);
      else if (name === 'ol') lists.push(Number(attributes['start'] ?? 1) || 1);
      else if (name === 'li') item();
      else if (name === 'blockquote') written.quote(1);
      else if (name === 'tr') cells = 0;
      else if (cells !== undefined && (name === 'td' || name === 'th')) {
        if (cells > 0) say(' | ');
        cells += 1;
      }
    },
    end(name) {
      if (name === 'a') {
        const link = links.pop();
        if (link !== undefined) say(targetBehind(link, url));
      } else if (name === 'ul' || name === 'ol') lists.pop();
      else if (name === 'blockquote') written.quote(-1);
      else if (name === 'tr') {
        cells = undefined;
        written.breakLine();
      }
    },
  });
  const characters = [...written.whole()];
  if (characters.length <= lengthMax) return characters.join('');
  return `${characters.slice(0, lengthMax).join('')}…`;
}

/** Lines of text; those within quotes begin with a mark for each. */
function openLines() {
  let text = '';
  let isBegun = false;
  let quotes = 0;
  const breakLine = () => {
    if (isBegun) text += '\n';
    isBegun = false;
  };
  return {
    breakLine,
    say(part: string) {
      if (part === '') return;
      text += isBegun ? part : `${'> '.repeat(Math.min(quotes, DEPTH_MAX))}${part}`;
      isBegun = true;
    },
    quote(more: 1 | -1) {
      breakLine();
      quotes += more;
    },
    whole: () => text.trim(),
  };
}

/** Quotes and lists within each other that are marked. */
const DEPTH_MAX = 5;

/** Returns the target of a link in brackets, unless its text says it or names a place here. */
function targetBehind(link: { readonly href: string; readonly text: string }, url: string) {
  const base = `${url}/`;
  const href = unescaped(link.href);
  const text = link.text.trim();
  if (href === '' || text === '' || !URL.canParse(href, base)) return '';
  const target = new URL(href, base).href;
  const isSaid = [href, target, href.replace(/^mailto:|^https?:\/\//, '')].includes(text);
  return isSaid || /^[#@]/.test(text) ? '' : ` (${target})`;
}
