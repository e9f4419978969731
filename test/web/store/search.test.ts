import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Directory,
  parseSearch,
  printSearch,
  SEARCH_LENGTH_MAX,
  suggestionsFor,
} from '../../../web/app/store/search.ts';

const DIRECTORY: Directory = {
  ownId: 4,
  channels: [
    { id: 1, name: 'general' },
    { id: 2, name: 'team lunch' },
  ],
  people: [
    { id: 4, name: 'Mel Member' },
    { id: 9, name: 'Ada Owner' },
  ],
  topicsOf: (channelId) => (channelId === 2 ? ['soup of the day', 'tea'] : []),
};

const term = (operator: string, operand: unknown, negated = false) => ({
  operator,
  operand,
  negated,
});

test.each([
  ['', []],
  ['tea  at noon', [term('search', 'tea at noon')]],
  ['channel:general', [term('channel', 1)]],
  ['channel:#General', [term('channel', 1)]],
  [
    'stream:"Team Lunch" topic:"soup of the day"',
    [term('channel', 2), term('topic', 'soup of the day')],
  ],
  ['sender:me has:link', [term('sender', 4), term('has', 'link')]],
  ['from:"ada owner" -is:read-later', [term('sender', 9)]],
  ['-has:image soup', [term('has', 'image', true), term('search', 'soup')]],
  ['dm:"Mel Member, Ada Owner"', [term('dm', [4, 9])]],
  ['https://example.com/a -5', [term('search', 'https://example.com/a -5')]],
  ['"in quotes"', [term('search', 'in quotes')]],
  ['topic:""', [term('topic', '')]],
  ['topic:"not closed', [term('topic', 'not closed')]],
])('%s is read', (text, narrow) => {
  expect(parseSearch(text, DIRECTORY).narrow).toEqual(narrow);
});

test('a message to begin at is no term', () => {
  expect(parseSearch('channel:general near:15', DIRECTORY)).toEqual({
    narrow: [term('channel', 1)],
    near: 15,
    problems: [],
  });
});

test.each([
  ['channel:attic', 'No channel is called “attic”.'],
  ['sender:Bob', 'Nobody is called “Bob”.'],
  ['dm:"Ada Owner, Bob"', 'Nobody is called “Bob”.'],
  ['has:wings', '“wings” is not one of link, image, attachment, reaction.'],
  ['near:here', '“here” is not the number of a message.'],
  ['channel:', 'No channel is called “”.'],
])('%s is not understood, and says why', (text, problem) => {
  expect(parseSearch(text, DIRECTORY)).toEqual({ narrow: [], near: null, problems: [problem] });
});

test('a narrow is printed as the text that is read as it', () => {
  const text = 'channel:"team lunch" topic:"soup of the day" -sender:"Ada Owner" is:starred tea';
  const { narrow, near } = parseSearch(`${text} near:7`, DIRECTORY);
  expect(printSearch(narrow, near, DIRECTORY)).toBe(`${text} near:7`);
});

test('whatever is written is read, within the length that the server takes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 3_000 }), (text) => {
      const { narrow } = parseSearch(text, DIRECTORY);
      const words = narrow.find(({ operator }) => operator === 'search');
      expect(String(words?.operand ?? '').length).toBeLessThanOrEqual(SEARCH_LENGTH_MAX);
    }),
  );
});

const textsOf = (text: string) => suggestionsFor(text, DIRECTORY).map((one) => one.text);

test.each([
  ['', ['channel:', 'topic:', 'sender:', 'is:', 'has:', 'near:', 'dm:']],
  ['ch', ['channel:']],
  ['-ha', ['-has:']],
  ['channel:', ['channel:general ', 'channel:"team lunch" ']],
  ['tea channel:lun', ['tea channel:"team lunch" ']],
  ['channel:"team lunch" topic:so', ['channel:"team lunch" topic:"soup of the day" ']],
  ['channel:"team lunch" topic:"soup of', ['channel:"team lunch" topic:"soup of the day" ']],
  ['topic:so', []],
  ['sender:own', ['sender:"Ada Owner" ']],
  ['is:st', ['is:starred ']],
  ['gen', ['channel:general ']],
  ['ada', ['sender:"Ada Owner" ']],
  ['near:1', []],
])('%s is completed', (text, expected) => {
  expect(textsOf(text)).toEqual(expected);
});
