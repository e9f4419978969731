import type { StateBlock } from 'markdown-it';
import { type BlockRule, blockRuleOf, startOf } from '../library.ts';

const libraryList = blockRuleOf('list');

/**
 * Reads a list. A list nests "with two-space indent" and "needs no blank line before it"
 * (reference/endpoints.md 5.1), whatever its markers are. An item without text is not a list, since
 * it would swallow what the author typed: `2)`, `-`.
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

/** Matches a marker with text after it, at the position where the search begins. */
const ITEM = /([-+*]|\d{1,9}[.)])([ \t]+)[^ \t\n]/y;

function itemAt(state: StateBlock, line: number): Item | null {
  ITEM.lastIndex = startOf(state, line);
  const [, marker, blanks = ''] = ITEM.exec(state.src) ?? [];
  return marker === undefined ? null : { marker, width: marker.length + blanks.length };
}

/**
 * Tells a list from a longer number at the start of a line, which belongs to the sentence: a year,
 * a price.
 */
const interrupts = (state: StateBlock, line: number, { marker }: Item): boolean =>
  state.parentType === 'paragraph' &&
  /^\d{1,2}[.)]$/.test(marker) &&
  (state.sCount[line] ?? 0) - state.blkIndent < 4;

const NESTED_INDENT = 2;

/**
 * Adds the columns that a nested list lacks. The library wants it below the text of its item, three
 * columns in or more behind a number; authors indent by two.
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
      // The loop ends with this list: the next one has its own turn.
      if (here === null || here.marker.at(-1) !== item.marker.at(-1)) return;
      width = here.width;
      isLacking = false;
    } else {
      isLacking ||= here !== null && indent < width;
      if (isLacking) state.sCount[line] = column + width - NESTED_INDENT;
    }
  }
}
