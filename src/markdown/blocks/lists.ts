import type { StateBlock } from 'markdown-it';
import { type BlockRule, blockRuleOf, startOf } from '../library.ts';

const libraryList = blockRuleOf('list');

/**
 * A list nests "with two-space indent" and "needs no blank line before it" (reference/endpoints.md
 * 5.1), whatever its markers are. An item without text would swallow what somebody typed: `2)`, `-`.
 */
export const list: BlockRule = (state, start, end, silent) => {
  const item = itemAt(state, start);
  if (item === null) return false;
  if (silent) return interrupts(state, start, item) || libraryList(state, start, end, silent);
  indentNested(state, { start, end, item });
  return libraryList(state, start, end, silent);
};

interface Item {
  readonly marker: string;
  /** columns from the marker to the text */
  readonly width: number;
}

/** Text after the marker, which is where this expression begins to look. */
const ITEM = /([-+*]|\d{1,9}[.)])([ \t]+)[^ \t\n]/y;

function itemAt(state: StateBlock, line: number): Item | null {
  ITEM.lastIndex = startOf(state, line);
  const [, marker, blanks = ''] = ITEM.exec(state.src) ?? [];
  return marker === undefined ? null : { marker, width: marker.length + blanks.length };
}

/** A longer number at the start of a line is one of the sentence: a year, a price. */
const interrupts = (state: StateBlock, line: number, { marker }: Item): boolean =>
  state.parentType === 'paragraph' &&
  /^\d{1,2}[.)]$/.test(marker) &&
  (state.sCount[line] ?? 0) - state.blkIndent < 4;

const NESTED_INDENT = 2;

/**
 * The library wants a nested list below the text of its item, three columns in or more behind a
 * number. Where one begins two columns in, its lines are given the columns that they lack.
 */
function indentNested(
  state: StateBlock,
  { start, end, item }: { start: number; end: number; item: Item },
): void {
  const first = state.sCount[start] ?? 0;
  let { width } = item;
  let isLacking = false;
  for (let line = start + 1; line < end; line += 1) {
    if (state.isEmpty(line)) continue;
    const column = state.sCount[line] ?? 0;
    if (column < state.blkIndent) return;
    const indent = column - first;
    const here = itemAt(state, line);
    if (indent < NESTED_INDENT) {
      // Only this list is walked through: the next one has its own turn.
      if (here === null || here.marker.at(-1) !== item.marker.at(-1)) return;
      width = here.width;
      isLacking = false;
    } else {
      isLacking ||= here !== null && indent < width;
      if (isLacking) state.sCount[line] = column + width - NESTED_INDENT;
    }
  }
}
