import { expect, test } from 'vitest';
import { openQueueKinds } from '../../../actors/event-queue/queue-kinds.ts';
import { QUEUE_OPTIONS } from '../../../bench/stores/growth-store.ts';
import type { QueueOptions } from '../../../src/domain/wire/events/queue-options.ts';

const options = (changed: Partial<QueueOptions> = {}): QueueOptions => ({
  ...QUEUE_OPTIONS,
  ...changed,
});

/** Each of these options has another value than above. */
const OTHERS: QueueOptions = {
  applyMarkdown: false,
  clientGravatar: false,
  slimPresence: true,
  allPublicChannels: true,
  eventTypes: null,
  narrow: [['topic', 'tea']],
  capabilities: {},
  idleSeconds: 601,
};

test('queues with equal options share what follows from them, others do not', () => {
  const kinds = openQueueKinds();
  const kind = kinds.of(options());
  expect(kinds.of(options())).toBe(kind);
  expect(kind.options).toEqual(options());
  for (const [name, value] of Object.entries(OTHERS)) {
    const changed = { [name]: value };
    const other = kinds.of(options(changed));
    expect(other).not.toBe(kind);
    expect(other.options).toEqual(options(changed));
    expect(kinds.of(options(changed))).toBe(other);
  }
});

test('however many kinds there are, a bounded number is kept, and none that is long', () => {
  const kinds = openQueueKinds();
  const kind = kinds.of(options());
  const next = kinds.of(options({ idleSeconds: 1_001 }));
  for (let seconds = 2; seconds <= 999; seconds++)
    kinds.of(options({ idleSeconds: 1_000 + seconds }));
  expect(kinds.of(options())).toBe(kind);
  // This is one kind more than there is room for: the one that was asked for longest ago goes.
  kinds.of(options({ idleSeconds: 9_999 }));
  expect(kinds.of(options())).toBe(kind);
  expect(kinds.of(options({ idleSeconds: 1_001 }))).not.toBe(next);

  const long = () =>
    kinds.of(options({ eventTypes: Array.from({ length: 500 }, () => 'x'.repeat(99)) }));
  expect(long()).not.toBe(long());
  expect(long()).toEqual(long());
});
