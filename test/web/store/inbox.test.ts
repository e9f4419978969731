import { expect, test } from 'vitest';
import { inboxOf, nextUnread } from '../../../web/app/store/inbox.ts';
import type { Channel, Policy, Unread } from '../../../web/app/store/shapes.ts';
import { sectionsOf, topicLines } from '../../../web/app/store/sidebar.ts';

const channel = (id: number, name: string, some: Partial<Channel> = {}): Channel => ({
  id,
  name,
  description: '',
  color: '#808080',
  folderId: null,
  isMuted: false,
  isPinned: false,
  isPrivate: false,
  isArchived: false,
  ...some,
});

const topic = (channelId: number, name: string, newestId: number, count = 1): Unread => ({
  place: { kind: 'topic', channelId, topic: name },
  count,
  newestId,
  isMentioned: false,
});

const dm = (userIds: readonly number[], newestId: number, count = 1): Unread => ({
  place: { kind: 'dm', userIds },
  count,
  newestId,
  isMentioned: false,
});

const GENERAL = channel(1, 'general');
const ALPHA = channel(2, 'alpha');
const LOUD = channel(3, 'loud', { isMuted: true });
const PINNED = channel(4, 'zebra', { isPinned: true });
const CHANNELS = new Map([GENERAL, ALPHA, LOUD, PINNED].map((one) => [one.id, one]));

const inbox = (unread: readonly Unread[], policies: Record<string, Policy> = {}) =>
  inboxOf({
    unread,
    channels: CHANNELS,
    policyOf: (channelId, name) => policies[`${channelId} ${name}`] ?? 'none',
  });

test('pinned channels come first, then by name; topics and people by what is newest', () => {
  const { count, channels, dms } = inbox([
    topic(1, 'older', 5, 2),
    topic(1, 'newer', 9, 3),
    topic(4, 'x', 1),
    topic(2, 'y', 2),
    dm([7], 3),
    dm([7, 8], 8, 4),
  ]);
  expect(channels.map((one) => one.channel.name)).toEqual(['zebra', 'alpha', 'general']);
  expect(channels[2]?.topics.map(({ place }) => place)).toEqual([
    { kind: 'topic', channelId: 1, topic: 'newer' },
    { kind: 'topic', channelId: 1, topic: 'older' },
  ]);
  expect(channels[2]?.count).toBe(5);
  expect(dms.map(({ newestId }) => newestId)).toEqual([8, 3]);
  expect(count).toBe(12);
});

test('what is muted is neither shown nor counted, except where it is unmuted or mentions one', () => {
  const policies = { '1 quiet': 'muted', '3 followed': 'followed', '3 asked': 'unmuted' } as const;
  const { channels, count } = inbox(
    [
      topic(1, 'quiet', 1),
      topic(3, 'noise', 2),
      topic(3, 'followed', 3),
      topic(3, 'asked', 4),
      { ...topic(3, 'you', 5), isMentioned: true },
    ],
    policies,
  );
  expect(channels.map((one) => one.channel.name)).toEqual(['loud']);
  expect(channels[0]?.topics.map(({ newestId }) => newestId)).toEqual([5, 4, 3]);
  expect(count).toBe(3);
});

test('a channel that one has left has no place', () => {
  expect(inbox([topic(99, 'x', 1)])).toEqual({ count: 0, dms: [], channels: [] });
});

test('the next unread topic is the one after what is shown, and begins again at the top', () => {
  const all = inbox([topic(1, 'b', 1), topic(1, 'a', 2), topic(2, 'c', 3), dm([7], 4)]);
  const isAt = (name: string) => (one: Unread) =>
    one.place.kind === 'topic' && one.place.topic === name;
  const nameOf = (found: Unread | undefined) =>
    found?.place.kind === 'topic' ? found.place.topic : found?.place.userIds;
  expect(nameOf(nextUnread(all, 'topic', () => false))).toBe('c');
  expect(nameOf(nextUnread(all, 'topic', isAt('c')))).toBe('a');
  expect(nameOf(nextUnread(all, 'topic', isAt('b')))).toBe('c');
  expect(nameOf(nextUnread(all, 'dm', () => false))).toEqual([7]);
  expect(nextUnread(inbox([topic(1, 'b', 1)]), 'topic', isAt('b'))).toBeUndefined();
  expect(nextUnread(inbox([]), 'topic', () => false)).toBeUndefined();
});

test('channels are cut into pinned ones, folders in their order, and others', () => {
  const folders = [
    { id: 20, name: 'Work' },
    { id: 10, name: 'Fun' },
    { id: 30, name: 'Empty' },
  ];
  const some = [
    channel(1, 'b', { folderId: 10 }),
    channel(2, 'a', { folderId: 10 }),
    channel(3, 'c', { folderId: 20 }),
    channel(4, 'd', { isPinned: true, folderId: 20 }),
    channel(5, 'e'),
    channel(6, 'f', { folderId: 77 }),
  ];
  const shown = sectionsOf(some, folders).map(({ title, channels }) => [
    title,
    channels.map(({ name }) => name).join(''),
  ]);
  expect(shown).toEqual([
    ['Pinned', 'd'],
    ['Work', 'c'],
    ['Fun', 'ab'],
    ['Other channels', 'ef'],
  ]);
  expect(sectionsOf(some.slice(4), []).map(({ title }) => title)).toEqual(['Channels']);
});

test('a channel shows its newest topics, all unread ones and the one that is open', () => {
  const line = (name: string, count = 1) => ({ topic: name, count, isMentioned: false });
  const lines = topicLines({
    known: ['a', 'b', 'c', 'd', 'e'],
    unread: [line('new', 2), line('D', 3)],
    shown: 'E',
    max: 2,
  });
  expect(lines.map(({ topic: name, count }) => [name, count])).toEqual([
    ['new', 2],
    ['a', 0],
    ['b', 0],
    ['D', 3],
    ['e', 0],
  ]);
  expect(topicLines({ known: ['a'], unread: [], shown: 'Draft', max: 5 })).toHaveLength(2);
});
