import { ascending } from '../../../src/domain/ascending.ts';
import { alike, type EventFlags } from '../../../src/domain/wire/events/event-flags.ts';
import type { LogEntry } from '../../../src/domain/wire/events/log-entry.ts';
import type { QueueOptions } from '../../../src/domain/wire/events/queue-options.ts';
import type { RichMessage } from '../../../src/domain/wire/message-objects.ts';
import { type Codec, listOf } from '../../row-shape.ts';
import { table } from '../../table.ts';

/** Every field of a message; one that is added goes to the end. */
const message = listOf<RichMessage>([
  'id',
  'sender_id',
  'sender_full_name',
  'sender_email',
  'sender_realm_str',
  'client',
  'timestamp',
  'type',
  'stream_id',
  'recipient_id',
  'display_recipient',
  'subject',
  'topic_links',
  'is_me_message',
  'reactions',
  'submessages',
  'content',
  'rendered_content',
  'avatar_url',
  'uses_gravatar',
]);

/**
 * Nearly every event is a message, so a message is stored without the names of its fields. Other
 * events are stored as they are.
 */
const event: Codec<LogEntry['event']> = {
  toStored: (event) => (event.type === 'message' ? message.toStored(event.message) : event),
  fromStored: (stored) =>
    Array.isArray(stored)
      ? { type: 'message', message: message.fromStored(stored) }
      : (stored as LogEntry['event']), // what toStored left as it was
};

type StoredFlags = readonly [
  shared: readonly string[],
  own: readonly (readonly [flags: readonly string[], userIds: readonly number[]])[],
];

/** The form of stored flags before schema 19: by user id. */
interface FormerFlags {
  readonly shared: readonly string[];
  readonly byUser: Readonly<Record<string, readonly string[]>>;
}

const flags: Codec<EventFlags | undefined> = {
  toStored: (flags): StoredFlags | undefined =>
    flags && [flags.shared, flags.own.map(({ flags, userIds }) => [flags, userIds])],
  fromStored(stored) {
    if (stored === undefined) return undefined;
    if (!Array.isArray(stored)) {
      const { shared, byUser } = stored as FormerFlags; // what is no list was written before
      const own = Object.entries(byUser).map(([id, flags]) => [Number(id), flags] as const);
      return { shared, own: alike(own) };
    }
    const [shared, own] = stored as unknown as StoredFlags; // what toStored made
    // They were stored as they came when schema 19 was new.
    return {
      shared,
      own: own.map(([flags, userIds]) => ({ flags, userIds: userIds.toSorted(ascending) })),
    };
  },
};

/** The event log. Sequence first and only: it is read forward from a position. */
export const events = table<[eventId: number], LogEntry>(
  'events',
  ['id', 'at', 'event', 'audience', 'flags', 'memberships', 'origin', 'queues'],
  { codecs: { event, flags } },
);

export interface QueueRow {
  readonly userId: number;
  readonly options: QueueOptions;
  /** The log position of its snapshot. */
  readonly startedAt: number;
  /**
   * The position that was acknowledged when it was last noted. It is written now and then, so it
   * may lag behind, but is never ahead.
   */
  readonly acknowledged: number;
  /** Hash of the API key that registered the queue; absent if it is not known. */
  readonly keyHash?: string | undefined;
  /** The `name/version` of the program that registered it; absent if it is not known. */
  readonly program?: string | undefined;
}

export const queues = table<[queueId: string], QueueRow>('queues', [
  'userId',
  'options',
  'startedAt',
  'acknowledged',
  'keyHash',
  'program',
]);
