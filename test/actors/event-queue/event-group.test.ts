import { expect, test } from 'vitest';
import { eventGroup, joined, runFor } from '../../../actors/event-queue/event-group.ts';
import type { EventGroup, EventQueue } from '../../../actors/event-queue/queue.ts';
import type { EventFlags } from '../../../src/domain/wire/events/event-flags.ts';
import type { EventOrigin } from '../../../src/domain/wire/events/log-entry.ts';
import { announced } from '../../../src/events/for-client.ts';
import { MESSAGE } from '../../support/markdown/rich-message.ts';

const SENDER = MESSAGE.sender_id;

test('queues whose owners have the same flags share a run, one for each form', () => {
  const group = eventGroup([
    message(1, own([[7, 8], ['mentioned']], [[9], ['read']])),
    message(2, own([[7, 8, 9], ['mentioned']])),
  ]);
  expect(run(group, 7)).toBe(run(group, 8));
  expect(run(group, 1)).toBe(run(group, 3));
  expect(new Set([run(group, 7), run(group, 9), run(group, 1), run(group, 7, 1)]).size).toBe(4);
  expect(flagsIn(group, 7)).toEqual([['mentioned'], ['mentioned']]);
  expect(flagsIn(group, 9)).toEqual([['read'], ['mentioned']]);
  expect(flagsIn(group, 1)).toEqual([[], []]);
});

test('whoever is in one list alone is told apart, whatever the order of the messages', () => {
  const group = eventGroup([
    message(1, own([[7, 8], ['mentioned']])),
    message(2, own([[8, 9], ['mentioned']])),
    message(3),
    message(4, own([[9], ['has_alert_word']], [[7], []])),
  ]);
  expect(flagsIn(group, 7)).toEqual([['mentioned'], [], [], []]);
  expect(flagsIn(group, 8)).toEqual([['mentioned'], ['mentioned'], [], []]);
  expect(flagsIn(group, 9)).toEqual([[], ['mentioned'], [], ['has_alert_word']]);
  expect(flagsIn(group, 1)).toEqual([[], [], [], []]);
});

test('a queue that sent a message alone is told its own name for it', () => {
  const origin = { queueId: `queue of ${SENDER}`, localId: 'x1' };
  const group = eventGroup([message(1, own([[SENDER], ['read']]), origin)]);
  expect(JSON.parse(run(group, SENDER).json())).toMatchObject({ local_id: 'x1', flags: ['read'] });
  const second = { ...queue(SENDER, 0), id: 'another' };
  expect(JSON.parse(runFor(group, second, new Map()).json())).not.toHaveProperty('local_id');
  expect(JSON.parse(run(group, 7).json())).not.toHaveProperty('local_id');
});

test('a queue of somebody else that a client names is told nothing of it', () => {
  const origin = { queueId: 'queue of 7', localId: 'x1' };
  const group = eventGroup([message(1, own([[SENDER], ['read']]), origin)]);
  expect(JSON.parse(run(group, 7).json())).not.toHaveProperty('local_id');
});

test('two groups of a channel become one that its queues share; of two channels, each queue has its own', () => {
  const first = eventGroup([message(1, own([[7], ['mentioned']]))], { channelId: 3 });
  const second = eventGroup([message(2)], { channelId: 3 });
  const third = eventGroup([message(3)], { channelId: 3 });
  const both = joined(first, second);
  expect(joined(first, second)).toBe(both);
  expect(run(both, 1)).toBe(run(both, 3));
  expect(flagsIn(both, 7)).toEqual([['mentioned'], []]);
  expect(joined(first, third)).not.toBe(both);
  expect(joined(both, third).events).toEqual([...first.events, ...second.events, ...third.events]);

  const elsewhere = eventGroup([message(2)], { channelId: 4 });
  const mixed = joined(eventGroup([message(5)], { channelId: 3 }), elsewhere);
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

const run = (group: EventGroup, userId: number, form = 0) =>
  runFor(group, queue(userId, form), new Map());

const flagsIn = (group: EventGroup, userId: number) =>
  (JSON.parse(`[${run(group, userId).json()}]`) as { flags: string[] }[]).map(({ flags }) => flags);

/** What a group looks at of a queue. */
const queue = (userId: number, form: number) =>
  ({ id: `queue of ${userId}`, userId, form }) as EventQueue;
