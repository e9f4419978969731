import { expect, test } from 'vitest';
import { alertWordFinder } from '../../../../src/domain/rules/texts/alert-words.ts';

const find = (words: Readonly<Record<number, readonly string[]>>, html: string) => {
  const owned = Object.entries(words).map(([userId, list]) => ({
    userId: Number(userId),
    words: list,
  }));
  return [...alertWordFinder(owned)(html)].sort((one, other) => one - other);
};

test.each([
  { html: '<p>the soup is hot</p>', found: true },
  { html: '<p>SOUP</p>', found: true },
  { html: '<p>(soup), please</p>', found: true },
  { html: '<p>a <strong>soup</strong>!</p>', found: true },
  { html: '<p>no</p>\n<p>soup</p>\n<p>here</p>', found: true },
  { html: '<p>soupy</p>', found: false },
  { html: '<p>pea_soup</p>', found: false },
  { html: '<p>potsoup</p>', found: false },
  { html: '<p>sou<em>py</em></p>', found: false },
  { html: '<p><a href="/soup">menu</a></p>', found: false },
  { html: '', found: false },
])('a word is found whole, whatever its case, in what is read: $html', ({ html, found }) => {
  expect(find({ 1: ['Soup'] }, html)).toEqual(found ? [1] : []);
});

test.each([
  { word: 'hot soup', html: '<p>very hot\n soup</p>', found: true },
  { word: 'hot soup', html: '<p>hot, soup</p>', found: false },
  { word: 'hot soup', html: '<p>hot</p>', found: false },
  { word: 'c++', html: '<p>we write c++ here</p>', found: true },
  { word: 'c++', html: '<p>c + +</p>', found: false },
  { word: '.net', html: '<p>the .NET people</p>', found: true },
  { word: 'a<b', html: '<p>if a&lt;b then</p>', found: true },
  { word: 'R&D', html: '<p>r&amp;d</p>', found: true },
  { word: 'über', html: '<p>ÜBER alles</p>', found: true },
  { word: '🐙', html: '<p>an 🐙!</p>', found: true },
])('phrases and other signs are words as well: $word in $html', ({ word, html, found }) => {
  expect(find({ 1: [word] }, html)).toEqual(found ? [1] : []);
});

test('each user is told of their own words, and of one that begins like another', () => {
  const words = { 1: ['soup', 'tea'], 2: ['soup of the day'], 3: ['soup'], 4: ['day'], 5: [] };
  expect(find(words, '<p>the soup of the evening</p>')).toEqual([1, 3]);
  expect(find(words, '<p>the soup of the day</p>')).toEqual([1, 2, 3, 4]);
  expect(find({}, '<p>soup</p>')).toEqual([]);
});

test('thousands of words that all begin alike, none of them said', () => {
  const words = Array.from({ length: 5_000 }, (_, index) => `a a a a a a a a ${index}`);
  const finder = alertWordFinder([{ userId: 1, words }]);
  const html = `<p>${'a '.repeat(5_000)}</p>`;
  expect(finder(html).size).toBe(0);
});
