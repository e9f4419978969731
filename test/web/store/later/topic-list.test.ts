import { expect, test } from 'vitest';
import {
  listedTopics,
  type TopicFilter,
  type TopicOrder,
} from '../../../../web/app/store/channels/topic-list.ts';
import type { Policy } from '../../../../web/app/store/shapes.ts';

const KNOWN = [
  { name: 'lunch', max_id: 9 },
  { name: '', max_id: 8 },
  { name: '✔ budget', max_id: 7 },
  { name: 'logo', max_id: 3 },
];
const UNREAD: Readonly<Record<string, number>> = { logo: 5, '': 2 };
const POLICIES: Readonly<Record<string, Policy>> = { logo: 'followed', lunch: 'muted' };

const topics = (filter: TopicFilter = 'all', order: TopicOrder = 'newest', text = '') =>
  listedTopics({
    known: KNOWN,
    unread: (topic) => ({ count: UNREAD[topic] ?? 0, isMentioned: topic === 'logo' }),
    policyOf: (topic) => POLICIES[topic] ?? 'none',
    filter,
    order,
    text,
  });
const namesOf = (...input: Parameters<typeof topics>) => topics(...input).map(({ topic }) => topic);

test('topics are sorted by their newest message, by name, and by what is unread', () => {
  expect(namesOf()).toEqual(['lunch', '', '✔ budget', 'logo']);
  // The topic without a name has one that is shown, and so has one that is resolved.
  expect(namesOf('all', 'name')).toEqual(['✔ budget', '', 'logo', 'lunch']);
  expect(namesOf('all', 'unread')).toEqual(['logo', '', 'lunch', '✔ budget']);
});

test('filters select by what is unread, followed, and resolved', () => {
  expect(namesOf('unread')).toEqual(['', 'logo']);
  expect(namesOf('followed')).toEqual(['logo']);
  expect(namesOf('open')).toEqual(['lunch', '', 'logo']);
  expect(namesOf('resolved')).toEqual(['✔ budget']);
});

test('a search looks into names as they are shown', () => {
  expect(namesOf('all', 'newest', 'GENERAL')).toEqual(['']);
  expect(namesOf('all', 'newest', 'bud')).toEqual(['✔ budget']);
  expect(namesOf('all', 'newest', 'l o')).toEqual(['logo']);
  expect(namesOf('all', 'newest', 'nothing')).toEqual([]);
});

test('a line says all that is shown of a topic', () => {
  expect(topics('followed')).toEqual([
    {
      topic: 'logo',
      label: 'logo',
      isResolved: false,
      policy: 'followed',
      count: 5,
      isMentioned: true,
      newestId: 3,
    },
  ]);
});
