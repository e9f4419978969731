import { Parser } from 'htmlparser2';
import {
  PAGE_DESCRIPTION_LENGTH_MAX,
  PAGE_TITLE_LENGTH_MAX,
  PREVIEW_URL_LENGTH_MAX,
} from '../domain/limits/external-content.ts';
import type { PagePreview } from '../markdown/directory.ts';

/** Characters that are parsed at once, before checking whether the head of the page is over. */
const PIECE_LENGTH = 16_384;

/**
 * Reads the preview of a page from its head: OpenGraph first, then plain HTML. A page without an
 * image has none.
 */
export function previewIn(html: string, url: URL): PagePreview | undefined {
  const facts = new Map<string, string>();
  let isInTitle = false;
  let isOver = false;
  const note = (name: string, value: string | undefined) => {
    // The first of several values describes the page itself.
    if (value !== undefined && value.trim() !== '' && !facts.has(name)) facts.set(name, value);
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      if (isOver) return;
      if (name === 'body') isOver = true;
      else if (name === 'title') isInTitle = !facts.has('title');
      else if (name === 'base') note('base', attributes['href']);
      else if (name === 'meta') {
        note(
          (attributes['property'] ?? attributes['name'] ?? '').toLowerCase(),
          attributes['content'],
        );
      } else if (name === 'link' && attributes['rel']?.toLowerCase() === 'image_src') {
        note('image_src', attributes['href']);
      }
    },
    ontext(text) {
      if (isInTitle) facts.set('title', (facts.get('title') ?? '') + text);
    },
    onclosetag(name) {
      if (name === 'title') isInTitle = false;
    },
  });
  for (let at = 0; at < html.length && !isOver; at += PIECE_LENGTH) {
    parser.write(html.slice(at, at + PIECE_LENGTH));
  }
  return previewOf(
    (names) => names.map((name) => facts.get(name)).find((fact) => fact !== undefined),
    url,
  );
}

function previewOf(
  fact: (names: readonly string[]) => string | undefined,
  url: URL,
): PagePreview | undefined {
  const base = urlIn(fact(['base']), url) ?? url;
  const image = fact([
    'og:image:secure_url',
    'og:image',
    'og:image:url',
    'twitter:image',
    'image_src',
  ]);
  const imageUrl = urlIn(image, base);
  if (imageUrl === undefined || imageUrl.href.length > PREVIEW_URL_LENGTH_MAX) return undefined;
  return {
    title: tidied(fact(['og:title', 'twitter:title', 'title']), PAGE_TITLE_LENGTH_MAX),
    description: tidied(
      fact(['og:description', 'twitter:description', 'description']),
      PAGE_DESCRIPTION_LENGTH_MAX,
    ),
    imageUrl: imageUrl.href,
  };
}

function urlIn(text: string | undefined, base: URL): URL | undefined {
  if (text === undefined || !URL.canParse(text.trim(), base)) return undefined;
  const url = new URL(text.trim(), base);
  const isPlain = url.username === '' && url.password === '';
  return isPlain && ['http:', 'https:'].includes(url.protocol) ? url : undefined;
}

/** Returns the text as one line of characters that can be stored and shown, cut to the length. */
function tidied(text: string | undefined, lengthMax: number): string {
  const line = (text ?? '')
    // Bounds the work: a code point has at most two units, and there may be blanks between.
    .slice(0, 8 * lengthMax)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/\p{Cs}/gu, '\ufffd')
    .trim();
  const characters = Array.from(line);
  if (characters.length <= lengthMax) return line;
  return `${characters
    .slice(0, lengthMax - 1)
    .join('')
    .trimEnd()}…`;
}
