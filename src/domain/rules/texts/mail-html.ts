import { escapeHtml } from './html.ts';
import { type Attributes, eachVisiblePart, unescaped } from './html-text.ts';

/**
 * Converts rendered content for a mail: links are absolute, hidden content is left out, and opening
 * the mail fetches nothing. Only links keep their attributes, because a mail has none of the
 * styles.
 */
export function mailHtml(html: string, url: string): string {
  let shown = '';
  eachVisiblePart(html, {
    text(part) {
      shown += part;
    },
    begin(name, attributes) {
      shown += `<${name}${linkOf(attributes, url)}>`;
    },
    end(name) {
      shown += `</${name}>`;
    },
  });
  return shown;
}

function linkOf({ href }: Attributes, url: string): string {
  if (href === undefined) return '';
  const target = unescaped(href);
  const base = `${url}/`;
  return URL.canParse(target, base) ? ` href="${escapeHtml(new URL(target, base).href)}"` : '';
}
