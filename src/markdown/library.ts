import markdownIt, { type MarkdownIt, type StateBlock, type StateInline } from 'markdown-it';

/** The rules of the library one by one, so that the rules here can delegate to them. */

export type BlockRule = (
  state: StateBlock,
  startLine: number,
  endLine: number,
  silent: boolean,
) => boolean;
export type InlineRule = (state: StateInline, silent: boolean) => boolean;

export const createLibraryParser = (): MarkdownIt => markdownIt({ html: false, breaks: true });

export function blockRuleOf(name: string): BlockRule {
  const only = markdownIt();
  only.block.ruler.enableOnly(name);
  return required(only.block.ruler.getRules('')[0]);
}

export function inlineRuleOf(name: string): InlineRule {
  const only = markdownIt();
  only.inline.ruler.enableOnly(name);
  return required(only.inline.ruler.getRules('')[0]);
}

function required<T>(rule: T | undefined): T {
  if (rule === undefined) throw new Error('markdown-it has no rule of this name');
  return rule;
}

export const startOf = (state: StateBlock, line: number): number =>
  (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
export const endOf = (state: StateBlock, line: number): number => state.eMarks[line] ?? 0;

export const { escapeHtml, unescapeAll } = markdownIt().utils;
