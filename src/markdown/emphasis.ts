import type { StateInline, Token } from 'markdown-it';

/**
 * Moves emphasis inside strong: `***c***` is rendered so here, and the library does the reverse.
 * Runs before texts are joined.
 */
export function putStrongOutside(state: StateInline): void {
  const { tokens } = state;
  const openings: number[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const nesting = tokens[index]?.nesting;
    if (nesting === 1) openings.push(index);
    if (nesting !== -1) continue;
    const inner = openings.pop() ?? 0;
    // Between two markers of one run there is the emptied text of the second star of `**`.
    const wraps =
      tokens[index]?.type === 'strong_close' &&
      tokens[index + 2]?.type === 'em_close' &&
      tokens[inner]?.type === 'strong_open' &&
      tokens[inner - 2]?.type === 'em_open' &&
      openings.at(-1) === inner - 2 &&
      isEmptyText(tokens[inner - 1]) &&
      isEmptyText(tokens[index + 1]);
    if (!wraps) continue;
    swapTokens(tokens, inner - 2, inner);
    swapTokens(tokens, index, index + 2);
    openings.pop();
    index += 2;
  }
}

const isEmptyText = (token: Token | undefined): boolean =>
  token?.type === 'text' && token.content === '';

function swapTokens(tokens: Token[], first: number, second: number): void {
  const [one, other] = [tokens[first], tokens[second]];
  if (!one || !other) return;
  tokens[first] = other;
  tokens[second] = one;
}
