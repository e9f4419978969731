import type { RendererRule } from 'markdown-it';
import { escapeHtml, unescapeAll } from '../library.ts';
import { renderingOf } from '../rendering.ts';
import { highlighted } from './highlighting.ts';
import { languageNamed } from './languages.ts';
import { mathBlock } from './math.ts';

/**
 * Renders the code of a fence or of an indented block, attributes in the order of
 * reference/endpoints.md 5.5.
 */
export const renderCode: RendererRule = (tokens, index, _options, env = {}) => {
  const token = tokens[index];
  const rendering = renderingOf(env);
  const code = token?.content ?? '';
  const isFence = token?.type === 'fence';
  const given = /\S+/.exec(unescapeAll(token?.info ?? ''))?.[0];
  if (isFence && given === 'math') return mathBlock(rendering, code);

  const word = given ?? (isFence ? rendering.directory.defaultCodeLanguage : '');
  const language = word === '' ? undefined : languageNamed(word);
  const attribute =
    word === '' ? '' : ` data-code-language="${escapeHtml(language?.name ?? word)}"`;
  const html = (language && highlighted(rendering, code, language)) ?? escapeHtml(code);
  const pre = `<pre><span></span><code>${html}</code></pre>`;
  return `<div class="codehilite"${attribute}>${pre}</div>\n`;
};
