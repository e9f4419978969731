import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Recent, SAID_MAX, type Said } from '../../../web/app/store/recent/recent.ts';

const inTopic = (name: string) => ({ kind: 'topic' as const, channelId: 1, topic: name });

const said = (id: number, senderId: number, topic: string): Said => ({
  id,
  senderId,
  atMs: id * 1_000,
  place: inTopic(topic),
});

const shown = (recent: Recent) =>
  recent.conversations.map(({ place, newestId, senderIds }) => [
    place.kind === 'topic' ? place.topic : place.userIds,
    newestId,
    senderIds,
  ]);

test('the conversation in which something was said last is first, with who said it', () => {
  const recent = new Recent();
  recent.add([said(1, 7, 'tea'), said(2, 8, 'Tea'), said(3, 7, 'soup'), said(4, 7, 'tea')]);
  expect(shown(recent)).toEqual([
    ['tea', 4, [7, 8]],
    ['soup', 3, [7]],
  ]);
});

test('a move and a deletion change what is newest', () => {
  const recent = new Recent();
  recent.add([said(1, 7, 'tea'), said(2, 8, 'tea'), said(3, 9, 'soup')]);
  recent.move([2], inTopic('coffee'));
  recent.remove([3]);
  expect(shown(recent)).toEqual([
    ['coffee', 2, [8]],
    ['tea', 1, [7]],
  ]);
  recent.move([99], inTopic('unknown'));
  recent.clear();
  expect(shown(recent)).toEqual([]);
  expect(recent.oldestId).toBeUndefined();
});

test('it keeps so many messages and no more, the newest', () => {
  const recent = new Recent();
  recent.add(Array.from({ length: SAID_MAX + 10 }, (_, index) => said(index + 1, 7, `t${index}`)));
  expect(recent.conversations).toHaveLength(SAID_MAX);
  expect(recent.oldestId).toBe(11);
});

test('however messages come, the order is that of the newest of each conversation', () => {
  const one = fc.record({
    id: fc.integer({ min: 1, max: 500 }),
    senderId: fc.integer({ min: 1, max: 6 }),
    topic: fc.constantFrom('a', 'b', 'c', 'd'),
  });
  fc.assert(
    fc.property(fc.uniqueArray(one, { selector: ({ id }) => id }), (all) => {
      const recent = new Recent();
      for (const { id, senderId, topic } of all) recent.add([said(id, senderId, topic)]);
      const expected = new Map<string, number>();
      for (const { id, topic } of all) expected.set(topic, Math.max(id, expected.get(topic) ?? 0));
      const byNewest = [...expected].sort(([, a], [, b]) => b - a);
      expect(shown(recent).map(([topic, id]) => [topic, id])).toEqual(byNewest);
    }),
  );
});
