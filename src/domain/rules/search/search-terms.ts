/**
 * What an index of texts is made of. A text has a term for each word, for each run of signs, and for each two characters
 * that follow one another in scripts without spaces; a search knows tests of terms that every text passes that has what
 * is searched for. So the index leaves few texts to look at, and never one too few.
 */
import { beginningOf, eachRun, folded, Kind, runsOf, stemOf } from './words.ts';

/** Terms that tell of a text; a text where each test is passed by some term may match. */
export interface TermTest {
  /** What the terms begin with. */
  readonly prefix: string;
  /** Only the term that is the prefix. */
  readonly isExact: boolean;
  /** What else the terms have in them, each of them followed by a line break. */
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

/** Where in its text a term is: the number of its run, counting each character of scripts without spaces. */
export type VisitTerm = (term: string, run: number) => void;

/** Calls for each term of a text, as often as it is there, the first run having the number `from`. Returns the next one. */
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

/** The last character is a term by itself. */
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

/** Without the halves of characters at its ends: a term is stored as UTF-8, which has none. */
const whole = (piece: string) => piece.replace(/\p{Surrogate}/gu, '');

/** What no term has in it. */
const TERM_END = '\n';

const always = () => true;

export function wordTest(stem: string): TermTest {
  // What is a stem of itself alone, or so long that it is indexed in pieces.
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
  const wanted = whole(ending.slice(-HALF));
  return {
    prefix: '',
    isExact: false,
    infix: `${wanted}${TERM_END}`,
    passes: (term) => term.endsWith(wanted),
  };
}

function infixTest(part: string): TermTest {
  const wanted = whole(part.slice(0, HALF));
  return { prefix: '', isExact: false, infix: wanted, passes: (term) => term.includes(wanted) };
}

/** A test of a phrase, and how many runs after its first one. */
export interface PlacedTest {
  readonly test: TermTest;
  readonly at: number;
}

/** Of a folded phrase, which may begin and end within a word. */
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

/** What a text has to have together: the tests of one phrase, or of one word. The best ones come first. */
export type TestGroup = readonly PlacedTest[];

/** What leaves the fewest texts first, as far as can be told from tests alone; no more than is worth a look. */
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
