import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  eachTerm,
  type PlacedTest,
  phraseTests,
  type TermTest,
} from '../../../../src/domain/rules/search/search-terms.ts';
import { eachTermOf, textSearch } from '../../../../src/domain/rules/search/text-search.ts';
import { NO_NAMES } from '../../../../src/markdown/directory.ts';
import { renderMarkdown } from '../../../../src/markdown/markdown.ts';
import { runs } from '../../../support/runs.ts';

const RUNS = runs({ few: 600, all: 3000 });

const terms = (text: string) => {
  const found: string[] = [];
  eachTerm(text, (term) => found.push(term));
  return found;
};

test('a text has a term for each word, run of signs and pair of characters without spaces', () => {
  expect(terms('Go, Café: go!')).toEqual(['go', ',', 'cafe', ':', 'go', '!']);
  expect(terms('日本語x 漢 (-:')).toEqual(['日本', '本語', '語', 'x', '漢', '(-:']);
  expect(terms('𠮷𠮷')).toEqual(['𠮷𠮷', '𠮷']);
  expect(terms(' \n')).toEqual([]);
});

test('an index holds words and no stems, so one that was made with another stemmer leads to the same', () => {
  expect(terms('Operators were searching, queues studied')).toEqual([
    'operators',
    'were',
    'searching',
    ',',
    'queues',
    'studied',
  ]);
  const [[operate] = []] = textSearch(['operate']).termTests;
  const passes = (term: string) =>
    operate !== undefined && term.startsWith(operate.test.prefix) && operate.test.passes(term);
  expect(['operators', 'operation', 'operated', 'opera', 'open'].map(passes)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

test('a run of more than 64 characters is indexed in pieces that overlap', () => {
  const run = (length: number) =>
    Array.from({ length }, (_, at) => (at % 36).toString(36)).join('');
  expect(terms(run(64))).toEqual([run(64)]);
  expect(terms(run(65))).toEqual([run(64), run(65).slice(32)]);
  expect(terms(run(97))).toEqual([run(64), run(96).slice(32), run(97).slice(64)]);
});

test('a phrase asks for whole words within, and for ends of words at its ends', () => {
  const shown = ({ test: { prefix, isExact, infix }, at }: PlacedTest) =>
    `${at} ${isExact ? prefix : infix === '' ? `${prefix}…` : `…${infix.trimEnd()}`}`;
  expect(phraseTests('ploy it to').map(shown)).toEqual(['0 …ploy', '1 it', '2 to…']);
  expect(phraseTests(' it ').map(shown)).toEqual(['0 it']);
  expect(phraseTests('it').map(shown)).toEqual(['0 …it']);
  expect(phraseTests('x日本語y').map(shown)).toEqual(['0 …x', '1 日本', '2 本語', '4 y…']);
  expect(phraseTests('日').map(shown)).toEqual(['0 日…']);
  expect(phraseTests(' ')).toEqual([]);
});

/** Letters of few kinds, so that what is searched for is often there. */
const word = fc.oneof(
  fc.stringMatching(/^[abstopy]{1,5}(?:s|es|ies|ed|ing|ee|y)?$/),
  fc.constantFrom('stop', 'stopped', 'stopping', 'Café', 'CAFE', 'axes', '½', 'ﬁt', 'ΣΣ', 'x2'),
  fc.constantFrom(
    '日本語',
    '本',
    '日本x',
    'ภาษา',
    '한국어',
    '𠮷野',
    '😀',
    ':)',
    '->',
    '&<',
    '*a*',
    '_b_',
  ),
  fc.constantFrom('ab', 'xyz', '😀:').map((part) => part.repeat(60)),
);
const text = fc
  .array(fc.tuple(word, fc.constantFrom(' ', ' ', ' ', '', ', ', '\n', '**')), { maxLength: 8 })
  .map((parts) => parts.flat().join(''));

/** Words, a beginning with a star, and a piece of the text in quotes. */
const query = (content: string) =>
  fc
    .array(
      fc.oneof(
        word,
        word.map((found) => `${found.slice(0, 2)}*`),
        fc
          .tuple(fc.nat(content.length), fc.nat(70))
          .map(([start, length]) => `"${content.slice(start, start + length)}"`),
        fc.nat(content.length).map((start) => content.slice(start).split(' ')[0] ?? ''),
      ),
      { minLength: 1, maxLength: 3 },
    )
    // The parser of requests refuses half a character.
    .map((parts) => parts.join(' ').replace(/\p{Surrogate}/gu, ''));

test('whatever matches has a term for every test of the search', () => {
  let matched = 0;
  fc.assert(
    fc.property(
      text.chain((content) => fc.tuple(fc.constant(content), text, query(content))),
      ([content, topic, words]) => {
        const row = { content, topic, renderedContent: renderMarkdown(content, NO_NAMES).html };
        const search = textSearch([words]);
        if (!search.matches(row)) return;
        matched += 1;
        const all: { term: string; run: number }[] = [];
        eachTermOf(row, (term, run) => all.push({ term, run }));
        const placesOf = ({ prefix, isExact, infix, passes }: TermTest) =>
          all
            .filter(({ term }) => (isExact ? term === prefix : term.startsWith(prefix)))
            .filter(({ term }) => passes(term) && `${term}\n`.includes(infix))
            .map(({ run }) => run);
        for (const group of search.termTests) {
          for (const { test } of group) expect(placesOf(test)).not.toEqual([]);
          if (group.length === 1) continue;
          const starts = group.map(({ test, at }) => placesOf(test).map((run) => run - at));
          const [first = [], ...others] = starts;
          expect(first.filter((run) => others.every((runs) => runs.includes(run)))).not.toEqual([]);
        }
      },
    ),
    { numRuns: RUNS },
  );
  expect(matched).toBeGreaterThan(RUNS / 6);
});
