/**
 * Terms index texts. A text has a term for each word, for each run of signs, and for each two
 * adjacent characters in scripts without spaces. A search is turned into tests of terms that every
 * matching text passes, so the index leaves few texts to read, and never misses one.
 */
import { beginningOf, eachRun, folded, Kind, runsOf, stemOf } from './words.ts';

/**
 * A test of terms. A text can match only if each test of the search is passed by one of its terms.
 */
export interface TermTest {
  /** The beginning of every term that passes. */
  readonly prefix: string;
  /** True if only the term that equals the prefix passes. */
  readonly isExact: boolean;
  /** Characters that every passing term contains besides, each followed by a line break. */
  readonly infix: string;
  /** Tests a term that has this prefix. */
  passes(term: string): boolean;
}

/**
 * Longer runs are indexed in pieces of this length, each beginning in the middle of the one before;
 * so a word that is at most half as long is whole in one of them. No language has longer words.
 */
const TERM_LENGTH_MAX = 64;
const HALF = TERM_LENGTH_MAX / 2;

/**
 * `run` is the number of the term's run in its text; each character of scripts without spaces
 * counts as one.
 */
export type VisitTerm = (term: string, run: number) => void;

/**
 * Calls `visit` for each occurrence of a term in a text, numbering the first run `from`. Returns
 * the next number.
 */
export function eachTerm(text: string, visit: VisitTerm, from = 0): number {
  const plain = folded(text);
  let run = from;
  eachRun(plain, (kind, start, end) => {
    if (kind === Kind.unspaced) run = eachPair(plain.slice(start, end), visit, run);
    else {
      if (end - start <= TERM_LENGTH_MAX) visit(plain.slice(start, end), run);
      else eachPiece(plain.slice(start, end), visit, run);
      run += 1;
    }
  });
  return run;
}

/** Makes a term of each character and the next one; the last character is a term by itself. */
function eachPair(text: string, visit: VisitTerm, run: number): number {
  const characters = [...text];
  for (const [index, character] of characters.entries()) {
    visit(`${character}${characters[index + 1] ?? ''}`, run + index);
  }
  return run + characters.length;
}

function eachPiece(text: string, visit: VisitTerm, run: number) {
  for (let start = 0; ; start += HALF) {
    visit(whole(text.slice(start, start + TERM_LENGTH_MAX)), run);
    if (start + TERM_LENGTH_MAX >= text.length) return;
  }
}

/** Removes halves of surrogate pairs at the ends: a term is stored as UTF-8, which has none. */
const whole = (piece: string) => piece.replace(/\p{Surrogate}/gu, '');

/** A character that no term contains. */
const TERM_END = '\n';

const always = () => true;

export function wordTest(stem: string): TermTest {
  // Such a stem has no other forms, or is so long that it is indexed in pieces.
  if (!/^[a-z]{2,}$/.test(stem) || stem.length > TERM_LENGTH_MAX) return exactTest(stem);
  return {
    prefix: beginningOf(stem),
    isExact: false,
    infix: '',
    passes: (term) => stemOf(term) === stem,
  };
}

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
  const needle = whole(ending.slice(-HALF));
  return {
    prefix: '',
    isExact: false,
    infix: `${needle}${TERM_END}`,
    passes: (term) => term.endsWith(needle),
  };
}

function infixTest(part: string): TermTest {
  const needle = whole(part.slice(0, HALF));
  return { prefix: '', isExact: false, infix: needle, passes: (term) => term.includes(needle) };
}

/** A test of a phrase, and its distance in runs from the first one. */
export interface PlacedTest {
  readonly test: TermTest;
  readonly at: number;
}

/** Returns the tests of a folded phrase, which may begin and end within a word. */
export function phraseTests(phrase: string): PlacedTest[] {
  const tests: PlacedTest[] = [];
  let at = 0;
  for (const { kind, start, end } of runsOf(phrase)) {
    const text = phrase.slice(start, end);
    if (kind === Kind.unspaced) {
      const characters = [...text];
      tests.push(...pairTests(characters).map((test, index) => ({ test, at: at + index })));
      at += characters.length;
    } else {
      const test = runTest(text, { isWholeBefore: start > 0, isWholeAfter: end < phrase.length });
      tests.push({ test, at });
      at += 1;
    }
  }
  return tests;
}

function runTest(
  run: string,
  { isWholeBefore, isWholeAfter }: { isWholeBefore: boolean; isWholeAfter: boolean },
): TermTest {
  if (isWholeBefore) return isWholeAfter ? exactTest(run) : prefixTest(run);
  return isWholeAfter ? endTest(run) : infixTest(run);
}

function pairTests(characters: readonly string[]): TermTest[] {
  const [only] = characters;
  if (characters.length === 1 && only !== undefined) return [prefixTest(only)];
  return characters
    .slice(1)
    .map((character, index) => exactTest(`${characters[index]}${character}`));
}

/**
 * The tests that a text must pass together: those of one phrase, or of one word, the most selective
 * first.
 */
export type TestGroup = readonly PlacedTest[];

/**
 * Orders the groups, most selective first as far as tests alone can tell, and drops those not worth
 * a read.
 */
export const bestGroups = (groups: readonly TestGroup[]): TestGroup[] =>
  groups
    .filter((group) => group.length > 0)
    .map((group) => group.toSorted((one, other) => merit(other.test) - merit(one.test)))
    .map((group) => group.slice(0, TESTS_MAX))
    .sort((one, other) => bestMerit(other) - bestMerit(one))
    .slice(0, GROUPS_MAX);

const merit = ({ isExact, prefix, infix }: TermTest) =>
  (isExact ? 2 : prefix === '' ? 0 : 1) * TERM_LENGTH_MAX * 2 + prefix.length + infix.length;

const bestMerit = ([first]: TestGroup) => (first === undefined ? 0 : merit(first.test));

/** A search of many words is narrow after a few; what it finds is looked at as a whole anyway. */
const TESTS_MAX = 8;
const GROUPS_MAX = 8;
