import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TOPIC_LENGTH_MAX } from '../../../../src/domain/limits/channels.ts';
import { MESSAGE_LENGTH_MAX } from '../../../../src/domain/limits/messages.ts';
import {
  cutTo,
  EMPTY_TOPIC_DISPLAY_NAME,
  isResolvedTopic,
  isTooLong,
  normalizeContent,
  normalizeTopic,
  topicKey,
  truncateTopic,
  unprintableIn,
} from '../../../../src/domain/rules/messages/topic.ts';

test('a text is cut between its characters', () => {
  expect(cutTo('🐙🐙🐙', 2)).toBe('🐙🐙');
  expect(cutTo('a🐙', 2)).toBe('a🐙');
  expect(cutTo('abc', 3)).toBe('abc');
  expect(cutTo('abc', 0)).toBe('');
});

test('topics that differ in case alone have one key', () => {
  expect(topicKey('Über Logo')).toBe(topicKey('ÜBER lOGO'));
  expect(topicKey('logo')).not.toBe(topicKey('logos'));
});

test('the key of a topic within its limit fits a key of the store', () => {
  const topic = fc.string({ unit: 'binary', maxLength: TOPIC_LENGTH_MAX });
  fc.assert(
    fc.property(fc.oneof(topic, fc.constant('İ'.repeat(TOPIC_LENGTH_MAX))), (text) => {
      expect(Buffer.byteLength(topicKey(text))).toBeLessThanOrEqual(6 * TOPIC_LENGTH_MAX);
    }),
  );
});

test.each([
  { why: 'a topic at the bound stays', topic: 'x'.repeat(60), expected: 'x'.repeat(60) },
  { why: 'one past it is cut', topic: 'x'.repeat(61), expected: `${'x'.repeat(57)}...` },
  { why: 'an emoji is one code point', topic: '💬'.repeat(60), expected: '💬'.repeat(60) },
  { why: 'no emoji is cut in half', topic: '💬'.repeat(61), expected: `${'💬'.repeat(57)}...` },
  { why: 'an empty topic stays', topic: '', expected: '' },
])('truncateTopic: $why', ({ topic, expected }) => {
  expect(truncateTopic(topic)).toBe(expected);
});

test.each([
  { why: 'at the bound', count: MESSAGE_LENGTH_MAX, expected: false },
  { why: 'past it', count: MESSAGE_LENGTH_MAX + 1, expected: true },
])('isTooLong counts code points: $why', ({ count, expected }) => {
  expect(isTooLong('💬'.repeat(count))).toBe(expected);
  expect(isTooLong('x'.repeat(count))).toBe(expected);
});

test.each([
  ['\n\n  a\nb \t\n\n', '  a\nb'],
  ['\r\na', 'a'],
  [' \n ', ''],
  ['', ''],
])('normalizeContent makes %j %j', (content, expected) => {
  expect(normalizeContent(content)).toBe(expected);
});

test.each([
  ['logo', false],
  ['✔ über 💬 \u00ad', false],
  ['a\nb', true],
  ['a\0', true],
  ['a\u0085', true],
  ['a\ud800', true],
  ['a\udc00b', true],
  ['a\ufffe', true],
  ['a\ufdd0', true],
  ['a\u{1ffff}', true],
])('something unprintable is in %j: %j', (text, expected) => {
  expect(unprintableIn(text)).toBe(expected);
});

test.each([
  ['(no topic)', ''],
  [` ${EMPTY_TOPIC_DISPLAY_NAME} `, ''],
  ['General Chat', ''],
  ['  ', ''],
  [' Logo ', 'Logo'],
  ['general chatter', 'general chatter'],
])('normalizeTopic makes %j %j', (topic, expected) => {
  expect(normalizeTopic(topic)).toBe(expected);
});

test('a resolved topic starts with the check mark and a space', () => {
  expect(isResolvedTopic('✔ logo')).toBe(true);
  expect(isResolvedTopic('✔logo')).toBe(false);
  expect(isResolvedTopic('logo ✔ ')).toBe(false);
});
