import { Parser } from 'htmlparser2';

/**
 * Returns the text of rendered content, hidden parts included. Blocks are apart by a line break, so
 * leaving tags out joins no words. This is an expression and no parser, because a send waits for it
 * where somebody has alert words (decision 0151).
 */
export const textOf = (html: string): string => unescaped(html.replace(/<[^<>]*>/g, ''));

/**
 * Returns the text for notices, which have no markup: hidden content stays hidden, and an image is
 * replaced by its text.
 */
export function noticeText(html: string, lengthMax: number): string {
  let text = '';
  eachVisiblePart(html, {
    text(part) {
      text += unescaped(part);
    },
  });
  const characters = [...withoutMargins(text).trim()];
  if (characters.length <= lengthMax) return characters.join('');
  return `${characters.slice(0, lengthMax).join('')}…`;
}

/**
 * Blanks around a line break belong to it. An expression that starts at any blank would take
 * quadratic time.
 */
const withoutMargins = (text: string) =>
  text.replace(/\s+/g, (blanks) => (blanks.includes('\n') ? '\n' : blanks));

export type Attributes = Readonly<Record<string, string>>;

/** Takes the parts of rendered content in order; text and attributes are escaped as they were. */
export interface PartVisitor {
  text(html: string): void;
  begin?(name: string, attributes: Attributes): void;
  end?(name: string): void;
}

/**
 * Visits what is left of rendered content where no program shows it as it is meant: images and
 * what is hidden are text then.
 */
export function eachVisiblePart(html: string, visitor: PartVisitor) {
  /** How many elements are open within a hidden one, itself included. */
  let hiddenDepth = 0;
  const parser = new Parser(
    {
      ontext(text) {
        if (hiddenDepth === 0) visitor.text(text);
      },
      onopentag(name, attributes) {
        if (hiddenDepth > 0) hiddenDepth += 1;
        else if (isHidden(name, attributes)) {
          hiddenDepth = 1;
          if (attributes['class']?.includes('spoiler-content')) visitor.text(ELLIPSIS);
        } else if (name === 'img') visitor.text(attributes['alt'] ?? '');
        else visitor.begin?.(name, attributes);
      },
      onclosetag(name, isImplied) {
        if (hiddenDepth > 0) hiddenDepth -= 1;
        // A line break has no end in the content, and the parser adds one.
        else if (!isImplied && name !== 'img') visitor.end?.(name);
      },
    },
    // Rendered content closes its elements, so none may be closed by a rule of HTML.
    { xmlMode: true, decodeEntities: false },
  );
  parser.end(html);
}

const ELLIPSIS = '(…)';

/**
 * Spoilers are hidden; all of a formula but its source, because it is present drawn and for screen
 * readers as well; and previews of links, which are not the author's.
 */
const isHidden = (name: string, attributes: Attributes) =>
  attributes['aria-hidden'] === 'true' ||
  name === 'mrow' ||
  PREVIEW.test(attributes['class'] ?? '');

const PREVIEW = /\bmessage_(?:embed|inline_image)\b/;

export const unescaped = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => CHARACTERS[entity] ?? '');

const CHARACTERS: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};
