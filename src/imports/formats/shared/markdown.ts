import type { HistoryText } from '../../history.ts';
import { TextBuilder } from './texts.ts';

/** Code in blocks and lines, and addresses: nothing in them is mark-up. */
const VERBATIM = /```[\s\S]*?(?:```|$)|`[^`\n]+`|https?:\/\/[^\s<>()]+/g;

/** How one service writes mentions, and what else its Markdown has of its own. */
export interface Dialect {
  /** Finds mentions and the like; linear and global. */
  readonly tokens: RegExp;
  /** Adds what a token means; false leaves the token as it is written. */
  add(builder: TextBuilder, token: RegExpMatchArray): boolean;
  /** Rewrites emphasis. */
  emphasis(text: string): string;
}

/** Converts a text that is Markdown but for what the dialect names. */
export function textOfMarkdown(source: string, dialect: Dialect): HistoryText {
  const builder = new TextBuilder();
  let at = 0;
  for (const match of source.matchAll(VERBATIM)) {
    addWords(builder, source.slice(at, match.index), dialect);
    builder.add(match[0]);
    at = match.index + match[0].length;
    // A block that nothing closes must not take in what is added later.
    if (at === source.length && isOpenBlock(match[0])) builder.add('\n```');
  }
  addWords(builder, source.slice(at), dialect);
  return builder.isEmpty ? [] : builder.finished();
}

const isOpenBlock = (code: string): boolean =>
  code.startsWith('```') && (code.length < 6 || !code.endsWith('```'));

function addWords(builder: TextBuilder, source: string, dialect: Dialect): void {
  const text = dialect.emphasis(source);
  let at = 0;
  for (const match of text.matchAll(dialect.tokens)) {
    builder.add(text.slice(at, match.index));
    if (!dialect.add(builder, match)) builder.add(match[0]);
    at = match.index + match[0].length;
  }
  builder.add(text.slice(at));
}

const UNDERSCORES = /(?<![\w\\@#:~])(__?)(?=[^\s_])([^_\n]{1,500})(?<=\S)\1(?!\w)/g;

/** `_a_` and `__a__`, which this service does not read. */
export const underscoresAsStars = (text: string): string =>
  text.replace(UNDERSCORES, (_, marks: string, words: string) => {
    const stars = '*'.repeat(marks.length);
    return stars + words + stars;
  });
