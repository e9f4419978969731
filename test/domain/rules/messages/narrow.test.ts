import { describe, expect, test } from 'vitest';
import {
  compileQueueNarrow,
  NARROW_TERMS_MAX,
  parseNarrow,
  parseQueueNarrow,
  type QueueNarrowMessage,
  SEARCH_TEXT_LENGTH_MAX,
  termsOf,
} from '../../../../src/domain/rules/messages/narrow.ts';

const refusal = (code: string, msg: RegExp) =>
  expect.objectContaining({ status: 400, code, message: expect.stringMatching(msg) });

describe('2.1 a narrow', () => {
  test.each([null, undefined, []])('of %j has no terms', (json) => {
    expect(parseNarrow(json)).toEqual([]);
  });

  test.each([
    [
      { operator: 'channel', operand: 'design' },
      { operator: 'channel', operand: 'design' },
    ],
    [
      { operator: 'stream', operand: 5 },
      { operator: 'channel', operand: 5 },
    ],
    [
      { operator: 'streams', operand: 'public' },
      { operator: 'channels', operand: 'public' },
    ],
    [
      { operator: 'channels', operand: 'web-public' },
      { operator: 'channels', operand: 'web-public' },
    ],
    [
      { operator: 'subject', operand: '' },
      { operator: 'topic', operand: '' },
    ],
    [
      { operator: 'DM', operand: [3, 4, 3] },
      { operator: 'dm', operand: [3, 4] },
    ],
    [
      { operator: 'dm', operand: [] },
      { operator: 'dm', operand: [] },
    ],
    [
      { operator: 'pm-with', operand: 'a@x.org' },
      { operator: 'dm', operand: ['a@x.org'] },
    ],
    [
      { operator: 'pm_with', operand: 'a@x.org, b@x.org' },
      { operator: 'dm', operand: ['a@x.org', 'b@x.org'] },
    ],
    [
      { operator: 'dm-including', operand: 3 },
      { operator: 'dm-including', operand: 3 },
    ],
    [
      { operator: 'sender', operand: 'a@x.org' },
      { operator: 'sender', operand: 'a@x.org' },
    ],
    [
      { operator: 'id', operand: '17' },
      { operator: 'id', operand: 17 },
    ],
    [
      { operator: 'near', operand: 17 },
      { operator: 'near', operand: 17 },
    ],
    [
      { operator: 'with', operand: 0 },
      { operator: 'with', operand: 0 },
    ],
    [
      { operator: 'is', operand: 'private' },
      { operator: 'is', operand: 'dm' },
    ],
    [
      { operator: 'is', operand: 'unread' },
      { operator: 'is', operand: 'unread' },
    ],
    [
      { operator: 'in', operand: 'home' },
      { operator: 'in', operand: 'home' },
    ],
    [
      { operator: 'group-pm-with', operand: 'a@x.org' },
      { operator: 'group-pm-with', operand: 'a@x.org' },
    ],
    [
      { operator: 'channel', operand: -5 },
      { operator: 'channel', operand: -5 },
    ],
    [
      { operator: 'is', operand: 'followed' },
      { operator: 'is', operand: 'followed' },
    ],
    [
      { operator: 'is', operand: 'muted' },
      { operator: 'is', operand: 'muted' },
    ],
    [['has', 'reaction'], { operator: 'has', operand: 'reaction' }],
    [['search', '"a b" c'], { operator: 'search', operand: '"a b" c' }],
    [['stream', 'design'], { operator: 'channel', operand: 'design' }],
    [['id', '17'], { operator: 'id', operand: 17 }],
  ])('takes the term %j', (term, expected) => {
    expect(parseNarrow([term])).toEqual([{ ...expected, negated: false }]);
  });

  test('keeps what is negated, and ignores unknown keys', () => {
    expect(parseNarrow([{ operator: 'is', operand: 'dm', negated: true, hue: 1 }])).toEqual([
      { operator: 'is', operand: 'dm', negated: true },
    ]);
  });

  test.each([
    ['is', /^narrow is not a list$/],
    [{}, /^narrow is not a list$/],
    [['is'], /^narrow\[0\] is not a dict or a pair of strings$/],
    [[['is', 'dm'], ['is']], /^narrow\[1\] is not a pair of strings$/],
    [[['dm', [1]]], /^narrow\[0\] is not a pair of strings$/],
    [[{ operand: 'dm' }], /^narrow\[0\]\.operator is not a string$/],
    [[{ operator: 'is' }], /^narrow\[0\]\.operand is missing$/],
    [[{ operator: 'is', operand: 'dm', negated: 1 }], /^narrow\[0\]\.negated is not a boolean$/],
    [[{ operator: 'is', operand: 1 }], /^narrow\[0\]\.operand is not a string$/],
    [[{ operator: 'topic', operand: 1 }], /^narrow\[0\]\.operand is not a string$/],
    [
      [{ operator: 'channel', operand: [1] }],
      /^narrow\[0\]\.operand is not a string or an integer$/,
    ],
    [
      [{ operator: 'channel', operand: 1.5 }],
      /^narrow\[0\]\.operand is not a string or an integer$/,
    ],
    [
      [{ operator: 'sender', operand: null }],
      /^narrow\[0\]\.operand is not a string or an integer$/,
    ],
    [[{ operator: 'near', operand: 1.5 }], /^narrow\[0\]\.operand is not a string or an integer$/],
    [[{ operator: 'search', operand: 5 }], /^narrow\[0\]\.operand is not a string$/],
    [[{ operator: 'has', operand: [] }], /^narrow\[0\]\.operand is not a string$/],
    [
      [{ operator: 'group-pm-with', operand: [1] }],
      /^narrow\[0\]\.operand is not a string or an integer$/,
    ],
    [
      [{ operator: 'dm', operand: 3 }],
      /^narrow\[0\]\.operand is not a string or a list of integers$/,
    ],
    [
      [{ operator: 'dm', operand: ['a'] }],
      /^narrow\[0\]\.operand is not a string or a list of integers$/,
    ],
  ])('of a wrong shape is a bad request: %j', (json, msg) => {
    expect(() => parseNarrow(json)).toThrow(refusal('BAD_REQUEST', msg));
  });

  test.each([
    [['colour', 'red'], /unknown operator colour/],
    [['constructor', 'red'], /unknown operator constructor/],
    [['has', 'colour'], /unknown operand colour/],
    [['is', 'funny'], /unknown operand funny/],
    [['in', 'office'], /unknown operand office/],
    [['channels', 'private'], /unknown operand private/],
    [['id', 'x'], /invalid message ID/],
    [{ operator: 'near', operand: -1 }, /invalid message ID/],
    [['near', '-1'], /invalid message ID/],
    [['with', '99999999999999999999'], /invalid message ID/],
    [['dm', ''], /unknown user/],
  ])('of unknown words is a bad narrow: %j', (term, msg) => {
    expect(() => parseNarrow([term])).toThrow(refusal('BAD_NARROW', msg));
  });

  test.each([
    ['channel', 'x', 'dm', 'a@x.org'],
    ['topic', 'x', 'dm-including', 'a@x.org'],
    ['channel', 'x', 'is', 'dm'],
    ['pm-with', 'a@x.org', 'streams', 'public'],
  ])('does not mix %s:%s with %s:%s', (operator, operand, otherOperator, otherOperand) => {
    const pairs = [
      [operator, operand],
      [otherOperator, otherOperand],
    ];
    expect(() => parseNarrow(pairs)).toThrow(refusal('BAD_NARROW', /both a channel message/));
  });

  test('may ask for a channel and for no direct messages', () => {
    const term = { operator: 'is', operand: 'dm', negated: true };
    expect(parseNarrow([['channel', 'x'], term])).toHaveLength(2);
  });

  test('has one with term at most', () => {
    const pairs = [
      ['with', '1'],
      ['with', '2'],
    ];
    expect(() => parseNarrow(pairs)).toThrow(refusal('BAD_NARROW', /Duplicate 'with'/));
  });

  test('has a bounded number of terms', () => {
    const pairs = Array(NARROW_TERMS_MAX).fill(['is', 'unread']);
    expect(parseNarrow(pairs)).toHaveLength(NARROW_TERMS_MAX);
    expect(() => parseNarrow([...pairs, ['is', 'unread']])).toThrow(refusal('BAD_REQUEST', /100/));
  });

  test('is read by operator', () => {
    const terms = parseNarrow([
      { operator: 'topic', operand: 'a', negated: true },
      { operator: 'topic', operand: 'b' },
      { operator: 'sender', operand: 3, negated: true },
    ]);
    expect(termsOf(terms, 'topic').map((term) => term.operand)).toEqual(['a', 'b']);
  });

  test('searches for 1000 characters and no more, in all of its terms', () => {
    const operand = 'x'.repeat(SEARCH_TEXT_LENGTH_MAX);
    expect(parseNarrow([['search', operand]])).toMatchObject([{ operand }]);
    const more = { operator: 'search', operand: 'x', negated: true };
    for (const narrow of [[['search', `${operand}x`]], [['search', operand], more]]) {
      expect(() => parseNarrow(narrow)).toThrow(
        refusal('BAD_REQUEST', /^narrow searches for more than 1000 characters$/),
      );
    }
  });
});

