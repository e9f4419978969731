import { createRequire } from 'node:module';
import type { KatexOptions } from 'katex';
import type { StateInline } from 'markdown-it';
import { escapeHtml } from './library.ts';
import { hasRoomFor, type Rendering, renderingOf } from './rendering.ts';

/** One line, without other dollars than escaped ones. */
const FORMULA = /\$\$((?:\\\$|[^$\n])+)\$\$(?!\$)/y;

/** `$$x$$` (reference/endpoints.md 5.5). */
export function math(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  if (src[pos] !== '$' || src[pos - 1] === '$') return false;
  FORMULA.lastIndex = pos;
  const [source, tex = ''] = FORMULA.exec(src) ?? [];
  if (source === undefined || tex.trim() === '' || FORMULA.lastIndex > state.posMax) return false;
  if (!silent) {
    const html = formulaHtml(renderingOf(state.env), { tex, source, isDisplay: false });
    if (html === null) state.pending += source;
    else state.push('finished_html', '', 0).content = html;
  }
  state.pos = FORMULA.lastIndex;
  return true;
}

/** The lines of a fence named `math`. */
export function mathBlock(rendering: Rendering, tex: string): string {
  const source = tex.trim();
  const html = formulaHtml(rendering, { tex: source, source, isDisplay: true });
  return `<p>${html ?? escapeHtml(source)}</p>\n`;
}

/** Null for a formula that the message has no room for. */
function formulaHtml(
  rendering: Rendering,
  { tex, source, isDisplay }: { tex: string; source: string; isDisplay: boolean },
): string | null {
  if (rendering.formulasLeft === 0 || tex.length > rendering.mathLengthLeft) return null;
  rendering.formulasLeft -= 1;
  rendering.mathLengthLeft -= tex.length;
  const html = typeset(tex, isDisplay) ?? `<span class="tex-error">${escapeHtml(source)}</span>`;
  return hasRoomFor(rendering, html) ? html : null;
}

/**
 * Commands that define commands: with them a few characters can stand for any number of others. And
 * those that write what was typed to the console.
 */
const FORBIDDEN =
  /\\(?:[gex]?def|(?:future)?let|global|long|(?:new|renew|provide)command|(?:err)?message|show)(?![a-z])/i;

const OPTIONS: KatexOptions = {
  output: 'htmlAndMathml',
  throwOnError: true,
  // No links, images or attributes of the author's own.
  trust: false,
  strict: 'ignore',
  // In em; a formula must not cover what others wrote.
  maxSize: 10,
  maxExpand: 1_000,
};

/** Null for what is no TeX. */
function typeset(tex: string, isDisplay: boolean): string | null {
  if (FORBIDDEN.test(tex)) return null;
  const katex = library();
  // The library warns of characters that it has no measures for: whoever types them would write to the server's log.
  const { warn } = console;
  console.warn = () => {};
  try {
    return katex.renderToString(tex, { ...OPTIONS, displayMode: isDisplay });
  } catch (error) {
    // What is nested too deep for its parser runs out of stack.
    if (error instanceof katex.ParseError || error instanceof RangeError) return null;
    throw error;
  } finally {
    console.warn = warn;
  }
}

const require = createRequire(import.meta.url);
let loaded: typeof import('katex') | undefined;

/** Loaded with the first formula: most processes never see one. */
function library(): typeof import('katex') {
  loaded ??= require('katex') as typeof import('katex');
  return loaded;
}
