import { escapeHtml } from './html.ts';
import { type Attributes, eachVisiblePart, unescaped } from './html-text.ts';

/**
 * Rendered content for a mail: links lead where they do from the realm's own page, what is hidden stays hidden, and nothing
 * is fetched by opening it. Of the attributes only links are left, as a mail has none of the style that they are for.
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
