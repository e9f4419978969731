import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  channelNarrow,
  dmNarrow,
  isNarrow,
  keyOf,
  type Names,
  narrowRoute,
  OPERATORS,
  parseRoute,
  placeOf,
  printRoute,
  type Route,
  searchNarrow,
  topicNarrow,
  withoutSelf,
} from '../../../web/app/store/route.ts';

const NAMES: Names = {
  channel: (id) => (id === 1 ? 'general' : id === 2 ? 'team chat' : undefined),
  person: (id) => (id === 9 ? 'Ada Owner' : undefined),
};

const KNOWN: readonly (readonly [string, Route])[] = [
  ['#inbox', { view: 'inbox' }],
  ['#recent', { view: 'recent' }],
  ['#drafts', { view: 'drafts' }],
  ['#topics/channel/2-team-chat', { view: 'topics', channelId: 2 }],
  ['#settings', { view: 'settings' }],
  ['#feed', narrowRoute([])],
  ['#narrow/channel/1-general', narrowRoute(channelNarrow(1))],
  ['#narrow/channel/2-team-chat/topic/hello', narrowRoute(topicNarrow(2, 'hello'))],
  [
    '#narrow/channel/1-general/topic/a.2Fb.20.26.20c.2E/near/5',
    narrowRoute(topicNarrow(1, 'a/b & c.'), 5),
  ],
  ['#narrow/channel/1-general/topic/', narrowRoute(topicNarrow(1, ''))],
  ['#narrow/channel/3/topic/.C3.A9t.C3.A9', narrowRoute(topicNarrow(3, 'été'))],
  ['#narrow/dm/9-Ada-Owner', narrowRoute(dmNarrow([9]))],
  ['#narrow/dm/9,10-group/near/7', narrowRoute(dmNarrow([10, 9]), 7)],
  ['#narrow/is/mentioned', narrowRoute(isNarrow('mentioned'))],
  ['#narrow/is/starred', narrowRoute(isNarrow('starred'))],
  ['#narrow/search/tea.20at.20noon', narrowRoute(searchNarrow('tea at noon'))],
  [
    '#narrow/sender/9-Ada-Owner/-has/link',
    narrowRoute([
      { operator: 'sender', operand: 9, negated: false },
      { operator: 'has', operand: 'link', negated: true },
    ]),
  ],
];

test.each(KNOWN)('%s is read and printed', (hash, route) => {
  expect(parseRoute(hash)).toEqual(route);
  expect(printRoute(route, NAMES)).toBe(hash);
});

test.each([
  ['', '#inbox'],
  ['#', '#inbox'],
  ['#nothing-known', '#inbox'],
  ['#narrow/colour/red', '#inbox'],
  ['#narrow/__proto__/x', '#inbox'],
  ['#narrow/topic/.FF', '#inbox'],
  ['#narrow/dm/Ada', '#inbox'],
  ['#topics', '#inbox'],
  ['#topics/channel/design', '#inbox'],
  ['#topics/dm/5', '#inbox'],
  ['#topics/channel/7-an-earlier-name', '#topics/channel/7'],
  ['#all_messages', '#feed'],
  ['#narrow/', '#feed'],
  ['#narrow/stream/1-general/subject/x', '#narrow/channel/1-general/topic/x'],
  ['#narrow/pm-with/9-whatever', '#narrow/dm/9-Ada-Owner'],
  ['#narrow/is/private', '#narrow/is/dm'],
  ['#narrow/channel/1-an-earlier-name', '#narrow/channel/1-general'],
  ['#narrow/channel/1-general/topic/50%25', '#narrow/channel/1-general/topic/50.25'],
])('%s, from elsewhere, leads to %s', (hash, known) => {
  expect(printRoute(parseRoute(hash), NAMES)).toBe(known);
});

test('an address longer than any search is not read', () => {
  expect(parseRoute(`#narrow/search/${'x'.repeat(10_000)}`)).toEqual({ view: 'inbox' });
});

test('what is printed is read as the same, whatever the texts are', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
  const id = fc.integer({ min: 1, max: 1_000_000 });
  const term = fc.oneof(
    fc.record({ operator: fc.constant('channel' as const), operand: id, negated: fc.boolean() }),
    fc.record({ operator: fc.constant('topic' as const), operand: text, negated: fc.boolean() }),
    fc.record({ operator: fc.constant('search' as const), operand: text, negated: fc.boolean() }),
    fc.record({
      operator: fc.constant('dm' as const),
      operand: fc
        .uniqueArray(id, { minLength: 1, maxLength: 4 })
        .map((ids) => ids.sort((a, b) => a - b)),
      negated: fc.boolean(),
    }),
  );
  fc.assert(
    fc.property(fc.array(term, { minLength: 1, maxLength: 5 }), fc.option(id), (narrow, near) => {
      const route = narrowRoute(narrow, near);
      expect(parseRoute(printRoute(route, { channel: () => 'a b', person: () => 'C-d' }))).toEqual(
        route,
      );
    }),
  );
});

test('a hash of whatever characters names a route', () => {
  const part = fc.oneof(
    fc.constantFrom(...OPERATORS, 'near'),
    fc.string({ unit: 'binary', maxLength: 12 }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const route = parseRoute(`#narrow/${parts.join('/')}`);
      expect(parseRoute(printRoute(route))).toEqual(route);
    }),
  );
});

test('a narrow is a conversation, a channel, or neither', () => {
  expect(placeOf(topicNarrow(1, 'x'))).toEqual({ kind: 'topic', channelId: 1, topic: 'x' });
  expect(placeOf(channelNarrow(1))).toEqual({ kind: 'channel', channelId: 1 });
  expect(placeOf(dmNarrow([3, 2]))).toEqual({ kind: 'dm', userIds: [2, 3] });
  expect(
    placeOf([...topicNarrow(1, 'x'), { operator: 'with', operand: 8, negated: false }]),
  ).toEqual({
    kind: 'topic',
    channelId: 1,
    topic: 'x',
  });
  expect(placeOf([])).toBeNull();
  expect(placeOf(isNarrow('starred'))).toBeNull();
  expect(placeOf([...topicNarrow(1, 'x'), ...searchNarrow('y')])).toBeNull();
  expect(placeOf([{ operator: 'channel', operand: 1, negated: true }])).toBeNull();
});

test('narrows that select the same have the same key', () => {
  expect(keyOf(topicNarrow(1, 'Tea'))).toBe(keyOf(topicNarrow(1, 'tea')));
  expect(keyOf(dmNarrow([2, 1]))).toBe(keyOf(dmNarrow([1, 2])));
  expect(keyOf(searchNarrow('a/b'))).not.toBe(keyOf([...searchNarrow('a'), ...searchNarrow('b')]));
});

test('a link to a conversation that names the own account leads to the same one', () => {
  const named = narrowRoute(dmNarrow([4, 9]), 5);
  expect(withoutSelf(named, 4)).toEqual(narrowRoute(dmNarrow([9]), 5));
  expect(withoutSelf(narrowRoute(dmNarrow([4])), 4)).toEqual(narrowRoute(dmNarrow([4])));
});
