import type { LogEntry } from '../../../src/domain/wire/events/log-entry.ts';
import type { QueueOptions } from '../../../src/domain/wire/events/queue-options.ts';
import type { Consumer, Delivery, EncodedBatch } from '../../../src/events/delivery.ts';
import { MESSAGE } from '../markdown/rich-message.ts';

/** A consumer that notes everything that it is told, and answers as the test says. */
export interface TestConsumer extends Consumer {
  readonly batches: EncodedBatch[];
  /** Everything else that it was told, in order: `replaced`, why it ended, when to come back. */
  readonly told: unknown[];
  /** Returns the events of each batch. */
  events(): readonly HeardEvent[][];
  /** Returns the ids of all events. */
  ids(): readonly number[];
}

export interface HeardEvent {
  readonly id: number;
  readonly type: string;
  readonly flags?: readonly string[];
}

interface ConsumerOptions {
  /** True makes it a poll: its one answer ends it. */
  readonly takesOne?: boolean;
  /** Called with each batch; by default every batch is taken. */
  readonly answer?: (batch: EncodedBatch) => Delivery;
}

export function testConsumer({
  takesOne = false,
  answer = () => 'taken',
}: ConsumerOptions = {}): TestConsumer {
  const batches: EncodedBatch[] = [];
  const told: unknown[] = [];
  const events = () => batches.map((batch) => JSON.parse(`[${batch.json()}]`) as HeardEvent[]);
  return {
    takesOne,
    batches,
    told,
    events,
    ids: () => events().flatMap((heard) => heard.map(({ id }) => id)),
    deliver(batch) {
      const delivery = answer(batch);
      if (delivery !== 'dropped') batches.push(batch);
      return delivery;
    },
    replaced: () => told.push('replaced'),
    ended: (why) => told.push(why),
    stopping: (retryAfterMs) => told.push({ retryAfterMs }),
  };
}

/** Returns options of a queue that gets every event, except for the changes. */
export const queueOptions = (changes: Partial<QueueOptions> = {}): QueueOptions => ({
  applyMarkdown: true,
  clientGravatar: true,
  slimPresence: false,
  allPublicChannels: false,
  eventTypes: null,
  narrow: [],
  capabilities: {},
  idleSeconds: 600,
  ...changes,
});

/** Returns an event of the log, by default a change of the realm that everybody hears of. */
export const entryOf = (id: number, changes: Partial<LogEntry> = {}): LogEntry => ({
  id,
  at: 0,
  event: { type: 'realm', op: 'deactivated', realm_id: 1 },
  audience: { everyone: true },
  ...changes,
});

/** Returns the event of a message in a channel. */
export const messageIn = (channelId: number, id: number, changes: Partial<LogEntry> = {}) =>
  entryOf(id, {
    event: { type: 'message', message: { ...MESSAGE, id, stream_id: channelId } },
    audience: { channelId },
    ...changes,
  });
