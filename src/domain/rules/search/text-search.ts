import { SEARCH_MARKED_LENGTH_MAX, SEARCH_MARKS_MAX } from '../../limits/messages.ts';
import { escapeHtml } from '../texts/html.ts';
import {
  bestGroups,
  eachTerm,
  phraseTests,
  prefixTest,
  type TestGroup,
  type VisitTerm,
  wordTest,
} from './search-terms.ts';
import {
  beginningOf,
  eachRun,
  enough,
  folded,
  foldedInPlace,
  Kind,
  runsOf,
  stemOf,
} from './words.ts';

/** The texts of a message that are searched. */
export interface SearchedText {
  /** The Markdown source. */
  readonly content: string;
  readonly renderedContent: string;
  readonly topic: string;
}

/**
 * The operand of `search`: words, all of which are wanted, and phrases in quotes
 * (reference/endpoints.md 2.1).
 */
export interface TextSearch {
  matches(text: SearchedText): boolean;
  /**
   * Returns the HTML with the first matches in `<span class="highlight">`, within the bounds of
   * marking.
   */
  inHtml(html: string): string;
  /** Returns plain text, escaped and marked in the same way. */
  inText(text: string): string;
  /** Tests of terms that matching texts pass; empty if the index cannot help. */
  readonly termTests: readonly TestGroup[];
}

/**
 * Compiles the operands of a search. A word matches by its stem, and a word with a star by its
 * beginning, in what readers see of a message or in its topic; a phrase matches in the source, "as
 * case-insensitive substrings of content or topic". Accents are ignored. An empty search matches
 * everything.
 */
export function textSearch(operands: readonly string[]): TextSearch {
  const { stems, prefixes, phrases } = partsOf(operands);
  const begins = [...[...stems].map(beginningOf), ...prefixes];
  /**
   * Few words begin like one that is looked for, and working out the stems of the others takes
   * longer.
   */
  const isNear = (word: string) => begins.some((begin) => word.startsWith(begin));
  const isWord = (word: string) =>
    isNear(word) && (stems.has(stemOf(word)) || prefixes.some((prefix) => word.startsWith(prefix)));

  function hasWords({ renderedContent, topic }: SearchedText): boolean {
    if (begins.length === 0) return true;
    // Most messages have none of the words, which is seen without taking them apart.
    const all = folded(`${topic}\n${renderedContent}`);
    if (!begins.every((begin) => all.includes(begin))) return false;
    const missing = new Set(stems);
    let missingPrefixes = prefixes;
    const plain = folded(`${topic}\n${visibleText(renderedContent)}`);
    eachRun(plain, (kind, start, end) => {
      if (kind !== Kind.word) return;
      const word = plain.slice(start, end);
      if (isNear(word)) missing.delete(stemOf(word));
      if (missingPrefixes.length > 0) {
        missingPrefixes = missingPrefixes.filter((prefix) => !word.startsWith(prefix));
      }
    });
    return missing.size === 0 && missingPrefixes.length === 0;
  }

  function hasPhrases({ content, topic }: SearchedText) {
    if (phrases.length === 0) return true;
    const texts = [folded(content), folded(topic)];
    return phrases.every((phrase) => texts.some((text) => text.includes(phrase)));
  }

  /** Returns the first matches, at most this many. */
  function found(text: string, countMax: number): Span[] {
    const plain = foldedInPlace(text);
    const spans: Span[] = [];
    const phrasesMax = countMax * Math.max(phrases.length, 1);
    for (const phrase of phrases) {
      for (let at = plain.text.indexOf(phrase); at >= 0; ) {
        spans.push(plain.place(at, at + phrase.length));
        if (spans.length >= phrasesMax) break;
        at = plain.text.indexOf(phrase, at + phrase.length);
      }
    }
    if (begins.length === 0) return spans;
    let words = 0;
    eachRun(plain.text, (kind, start, end) => {
      if (kind !== Kind.word || !isWord(plain.text.slice(start, end))) return undefined;
      spans.push(plain.place(start, end));
      words += 1;
      return words >= countMax ? enough : undefined;
    });
    return spans;
  }

  /** Text beyond the bounds stays unmarked. */
  function inHtml(html: string): string {
    let left = SEARCH_MARKS_MAX;
    return html.replace(TEXT_OR_MARKUP, (piece, at: number) => {
      if (left <= 0 || at > SEARCH_MARKED_LENGTH_MAX || piece.startsWith('<')) return piece;
      const { text, offset } = decoded(piece);
      const spans = merged(found(text, left)).slice(0, left);
      left -= spans.length;
      return marked(piece, spans, offset);
    });
  }

  return {
    matches: (text) => hasPhrases(text) && hasWords(text),
    inHtml,
    inText: (text) => inHtml(escapeHtml(text)),
    termTests: bestGroups([
      ...[...stems].map((stem) => [{ test: wordTest(stem), at: 0 }]),
      ...prefixes.map((prefix) => [{ test: prefixTest(prefix), at: 0 }]),
      ...phrases.map(phraseTests),
    ]),
  };
}

