import { escapeHtml } from './html.ts';
import { unescaped, visibleParts } from './html-text.ts';

/**
 * Rendered content for a mail: links lead where they do from the realm's own page, what is hidden stays hidden, and nothing
 * is fetched by opening it. Of the attributes only links are left, as a mail has none of the style that they are for.
 */
export function mailHtml(html: string, url: string): string {
  let shown = '';
  for (const part of visibleParts(html)) {
    if (part.kind === 'text') shown += part.html;
    else if (part.isEnd) shown += `</${part.name}>`;
    else shown += `<${part.name}${linkOf(part.attributes, url)}>`;
  }
  return shown;
}

const HREF = /\bhref="([^"]*)"/;

function linkOf(attributes: string, url: string): string {
  const [, href] = HREF.exec(attributes) ?? [];
  if (href === undefined) return '';
  const target = unescaped(href);
  const base = `${url}/`;
  return URL.canParse(target, base) ? ` href="${escapeHtml(new URL(target, base).href)}"` : '';
}
