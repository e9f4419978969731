/** What a reader sees of rendered content. Blocks are apart by a line break, so leaving tags out joins no words. */
export const textOf = (html: string): string => unescaped(html.replace(/<[^<>]*>/g, ''));

/** The same for where there is only text: what is hidden stays hidden, and a picture is what stands for it. */
export function noticeText(html: string, lengthMax: number): string {
  let text = '';
  for (const part of visibleParts(html)) {
    if (part.kind === 'text') text += unescaped(part.html);
  }
  const characters = [...withoutMargins(text).trim()];
  if (characters.length <= lengthMax) return characters.join('');
  return `${characters.slice(0, lengthMax).join('')}…`;
}

/** Blanks around a line break are a part of it. Looked for from any blank on, they would take quadratic time. */
const withoutMargins = (text: string) =>
  text.replace(/\s+/g, (blanks) => (blanks.includes('\n') ? '\n' : blanks));

/** Either text, as HTML has it, or one tag. */
export type HtmlPart =
  | { readonly kind: 'text'; readonly html: string }
  | {
      readonly kind: 'tag';
      readonly isEnd: boolean;
      readonly name: string;
      readonly attributes: string;
    };

/** What is left of rendered content where no program shows it as it is meant: pictures and what is hidden are text then. */
export function* visibleParts(html: string): Iterable<HtmlPart> {
  let hidden: Hidden | undefined;
  for (const [part, slash, name = '', attributes = ''] of html.matchAll(PART)) {
    if (hidden !== undefined) {
      if (name !== hidden.name) continue;
      hidden.depth += slash === '' ? 1 : -1;
      if (hidden.depth === 0) hidden = undefined;
    } else if (name === '') yield { kind: 'text', html: part };
    else if (slash === '' && isHidden(name, attributes)) {
      hidden = { name, depth: 1 };
      if (attributes.includes('spoiler-content')) yield { kind: 'text', html: ELLIPSIS };
    } else if (name === 'img') yield { kind: 'text', html: ALT.exec(attributes)?.[1] ?? '' };
    else yield { kind: 'tag', isEnd: slash !== '', name, attributes };
  }
}

interface Hidden {
  readonly name: string;
  depth: number;
}

/** What is no tag after all is left before the next one could begin, and its name is tried as a whole alone. */
const PART = /<(\/?)([a-zA-Z][a-zA-Z0-9-]*)(?![a-zA-Z0-9-])([^<>]*)>|[^<]+/g;
const ALT = /\balt="([^"]*)"/;
const ELLIPSIS = '(…)';

/**
 * Spoilers; all of a formula but its source, as it is there as it is drawn and as it is read aloud, too; and what was found
 * where a link leads, which nobody wrote.
 */
const isHidden = (name: string, attributes: string) =>
  attributes.includes('aria-hidden="true"') || name === 'mrow' || PREVIEW.test(attributes);

const PREVIEW = /class="[^"]*\bmessage_(?:embed|inline_image)\b/;

export const unescaped = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => CHARACTERS[entity] ?? '');

const CHARACTERS: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};
