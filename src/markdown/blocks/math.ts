import type { StateInline } from 'markdown-it';
import { escapeHtml } from '../library.ts';
import { hasRoomFor, type Rendering, renderingOf } from '../rendering.ts';
import { typeset } from './formulas.ts';

/** A formula is on one line, and has only escaped dollars. */
const FORMULA = /\$\$((?:\\\$|[^$\n])+)\$\$(?!\$)/y;

/** Reads `$$x$$` (reference/endpoints.md 5.5). */
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

/** Renders the lines of a fence named `math`. */
export function mathBlock(rendering: Rendering, tex: string): string {
  const source = tex.trim();
  const html = formulaHtml(rendering, { tex: source, source, isDisplay: true });
  return `<p>${html ?? escapeHtml(source)}</p>\n`;
}

/** Returns null for a formula that exceeds the budget of the message. */
function formulaHtml(
  rendering: Rendering,
  { tex, source, isDisplay }: { tex: string; source: string; isDisplay: boolean },
): string | null {
  if (rendering.formulasLeft === 0 || tex.length > rendering.mathLengthLeft) return null;
  rendering.formulasLeft -= 1;
  rendering.mathLengthLeft -= tex.length;
  const formula = typeset(tex, isDisplay, rendering.formulaWorkLeft);
  rendering.formulaWorkLeft -= formula.work;
  if (formula.kind === 'too much') return null;
  const html =
    formula.kind === 'formula'
      ? formula.html
      : `<span class="tex-error">${escapeHtml(source)}</span>`;
  return hasRoomFor(rendering, html) ? html : null;
}
