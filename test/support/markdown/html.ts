import { renderMarkdown } from '../../../src/markdown/markdown.ts';
import { directory, richDirectory } from './directory.ts';

/** Renders a text where there are users, groups and channels. */
export const html = (content: string) => renderMarkdown(content, directory).html;

/** The same where there are emoji and linkifiers as well. */
export const rich = (content: string) => renderMarkdown(content, richDirectory).html;

export const codeBlock = (code: string, language?: string) =>
  `<div class="codehilite"${language ? ` data-code-language="${language}"` : ''}>` +
  `<pre><span></span><code>${code}</code></pre></div>`;

export const spanOf = (userId: number, name: string) =>
  `<span class="user-mention" data-user-id="${userId}">@${name}</span>`;

export function quoteOf(inner: string, after?: string): string {
  return `<blockquote>\n${inner}\n</blockquote>${after ? `\n${after}` : ''}`;
}

export const emojiSpan = (name: string, code: string) => {
  const title = name.replaceAll('_', ' ');
  return `<span aria-label="${title}" class="emoji emoji-${code}" role="img" title="${title}">:${name}:</span>`;
};

export const image = (name: string, src: string) =>
  `<img alt=":${name}:" class="emoji" src="${src}" title="${name}">`;
