import { html, joined, type Markup } from '../markup.ts';

/**
 * Renders what the declarations have of Markdown: code, strong text, and links to the objects,
 * events and errors of the document.
 */
export function inline(text: string): Markup {
  const parts: Markup[] = [];
  let end = 0;
  for (const match of text.matchAll(MARKS)) {
    const [all, code, strong, words = '', anchor = ''] = match;
    parts.push(html`${text.slice(end, match.index)}`);
    if (code !== undefined) parts.push(html`<code>${code}</code>`);
    else if (strong !== undefined) parts.push(html`<strong>${strong}</strong>`);
    else parts.push(html`<a href="${addressOf(anchor)}">${words}</a>`);
    end = match.index + all.length;
  }
  parts.push(html`${text.slice(end)}`);
  return joined(parts);
}

const MARKS = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^[\]]+)\]\(#([^()]+)\)/g;

/** Renders a text of several paragraphs. */
export const paragraphs = (text: string): Markup =>
  joined(text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>\n`));

/** Returns the address of a link that `schema-text.ts` has made for a page of its own. */
function addressOf(anchor: string): string {
  if (anchor.startsWith('error-')) return `/api/errors#${anchor}`;
  const isEvent = anchor === 'event' || anchor.startsWith('event-');
  return `/api/${isEvent ? 'events' : 'objects'}#${anchor}`;
}

/** Renders JSON, indented, with its keys and values told apart by colour. */
export function json(value: unknown): Markup {
  const text = JSON.stringify(value, null, 2);
  const parts: Markup[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKENS)) {
    const [all, quoted, colon] = match;
    parts.push(html`${text.slice(end, match.index)}`);
    if (quoted === undefined) parts.push(html`<span class="n">${all}</span>`);
    else if (colon === undefined) parts.push(html`<span class="s">${quoted}</span>`);
    else parts.push(html`<span class="k">${quoted}</span>${colon}`);
    end = match.index + all.length;
  }
  parts.push(html`${text.slice(end)}`);
  return joined(parts);
}

const TOKENS = /("(?:[^"\\]|\\.)*")(:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g;