/** The run of a term in rendered text, which phrases are not searched in. */
const NOWHERE = -1;

/** Calls `visit` for each occurrence of a term by which `termTests` find a text. */
export function eachTermOf({ content, renderedContent, topic }: SearchedText, visit: VisitTerm) {
  // One run number between the two stays unused, so that no phrase spans both.
  eachTerm(content, visit, eachTerm(topic, visit) + 1);
  // Most messages render as one paragraph of their source.
  if (renderedContent === `<p>${content}</p>`) return;
  eachTerm(visibleText(renderedContent), (term) => visit(term, NOWHERE));
}

interface Parts {
  readonly stems: ReadonlySet<string>;
  readonly prefixes: readonly string[];
  readonly phrases: readonly string[];
}

/** Returns all parts folded, each once. */
function partsOf(operands: readonly string[]): Parts {
  const stems = new Set<string>();
  const prefixes = new Set<string>();
  const phrases = new Set<string>();
  for (const operand of operands) {
    for (const [token, phrase] of folded(operand).matchAll(/"([^"]+)"|[^\s"]+/g)) {
      if (phrase !== undefined) {
        phrases.add(phrase);
        continue;
      }
      const runs = runsOf(token).filter(({ kind }) => kind !== Kind.sign);
      // A token of signs only has no words, so it is searched for as a phrase.
      if (runs.length === 0) phrases.add(token);
      for (const { kind, start, end } of runs) {
        const word = token.slice(start, end);
        if (kind === Kind.unspaced) phrases.add(word);
        else if (token[end] === '*') prefixes.add(word);
        else stems.add(stemOf(word));
      }
    }
  }
  return { stems, prefixes: [...prefixes], phrases: [...phrases] };
}

/** Formulas are markup as a whole: within them no other element may stand. */
const TEXT_OR_MARKUP =
  /<math[\s>][^<]*(?:<(?!\/?math)[^<]*)*<\/math>|<(?:"[^"]*"|'[^']*'|[^'"<>])*>|[^<]+/g;

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
  /** Returns the offset in the piece of a character of the text. Callers ask in ascending order. */
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

function marked(piece: string, spans: readonly Span[], offset: Decoded['offset']): string {
  if (spans.length === 0) return piece;
  let html = '';
  let end = 0;
  for (const span of spans) {
    const start = offset(span.start);
    const last = offset(span.end);
    html += `${piece.slice(end, start)}<span class="highlight">${piece.slice(start, last)}</span>`;
    end = last;
  }
  return html + piece.slice(end);
}

/** Returns the spans in order, without overlaps. */
function merged(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.start - other.start)) {
    const last = result.at(-1);
    if (last === undefined || span.start >= last.end) result.push(span);
    else if (span.end > last.end) result[result.length - 1] = { start: last.start, end: span.end };
  }
  return result;
}
