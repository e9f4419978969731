import type { EventFlags } from './event-flags.ts';
import type { LoggedEvent } from './logged-events.ts';
import type { ClientCapability } from './queue-options.ts';

/**
 * The rule that says who gets an event. It holds whenever it is read: a queue far behind gets what
 * it would have got live. It includes a user if any member names them, and neither `except` nor
 * `peopleAlone` excludes them.
 */
export interface Audience {
  readonly everyone?: true;
  readonly nonGuests?: true;
  readonly administrators?: true;
  /**
   * The roles after `above`, up to `upTo`: the users who gain or lose the rights of a range of
   * roles.
   */
  readonly roles?: { readonly above: number; readonly upTo: number };
  readonly users?: readonly number[];
  /** The subscribers as of the event. */
  readonly channelId?: number;
  /** The users who were in a channel when something came there or left it. */
  readonly wereIn?: Presence;
  /** Queues with `all_public_streams` get it as well. */
  readonly isPublicChannel?: true;
  /** Queues whose consumer waits and was due a heartbeat; it is never read again from the log. */
  readonly heartbeat?: true;
  readonly except?: readonly number[];
  /**
   * Excludes bots. An account never changes between bot and person. Stored events have the field's
   * name, so it stays.
   */
  readonly peopleAlone?: true;
}

/**
 * The users who were subscribed to one of these channels at one of its numbers. That is in the
 * past, so it never changes.
 */
export interface Presence {
  readonly isWithoutGuests: boolean;
  readonly places: readonly {
    readonly channelId: number;
    /** Numbers of the sequence of messages. */
    readonly at: readonly number[];
  }[];
}

/**
 * These users joined or left these channels with this event; events of the channels after it follow
 * suit.
 */
export interface MembershipEffect {
  readonly userIds: readonly number[];
  readonly channelIds: readonly number[];
  readonly isSubscribed: boolean;
}

/**
 * Restricts delivery to some of the audience's queues: an event that older clients get in another
 * shape is logged once for each kind of queue. If only its fields differ, it is a format instead
 * (`src/events/for-client.ts`).
 */
export interface QueueFilter {
  readonly has?: ClientCapability;
  readonly lacks?: ClientCapability;
  /** Excludes queues that name this type among their `event_types`: they get the newer twin. */
  readonly unlessNamed?: string;
  /** Excludes queues that get this type, by name or because they get all: they know it by that. */
  readonly unlessHeard?: string;
}

/** The queue that sent a message, and the client's id of it. */
export interface EventOrigin {
  readonly queueId: string;
  readonly localId: string;
}

export type EventBody = LoggedEvent;

export interface NewLogEntry {
  readonly event: EventBody;
  readonly audience: Audience;
  readonly flags?: EventFlags | undefined;
  readonly memberships?: MembershipEffect | undefined;
  readonly origin?: EventOrigin | undefined;
  readonly queues?: QueueFilter | undefined;
}

export interface LogEntry extends NewLogEntry {
  /** Its number in the realm's event sequence, and its `id` in every queue. */
  readonly id: number;
  /** UNIX milliseconds. */
  readonly at: number;
}
