import { expect, test } from 'vitest';
import { type Batch, batchOf, encodedFor, joined } from '../../../actors/event-queue/batch.ts';
import type { EventFlags } from '../../../src/domain/wire/events/event-flags.ts';
import type { EventOrigin } from '../../../src/domain/wire/events/log-entry.ts';
import { announced } from '../../../src/events/for-client.ts';
import { MESSAGE } from '../../support/markdown/rich-message.ts';

const SENDER = MESSAGE.sender_id;

test('queues whose owners have the same flags share an encoding, one for each format', () => {
  const batch = batchOf([
    message(1, own([[7, 8], ['mentioned']], [[9], ['read']])),
    message(2, own([[7, 8, 9], ['mentioned']])),
  ]);
  expect(encoded(batch, 7)).toBe(encoded(batch, 8));
  expect(encoded(batch, 1)).toBe(encoded(batch, 3));
  expect(
    new Set([encoded(batch, 7), encoded(batch, 9), encoded(batch, 1), encoded(batch, 7, 1)]).size,
  ).toBe(4);
  expect(flagsIn(batch, 7)).toEqual([['mentioned'], ['mentioned']]);
  expect(flagsIn(batch, 9)).toEqual([['read'], ['mentioned']]);
  expect(flagsIn(batch, 1)).toEqual([[], []]);
});

test('whoever is in one list alone is told apart, whatever the order of the messages', () => {
  const batch = batchOf([
    message(1, own([[7, 8], ['mentioned']])),
    message(2, own([[8, 9], ['mentioned']])),
    message(3),
    message(4, own([[9], ['has_alert_word']], [[7], []])),
  ]);
  expect(flagsIn(batch, 7)).toEqual([['mentioned'], [], [], []]);
  expect(flagsIn(batch, 8)).toEqual([['mentioned'], ['mentioned'], [], []]);
  expect(flagsIn(batch, 9)).toEqual([[], ['mentioned'], [], ['has_alert_word']]);
  expect(flagsIn(batch, 1)).toEqual([[], [], [], []]);
});

test('a queue that sent a message alone is told its own name for it', () => {
  const origin = { queueId: `queue of ${SENDER}`, localId: 'x1' };
  const batch = batchOf([message(1, own([[SENDER], ['read']]), origin)]);
  expect(JSON.parse(encoded(batch, SENDER).json())).toMatchObject({
    local_id: 'x1',
    flags: ['read'],
  });
  const second = { ...queue(SENDER, 0), id: 'another' };
  expect(JSON.parse(encodedFor(batch, second, new Map()).json())).not.toHaveProperty('local_id');
  expect(JSON.parse(encoded(batch, 7).json())).not.toHaveProperty('local_id');
});

test('a queue of somebody else that a client names is told nothing of it', () => {
  const origin = { queueId: 'queue of 7', localId: 'x1' };
  const batch = batchOf([message(1, own([[SENDER], ['read']]), origin)]);
  expect(JSON.parse(encoded(batch, 7).json())).not.toHaveProperty('local_id');
});

test('two batches of a channel become one that its queues share; of two channels, each queue has its own', () => {
  const first = batchOf([message(1, own([[7], ['mentioned']]))], { channelId: 3 });
  const second = batchOf([message(2)], { channelId: 3 });
  const third = batchOf([message(3)], { channelId: 3 });
  const both = joined(first, second);
  expect(joined(first, second)).toBe(both);
  expect(encoded(both, 1)).toBe(encoded(both, 3));
  expect(flagsIn(both, 7)).toEqual([['mentioned'], []]);
  expect(joined(first, third)).not.toBe(both);
  expect(joined(both, third).events).toEqual([...first.events, ...second.events, ...third.events]);

  const elsewhere = batchOf([message(2)], { channelId: 4 });
  const mixed = joined(batchOf([message(5)], { channelId: 3 }), elsewhere);
  expect(mixed.isJoined).toBe(true);
  expect(mixed.events.map(({ entry }) => entry.id)).toEqual([2, 5]);
});

const message = (id: number, flags: EventFlags = own(), origin?: EventOrigin) =>
  announced({
    id,
    at: 0,
    event: { type: 'message', message: MESSAGE },
    audience: { channelId: 3 },
    flags,
    origin,
  });

const own = (...lists: readonly (readonly [readonly number[], readonly string[]])[]) => ({
  shared: [],
  own: lists.map(([userIds, flags]) => ({ userIds, flags })),
});

const encoded = (batch: Batch, userId: number, format = 0) =>
  encodedFor(batch, queue(userId, format), new Map());

const flagsIn = (batch: Batch, userId: number) =>
  (JSON.parse(`[${encoded(batch, userId).json()}]`) as { flags: string[] }[]).map(
    ({ flags }) => flags,
  );

const queue = (userId: number, format: number) => ({ id: `queue of ${userId}`, userId, format });
