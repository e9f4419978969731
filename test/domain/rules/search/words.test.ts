import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  beginningOf,
  folded,
  foldedInPlace,
  Kind,
  runsOf,
  stemOf,
} from '../../../../src/domain/rules/search/words.ts';

const stem = (word: string) => stemOf(folded(word));

test.each([
  ['Stop', 'stopped', 'stopping', 'stops'],
  ['create', 'created', 'creating', 'creates'],
  ['study', 'studies', 'studied', 'studying'],
  ['message', 'messages', 'messaging', 'messaged'],
  ['class', 'classes'],
  ['match', 'matches', 'matched', 'matching'],
  ['call', 'calling', 'called', 'calls'],
  ['agree', 'agreed', 'agrees'],
  ['café', 'CAFE', 'cafes', 'Cafés'],
  ['operate', 'operator', 'operators', 'operation', 'operating'],
  ['direct', 'directly', 'direction', 'directions'],
  ['visible', 'visibility'],
  ['depend', 'dependent', 'dependency', 'dependencies'],
  ['pdf', 'PDFs'],
  ['http', 'https'],
])('%s has the stem of its other forms', (word, ...others) => {
  expect(others.map(stem)).toEqual(others.map(() => stem(word)));
});

test.each([
  ['thing', 'th'],
  ['red', 'r'],
  ['this', 'thi'],
  ['news', 'ne'],
  ['bus', 'bu'],
  ['sing', 's'],
  ['need', 'ne'],
  ['notes', 'not'],
  ['coming', 'com'],
  ['pinned', 'pine'],
  ['news', 'new'],
])('%s is no form of %s', (word, other) => {
  expect(stemOf(word)).not.toBe(stemOf(other));
});

test('what is no English word is its own stem, however long', () => {
  expect(stem('Schlösser')).toBe('schlosser');
  expect(stemOf('2023s')).toBe('2023s');
  expect(stemOf('книги')).toBe('книги');
  expect(stemOf('a'.repeat(100_000))).toHaveLength(100_000);
});

test.each(['dying', 'lying', 'tying'])(
  'a word that begins otherwise than its stem has none: %s',
  (word) => {
    expect(stemOf(word)).toBe(word);
  },
);

test('letters in any order take no time worth mentioning, up to the length at which they are no word', () => {
  const letters = ['y', 'e', 'ing', 'ization', 'aeiouy', 'ational', 'bb', 'ies', 'ed'];
  const words = letters.flatMap((one) =>
    letters.map((other) => `${one.repeat(20)}${other.repeat(20)}`.slice(-40)),
  );
  const start = performance.now();
  for (let turn = 0; turn < 20; turn++)
    for (const word of words) stemOf(`${word.slice(2)}${'ab'[turn % 2]}x`);
  expect(performance.now() - start).toBeLessThan(5_000);
});

test('every word begins as is told by its stem', () => {
  const ending =
    's|es|ies|ed|ing|ee|y|ly|ability|ation|izer|iveness|ousness|fully|ncy|logy|ies|ied';
  fc.assert(
    fc.property(fc.stringMatching(new RegExp(`^[a-z]{1,12}(?:${ending})?$`)), (word) => {
      expect(word.startsWith(beginningOf(stemOf(word)))).toBe(true);
    }),
    { numRuns: 5000 },
  );
});

test('a text is folded in place as it is without, and each part leads back to where it is from', () => {
  const character = fc.oneof(
    fc.constantFrom(...'aéÉﬁßΣς½…日が漢한\u0301\u0e33 .'),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(fc.array(character, { maxLength: 12 }), (characters) => {
      const text = characters.join('');
      const { text: plain, place } = foldedInPlace(text);
      expect(plain).toBe(folded(text));
      if (plain !== '') expect(place(0, plain.length).end).toBe(text.length);
      for (let start = 0; start < plain.length; start++) {
        const found = place(start, start + 1);
        expect(folded(text.slice(found.start, found.end))).toContain(plain[start]);
      }
    }),
    { numRuns: 2000 },
  );
});

test('a text is runs of words, of scripts without spaces, and of signs', () => {
  const runs = (text: string) =>
    runsOf(text).map(({ kind, start, end }) => [kind, text.slice(start, end)]);
  expect(runs('go to 日本x2, :)')).toEqual([
    [Kind.word, 'go'],
    [Kind.word, 'to'],
    [Kind.unspaced, '日本'],
    [Kind.word, 'x2'],
    [Kind.sign, ','],
    [Kind.sign, ':)'],
  ]);
  expect(runs('𠮷😀')).toEqual([
    [Kind.unspaced, '𠮷'],
    [Kind.sign, '😀'],
  ]);
  expect(runs(' \u00a0\n')).toEqual([]);
});
