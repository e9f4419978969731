/**
 * What an index of texts is made of. A text has a term for each word, for each run of signs, and for each two characters
 * that follow one another in scripts without spaces; a search knows tests of terms that every text passes that has what
 * is searched for. So the index leaves few texts to look at, and never one too few.
 */
import { beginningOf, eachRun, folded, Kind, type Run, runsOf, stemOf } from './words.ts';

/** Terms that tell of a text; a text where each test is passed by some term may match. */
export interface TermTest {
  /** What the terms begin with. */
  readonly prefix: string;
  /** Only the term that is the prefix. */
  readonly isExact: boolean;
  /** What else the terms have in them. */
  readonly infix: string;
  /** Whether a term with this prefix is one of them. */
  passes(term: string): boolean;
}

/**
 * Longer runs are indexed in pieces of this length, each beginning in the middle of the one before; so what is at most half
 * as long is whole in one of them. No language has longer words.
 */
const TERM_LENGTH_MAX = 64;
const HALF = TERM_LENGTH_MAX / 2;

/** Calls for each term of a text, as often as it is there. */
export function eachTerm(text: string, visit: (term: string) => void) {
  const plain = folded(text);
  eachRun(plain, (kind, start, end) => {
    if (kind === Kind.unspaced) eachPair(plain.slice(start, end), visit);
    else if (end - start <= TERM_LENGTH_MAX) visit(plain.slice(start, end));
    else eachPiece(plain.slice(start, end), visit);
  });
}

/** The last character is a term by itself. */
function eachPair(run: string, visit: (term: string) => void) {
  const characters = [...run];
  for (let at = 0; at < characters.length; at++) {
    visit(`${characters[at]}${characters[at + 1] ?? ''}`);
  }
}

function eachPiece(run: string, visit: (term: string) => void) {
  for (let start = 0; ; start += HALF) {
    visit(whole(run.slice(start, start + TERM_LENGTH_MAX)));
    if (start + TERM_LENGTH_MAX >= run.length) return;
  }
}

/** Without the halves of characters at its ends: a term is stored as UTF-8, which has none. */
const whole = (piece: string) => piece.replace(/\p{Surrogate}/gu, '');

const always = () => true;

export function wordTest(stem: string): TermTest {
  // What is a stem of itself alone, or so long that it is indexed in pieces.
  if (!/^[a-z]{2,}$/.test(stem) || stem.length > TERM_LENGTH_MAX) return exactTest(stem);
  return {
    prefix: beginningOf(stem),
    isExact: false,
    infix: '',
    // No form of a word ends otherwise.
    passes: (term) => term === stem || (FORM_END.test(term) && stemOf(term) === stem),
  };
}

const FORM_END = /[sdgey]$/;

export const prefixTest = (beginning: string): TermTest =>
  beginning.length > TERM_LENGTH_MAX
    ? exactTest(beginning)
    : { prefix: beginning, isExact: false, infix: '', passes: always };

const exactTest = (run: string): TermTest => ({
  prefix: whole(run.slice(0, TERM_LENGTH_MAX)),
  isExact: true,
  infix: '',
  passes: always,
});

function endTest(ending: string): TermTest {
  const wanted = whole(ending.slice(-HALF));
  return { prefix: '', isExact: false, infix: wanted, passes: (term) => term.endsWith(wanted) };
}

function infixTest(part: string): TermTest {
  const wanted = whole(part.slice(0, HALF));
  return { prefix: '', isExact: false, infix: wanted, passes: (term) => term.includes(wanted) };
}

/** Of a folded phrase, which may begin and end within a word. */
export function phraseTests(phrase: string): TermTest[] {
  const runs = runsOf(phrase);
  return runs.flatMap((run) => runTests(phrase, run));
}

function runTests(phrase: string, { kind, start, end }: Run): TermTest[] {
  const run = phrase.slice(start, end);
  if (kind === Kind.unspaced) return pairTests(run);
  const isWholeBefore = start > 0;
  const isWholeAfter = end < phrase.length;
  if (isWholeBefore) return [isWholeAfter ? exactTest(run) : prefixTest(run)];
  return [isWholeAfter ? endTest(run) : infixTest(run)];
}

function pairTests(run: string): TermTest[] {
  const characters = [...run];
  if (characters.length === 1) return [prefixTest(run)];
  return characters
    .slice(1)
    .map((character, index) => exactTest(`${characters[index]}${character}`));
}

/** Those that leave the fewest texts first, as far as can be told from a test alone; no more than are worth a look. */
export const bestTests = (tests: readonly TermTest[]): TermTest[] =>
  tests
    .toSorted(
      (one, other) =>
        Number(other.isExact) - Number(one.isExact) || other.prefix.length - one.prefix.length,
    )
    .slice(0, TESTS_MAX);

/** A search of many words is narrow after a few; what it finds is looked at as a whole anyway. */
const TESTS_MAX = 8;
