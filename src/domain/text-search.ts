import { escapeHtml } from './html.ts';
import { folded, isUnspaced, stemOf, WORD } from './words.ts';

/** What is searched of a message. */
export interface SearchedText {
  /** As written. */
  readonly content: string;
  readonly renderedContent: string;
  readonly topic: string;
}

/** The operand of `search`: words, all of which are wanted, and phrases in quotes (reference/endpoints.md 2.1). */
export interface TextSearch {
  matches(text: SearchedText): boolean;
  /** HTML in which what was found stands in `<span class="highlight">`. */
  inHtml(html: string): string;
  /** The same of plain text. */
  inText(text: string): string;
}

/**
 * A word is found by its stem in what readers see of a message, or in its topic; a phrase, "as case-insensitive
 * substrings of content or topic", in what was written. Nothing to look for is found everywhere.
 */
export function textSearch(operands: readonly string[]): TextSearch {
  const { words, phrases } = partsOf(operands);
  const stems = new Set(words.map(stemOf));
  const stemOfWord = remembered(stemOf);
  const begins = [...stems].map((stem) => (stem.length > 1 ? stem.slice(0, -1) : stem));
  const patterns = phrases.map((phrase) => new RegExp(escapedPattern(phrase), 'giu'));

  function hasWords({ renderedContent, topic }: SearchedText): boolean {
    if (stems.size === 0) return true;
    // Most messages have none of it, which is seen without taking them apart.
    const all = folded(`${topic}\n${renderedContent}`);
    if (!begins.every((begin) => all.includes(begin))) return false;
    const missing = new Set(stems);
    for (const text of [topic, visibleText(renderedContent)]) {
      for (const [word] of text.matchAll(WORD)) missing.delete(stemOfWord(word));
    }
    return missing.size === 0;
  }

  const hasPhrases = ({ content, topic }: SearchedText) =>
    patterns.every((pattern) => content.search(pattern) >= 0 || topic.search(pattern) >= 0);

  function found(text: string): Span[] {
    const spans: Span[] = [];
    for (const pattern of patterns) {
      for (const { 0: match, index } of text.matchAll(pattern)) {
        spans.push({ start: index, end: index + match.length });
      }
    }
    if (stems.size === 0) return spans;
    for (const { 0: word, index } of text.matchAll(WORD)) {
      if (stems.has(stemOfWord(word))) spans.push({ start: index, end: index + word.length });
    }
    return spans;
  }

  const inHtml = (html: string) =>
    html.replace(TEXT_OR_MARKUP, (piece) => (piece.startsWith('<') ? piece : marked(piece, found)));
  return {
    matches: (text) => hasPhrases(text) && hasWords(text),
    inHtml,
    inText: (text) => inHtml(escapeHtml(text)),
  };
}

function partsOf(operands: readonly string[]) {
  const words: string[] = [];
  const phrases: string[] = [];
  for (const operand of operands) {
    for (const [token, phrase] of operand.matchAll(/"([^"]+)"|[^\s"]+/g)) {
      if (phrase !== undefined) phrases.push(phrase);
      else {
        const found = token.match(WORD) ?? [];
        // Signs alone make no word, and are looked for as they stand.
        if (found.length === 0) phrases.push(token);
        for (const word of found) (isUnspaced(word) ? phrases : words).push(word);
      }
    }
  }
  return { words, phrases };
}

const escapedPattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** Formulas are markup as a whole: within them no other element may stand. */
const TEXT_OR_MARKUP = /<math[\s>][\s\S]*?<\/math>|<(?:"[^"]*"|'[^']*'|[^'">])*>|[^<]+/g;

const visibleText = (html: string) =>
  html.replace(TEXT_OR_MARKUP, (piece) => (piece.startsWith('<') ? ' ' : decoded(piece).text));

interface Span {
  readonly start: number;
  readonly end: number;
}

const ENTITY = /&(?:amp|lt|gt|quot|#39|nbsp);/g;
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&nbsp;', ' '],
]);

interface Decoded {
  readonly text: string;
  /** Where a character of the text stands in the piece; asked for in order. */
  readonly offset: (index: number) => number;
}

function decoded(piece: string): Decoded {
  if (!piece.includes('&')) return { text: piece, offset: (index) => index };
  const shifts: { at: number; by: number }[] = [];
  let by = 0;
  const text = piece.replace(ENTITY, (entity, index: number) => {
    by += entity.length - 1;
    shifts.push({ at: index - by + entity.length, by });
    return ENTITIES.get(entity) ?? ' ';
  });
  let passed = 0;
  const offset = (index: number) => {
    while ((shifts[passed]?.at ?? Number.POSITIVE_INFINITY) <= index) passed += 1;
    return index + (shifts[passed - 1]?.by ?? 0);
  };
  return { text, offset };
}

function marked(piece: string, found: (text: string) => Span[]): string {
  const { text, offset } = decoded(piece);
  const spans = found(text);
  if (spans.length === 0) return piece;
  let html = '';
  let end = 0;
  for (const span of merged(spans)) {
    const start = offset(span.start);
    const last = offset(span.end);
    html += `${piece.slice(end, start)}<span class="highlight">${piece.slice(start, last)}</span>`;
    end = last;
  }
  return html + piece.slice(end);
}

/** In order, without overlaps. */
function merged(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.start - other.start)) {
    const last = result.at(-1);
    if (last === undefined || span.start >= last.end) result.push(span);
    else if (span.end > last.end) result[result.length - 1] = { start: last.start, end: span.end };
  }
  return result;
}

/** Texts repeat their words, and a search looks at many texts. */
function remembered(of: (word: string) => string): (word: string) => string {
  const known = new Map<string, string>();
  return (word) => {
    const found = known.get(word);
    if (found !== undefined) return found;
    if (known.size >= WORDS_REMEMBERED_MAX) known.clear();
    const made = of(word);
    known.set(word, made);
    return made;
  };
}

const WORDS_REMEMBERED_MAX = 10_000;
