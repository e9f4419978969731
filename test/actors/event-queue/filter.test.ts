import { expect, test } from 'vitest';
import { matches, withoutFlags } from '../../../actors/event-queue/filter.ts';
import type { AttachedQueue } from '../../../actors/event-queue/queue.ts';
import { openQueueKinds } from '../../../actors/event-queue/queue-kinds.ts';
import { QUEUE_OPTIONS } from '../../../bench/stores/growth-store.ts';
import type { LogEntry, QueueFilter } from '../../../src/domain/wire/events/log-entry.ts';
import type { QueueOptions } from '../../../src/domain/wire/events/queue-options.ts';
import { announced } from '../../../src/events/for-client.ts';
import { MESSAGE } from '../../support/markdown/rich-message.ts';

const OPEN: QueueOptions = { ...QUEUE_OPTIONS, eventTypes: null, narrow: [], capabilities: {} };

/** A queue of which nothing is looked at but its user and its filter. */
const queue = (options: Partial<QueueOptions> = {}, userId = 7) =>
  ({ userId, kind: openQueueKinds().of({ ...OPEN, ...options }) }) as AttachedQueue;

const logged = (more: Partial<LogEntry> = {}) =>
  announced({
    id: 1,
    at: 0,
    event: { type: 'message', message: { ...MESSAGE, subject: 'tea' } },
    audience: { channelId: 3 },
    ...more,
  });

const HEARTBEAT = logged({ event: { type: 'heartbeat' } });

test('a queue takes the types that it names, and heartbeats in any case', () => {
  expect(matches(queue(), logged())).toBe(true);
  expect(matches(queue({ eventTypes: ['message'] }), logged())).toBe(true);
  expect(matches(queue({ eventTypes: ['presence'] }), logged())).toBe(false);
  expect(matches(queue({ eventTypes: ['presence'] }), HEARTBEAT)).toBe(true);
});

test('a narrow is for messages only, and knows the flags of the user', () => {
  expect(matches(queue({ narrow: [['topic', 'tea']] }), logged())).toBe(true);
  expect(matches(queue({ narrow: [['topic', 'soup']] }), logged())).toBe(false);
  expect(matches(queue({ narrow: [['topic', 'soup']] }), HEARTBEAT)).toBe(true);
  const flags = { shared: [], own: [{ userIds: [7], flags: ['mentioned'] }] };
  const mentioned = { narrow: [['is', 'mentioned']] } as const;
  expect(matches(queue(mentioned, 7), logged({ flags }))).toBe(true);
  expect(matches(queue(mentioned, 8), logged({ flags }))).toBe(false);
  expect(matches(queue(mentioned, 7), withoutFlags(logged({ flags })))).toBe(false);
});

test.each<{ filter: QueueFilter; options: Partial<QueueOptions>; passes: boolean }>([
  { filter: { has: 'archived_channels' }, options: {}, passes: false },
  { filter: { lacks: 'archived_channels' }, options: {}, passes: true },
  { filter: { unlessNamed: 'presence' }, options: {}, passes: true },
  { filter: { unlessHeard: 'presence' }, options: {}, passes: false },
  { filter: { unlessHeard: 'presence' }, options: { eventTypes: ['message'] }, passes: true },
  ...(['unlessNamed', 'unlessHeard'] as const).map((name) => ({
    filter: { [name]: 'presence' },
    options: { eventTypes: ['message', 'presence'] },
    passes: false,
  })),
  ...(['has', 'lacks'] as const).map((name) => ({
    filter: { [name]: 'archived_channels' } as QueueFilter,
    options: { capabilities: { archived_channels: true } },
    passes: name === 'has',
  })),
])('an event for some queues ($filter) passes $options: $passes', (given) => {
  const { filter, options, passes } = given;
  expect(matches(queue(options), logged({ queues: filter }))).toBe(passes);
});
