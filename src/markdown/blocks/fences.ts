import type { StateBlock } from 'markdown-it';
import { type BlockRule, endOf, startOf } from '../library.ts';

const QUOTE_FENCE = /(`{3,}|~{3,})[ \t]*quote[ \t]*(?=\n|$)/y;

/** A fence named `quote` is a quote whose lines need no `>`. */
export const quoteFence: BlockRule = (state, start, end, silent) => {
  const [, marker] = openingOf(state, start, QUOTE_FENCE) ?? [];
  if (marker === undefined) return false;
  if (silent) return true;
  state.push('blockquote_open', 'blockquote', 1);
  readInside(state, { marker, start, end });
  state.push('blockquote_close', 'blockquote', -1);
  return true;
};

/**
 * As in any fence, the words behind backticks contain none; otherwise it would be code in a line.
 */
const SPOILER_FENCE =
  /(?:(`{3,})[ \t]*spoiler(?![^ \t\n])([^`\n]*)|(~{3,})[ \t]*spoiler(?![^ \t\n])([^\n]*))(?=\n|$)/y;

/** A fence named `spoiler` has a header and hides what is inside (reference/endpoints.md 5.5). */
export const spoilerFence: BlockRule = (state, start, end, silent) => {
  const match = openingOf(state, start, SPOILER_FENCE);
  if (match === null) return false;
  if (silent) return true;
  const [, backticks, afterBackticks, tildes = '', afterTildes = ''] = match;
  const header = (afterBackticks ?? afterTildes).trim();
  state.push('spoiler_open', 'div', 1);
  if (header !== '') {
    state.push('paragraph_open', 'p', 1);
    const inline = state.push('inline', '', 0);
    inline.content = header;
    inline.children = [];
    state.push('paragraph_close', 'p', -1);
  }
  state.push('spoiler_content', '', 0);
  readInside(state, { marker: backticks ?? tildes, start, end });
  state.push('spoiler_close', 'div', -1);
  return true;
};

function openingOf(state: StateBlock, line: number, opening: RegExp): RegExpExecArray | null {
  if ((state.sCount[line] ?? 0) - state.blkIndent >= 4) return null;
  opening.lastIndex = startOf(state, line);
  return opening.exec(state.src);
}

/** Reads the lines up to the closing fence as Markdown by themselves. */
function readInside(
  state: StateBlock,
  { marker, start, end }: { marker: string; start: number; end: number },
): void {
  const close = closingFence(state, { marker, start, end });
  const { lineMax, parentType } = state;
  state.lineMax = close;
  state.parentType = 'blockquote';
  state.md.block.tokenize(state, start + 1, close);
  state.lineMax = lineMax;
  state.parentType = parentType;
  state.line = close < end && isClosingFence(state, close, marker) ? close + 1 : close;
}

/**
 * Returns the line that closes the fence, or the one after its last: an unclosed fence runs to the
 * end.
 */
function closingFence(
  state: StateBlock,
  fence: { marker: string; start: number; end: number },
): number {
  let line = fence.start + 1;
  for (; line < fence.end; line += 1) {
    if (!state.isEmpty(line) && (state.sCount[line] ?? 0) < state.blkIndent) break;
    if (isClosingFence(state, line, fence.marker)) break;
  }
  return line;
}

function isClosingFence(state: StateBlock, line: number, marker: string): boolean {
  const start = startOf(state, line);
  if (!state.src.startsWith(marker, start)) return false;
  const afterMarker = state.skipChars(start, marker.charCodeAt(0));
  return state.skipSpaces(afterMarker) >= endOf(state, line);
}
