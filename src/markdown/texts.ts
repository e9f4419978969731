import type { StateCore, Token } from 'markdown-it';
import * as emoji from '../domain/rules/texts/emoji.ts';
import type { LinkifierMatch } from '../domain/rules/texts/linkifiers.ts';
import { emojiIn } from './emoji/characters.ts';
import { emoticonsIn } from './emoji/emoticons.ts';
import { characterHtml } from './emoji/names.ts';
import { escapeHtml } from './library.ts';
import { hasRoomFor, type Rendering, renderingOf } from './rendering.ts';

/** The `info` of a text token that is shown as it was typed. */
export const VERBATIM = 'verbatim';

/**
 * Expands the elements that may begin anywhere in a text, after all other markup is parsed: matches
 * of linkifiers (reference/endpoints.md 5.6), emoji characters and emoticons (5.4).
 */
export function expandTexts(state: StateCore): void {
  const rendering = renderingOf(state.env);
  for (const token of state.tokens) {
    if (token.type !== 'inline' || token.children === null) continue;
    expandChildren(rendering, token.children);
  }
}

function expandChildren(rendering: Rendering, children: readonly Token[]): void {
  let linkLevel = 0;
  for (const [index, token] of children.entries()) {
    if (token.type === 'link_open') linkLevel += 1;
    if (token.type === 'link_close') linkLevel -= 1;
    if (token.type !== 'text' || token.info === VERBATIM) continue;
    const text = token.content;
    const isWordStart = beginsText(children[index - 1]);
    const matches = linkLevel > 0 ? [] : linkified(rendering, { text, isWordStart });
    const html = expandedHtml(rendering, text, matches);
    if (html === null) continue;
    token.type = 'finished_html';
    token.content = html;
  }
}

/**
 * Tests whether a text begins here: behind a new line or `**` it does, behind code, a mention or an
 * emoji it goes on.
 */
const beginsText = (before: Token | undefined): boolean =>
  before === undefined ||
  before.nesting === 1 ||
  before.type === 'softbreak' ||
  before.type === 'hardbreak';

/** Stands for the text before: neither a blank nor punctuation. */
const NO_WORD_START = '\ufffc';

function linkified(
  rendering: Rendering,
  { text, isWordStart }: { text: string; isWordStart: boolean },
): LinkifierMatch[] {
  const { linkifiers } = rendering.directory;
  if (linkifiers.isEmpty) return [];
  if (isWordStart) return linkifiers.matchesIn(text, rendering);
  return linkifiers
    .matchesIn(NO_WORD_START + text, rendering)
    .map(({ start, end, url }) => ({ start: start - 1, end: end - 1, url }));
}

/** Returns null for a text that has nothing to expand. */
function expandedHtml(
  rendering: Rendering,
  text: string,
  matches: readonly LinkifierMatch[],
): string | null {
  const pieces: string[] = [];
  let at = 0;
  let isChanged = false;
  const expand = (end: number) => {
    const between = text.slice(at, end);
    const html = withImages(rendering, between);
    isChanged ||= html !== null;
    pieces.push(html ?? escapeHtml(between));
  };
  for (const { start, end, url } of matches) {
    const html = `<a href="${escapeHtml(url)}">${escapeHtml(text.slice(start, end))}</a>`;
    if (!hasRoomFor(rendering, html)) continue;
    expand(start);
    pieces.push(html);
    at = end;
    isChanged = true;
  }
  expand(text.length);
  return isChanged ? pieces.join('') : null;
}

/** Returns the text with images for its emoji; null if it has none. */
function withImages(rendering: Rendering, text: string): string | null {
  const images = [
    ...emojiIn(text),
    ...(rendering.directory.translatesEmoticons ? emoticonsIn(text) : []),
  ].sort((one, other) => one.start - other.start);
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end, name } of images) {
    const code = emoji.codeOf(name);
    const html = code === undefined ? '' : characterHtml(name, code);
    if (html === '' || !hasRoomFor(rendering, html)) continue;
    pieces.push(escapeHtml(text.slice(at, start)), html);
    at = end;
  }
  if (at === 0) return null;
  pieces.push(escapeHtml(text.slice(at)));
  return pieces.join('');
}
