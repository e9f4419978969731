/**
 * Alert words: finds the users who want to know of a word in a message. All words of a realm are
 * looked for at once, in a trie of their tokens, so the cost is the length of the message, however
 * many words there are.
 */

import { textOf } from './html-text.ts';

export interface OwnedWords {
  readonly userId: number;
  readonly words: readonly string[];
}

/** Finds the users who have an alert word or phrase in rendered content. */
export type AlertWordFinder = (html: string) => ReadonlySet<number>;

export function alertWordFinder(owned: Iterable<OwnedWords>): AlertWordFinder {
  const root = node();
  for (const { userId, words } of owned) {
    for (const word of words) add(root, tokensOf(word), userId);
  }
  if (root.next.size === 0) return () => NOBODY;
  return (html) => {
    const tokens = tokensOf(textOf(html));
    const found = new Set<number>();
    for (let start = 0; start < tokens.length; start++) collect(root, tokens, { start, found });
    return found;
  };
}

const NOBODY: ReadonlySet<number> = new Set();

/** A node of the trie: the tokens that may follow, and the users whose word ends here. */
interface Node {
  readonly next: Map<string, Node>;
  readonly userIds: number[];
}

const node = (): Node => ({ next: new Map(), userIds: [] });

function add(root: Node, tokens: readonly string[], userId: number) {
  let at = root;
  for (const token of tokens) {
    let next = at.next.get(token);
    if (next === undefined) {
      next = node();
      at.next.set(token, next);
    }
    at = next;
  }
  if (at !== root) at.userIds.push(userId);
}

function collect(
  root: Node,
  tokens: readonly string[],
  { start, found }: { start: number; found: Set<number> },
) {
  let at: Node | undefined = root;
  for (let index = start; index < tokens.length; index++) {
    at = at.next.get(tokens[index] ?? '');
    if (at === undefined) return;
    for (const userId of at.userIds) found.add(userId);
  }
}

/**
 * Tokens are whole words, single other characters, and white space of any kind and length as one:
 * so no word is found within another.
 */
const tokensOf = (text: string): string[] =>
  Array.from(text.toLowerCase().matchAll(TOKEN), ([token]) => (token.trim() === '' ? ' ' : token));

const TOKEN = /[\p{L}\p{M}\p{N}_]+|\s+|./gsu;
