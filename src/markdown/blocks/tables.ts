import type { StateBlock, Token } from 'markdown-it';
import { type BlockRule, blockRuleOf, endOf, startOf } from '../library.ts';
import { renderingOf } from '../rendering.ts';

const table = blockRuleOf('table');

/** Reads a table as long as the message has cells left; the rows beyond are text. */
export const boundedTable: BlockRule = (state, start, end, silent) => {
  if (start + 2 > end) return false;
  const rendering = renderingOf(state.env);
  const columns = columnsOf(state, start + 1);
  const rowsMax = Math.floor(rendering.tableCellsLeft / columns);
  const firstToken = state.tokens.length;
  if (rowsMax < 1 || !table(state, start, Math.min(end, start + 1 + rowsMax), silent)) return false;
  if (silent) return true;

  rendering.tableCellsLeft -= columns * (state.line - start);
  for (let index = firstToken; index < state.tokens.length; index += 1) {
    spellOutAlignment(state.tokens[index]);
  }
  return true;
};

/** Counts the columns in the row of dashes; the rule itself refuses any other line. */
function columnsOf(state: StateBlock, line: number): number {
  const dashes = state.src.slice(startOf(state, line), endOf(state, line)).trimEnd();
  return dashes.replace(/^\||\|$/g, '').split('|').length;
}

function spellOutAlignment(token: Token | undefined): void {
  const style = token?.attrGet('style');
  if (typeof style === 'string') token?.attrSet('style', `${style.replace(':', ': ')};`);
}
