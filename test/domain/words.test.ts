import fc from 'fast-check';
import { expect, test } from 'vitest';
import { folded, stemOf } from '../../src/domain/words.ts';

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
])('%s has the stem of its other forms', (word, ...others) => {
  expect(others.map(stemOf)).toEqual(others.map(() => stemOf(word)));
});

test.each([
  ['thing', 'th'],
  ['red', 'r'],
  ['this', 'thi'],
  ['news', 'ne'],
  ['bus', 'bu'],
  ['sing', 's'],
  ['need', 'ne'],
])('%s is no form of %s', (word, other) => {
  expect(stemOf(word)).not.toBe(stemOf(other));
});

test('what is no English word is its own stem, however long', () => {
  expect(stemOf('Schlösser')).toBe('schlosser');
  expect(stemOf('2023s')).toBe('2023s');
  expect(stemOf('книги')).toBe('книги');
  expect(stemOf('a'.repeat(100_000))).toHaveLength(100_000);
});

test('but for its last letter a stem is the beginning of its word', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{1,12}(?:s|es|ies|ed|ing|ee|y)?$/), (word) => {
      const stem = stemOf(word);
      expect(folded(word).startsWith(stem.length > 1 ? stem.slice(0, -1) : stem)).toBe(true);
    }),
  );
});