const channelMessage: QueueNarrowMessage = {
  type: 'stream',
  channelName: 'Design',
  topic: 'Logo',
  senderEmail: 'Ada@x.org',
  flags: [],
};
const directMessage: QueueNarrowMessage = {
  ...channelMessage,
  type: 'private',
  channelName: '',
  topic: '',
};
const flagged = (...flags: string[]) => ({ ...channelMessage, flags });

describe('3.4 the narrow of a queue', () => {
  const matcherOf = (...pairs: [string, string][]) => {
    const matches = compileQueueNarrow(parseQueueNarrow(pairs));
    return (message: QueueNarrowMessage) => matches?.(message);
  };

  test('is null when it is empty', () => {
    expect(compileQueueNarrow(parseQueueNarrow([]))).toBeNull();
  });

  test.each([
    { pair: ['channel', 'design'], yes: channelMessage, no: directMessage },
    {
      pair: ['Stream', 'DESIGN'],
      yes: channelMessage,
      no: { ...channelMessage, channelName: 'x' },
    },
    { pair: ['topic', 'lOGO'], yes: channelMessage, no: { ...channelMessage, topic: 'logos' } },
    { pair: ['topic', ''], yes: { ...channelMessage, topic: '' }, no: directMessage },
    {
      pair: ['sender', 'ada@X.org'],
      yes: directMessage,
      no: { ...directMessage, senderEmail: 'x' },
    },
    { pair: ['is', 'dm'], yes: directMessage, no: channelMessage },
    { pair: ['is', 'Private'], yes: directMessage, no: channelMessage },
    { pair: ['is', 'starred'], yes: flagged('read', 'starred'), no: flagged('read') },
    { pair: ['is', 'unread'], yes: flagged('mentioned'), no: flagged('read') },
    {
      pair: ['is', 'mentioned'],
      yes: flagged('mentioned'),
      no: flagged('stream_wildcard_mentioned'),
    },
    { pair: ['is', 'alerted'], yes: flagged('mentioned'), no: flagged('has_alert_word') },
    { pair: ['is', 'resolved'], yes: { ...channelMessage, topic: '✔ Logo' }, no: channelMessage },
  ] as const)('of $pair tells messages apart', ({ pair: [operator, operand], yes, no }) => {
    const matches = matcherOf([operator, operand]);
    expect([matches(yes), matches(no)]).toEqual([true, false]);
  });

  test('lets everything through for an unknown is operand', () => {
    expect(matcherOf(['is', 'funny'])(directMessage)).toBe(true);
  });

  test('joins its terms by "and"', () => {
    const matches = matcherOf(['channel', 'design'], ['topic', 'logo'], ['is', 'unread']);
    expect(matches(channelMessage)).toBe(true);
    expect(matches(flagged('read'))).toBe(false);
    expect(matches({ ...channelMessage, topic: 'x' })).toBe(false);
  });

  test.each([
    [['search', 'x'], 'Operator search not supported.'],
    [['dm', 'a@x.org'], 'Operator dm not supported.'],
    [['is', 'followed'], 'Operand followed not supported.'],
  ] as const)('of %j is refused', (pair, msg) => {
    expect(() => parseQueueNarrow([pair])).toThrow(refusal('BAD_REQUEST', new RegExp(`^${msg}$`)));
  });

  test('has a bounded number of terms', () => {
    const pairs = Array<[string, string]>(NARROW_TERMS_MAX).fill(['is', 'unread']);
    expect(parseQueueNarrow(pairs)).toHaveLength(NARROW_TERMS_MAX);
    expect(() => parseQueueNarrow([...pairs, ['is', 'dm']])).toThrow(refusal('BAD_REQUEST', /100/));
  });
});
