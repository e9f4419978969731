import type { EventFlags } from './event-flags.ts';
import type { LoggedEvent } from './logged-events.ts';
import type { ClientCapability } from './queue-options.ts';

/**
 * Whom an event is for, in terms that hold whenever it is read: a queue far behind gets what it would have got live.
 * A user is meant when any member names them, and neither `except` nor `peopleAlone` leaves them out.
 */
export interface Audience {
  readonly everyone?: true;
  readonly nonGuests?: true;
  readonly administrators?: true;
  /** Those of the roles after `above`, as far as `upTo`: who gains or loses what a range of roles has. */
  readonly roles?: { readonly above: number; readonly upTo: number };
  readonly users?: readonly number[];
  /** The subscribers as of the event. */
  readonly channelId?: number;
  /** Whoever was in a channel when something came there or left it. */
  readonly wereIn?: Presence;
  /** Queues with `all_public_streams` get it as well. */
  readonly isPublicChannel?: true;
  /** Queues whose consumer waits and was due a heartbeat; never read again from the log. */
  readonly heartbeat?: true;
  readonly except?: readonly number[];
  /** Not for bots: what an account is in this respect never changes. */
  readonly peopleAlone?: true;
}

/** Who was subscribed to one of these channels at one of its numbers: what is past, so it never changes. */
export interface Presence {
  readonly isWithoutGuests: boolean;
  readonly places: readonly {
    readonly channelId: number;
    /** On the number line of messages. */
    readonly at: readonly number[];
  }[];
}

/** These users joined or left these channels with this event; events of the channels after it follow suit. */
export interface MembershipEffect {
  readonly userIds: readonly number[];
  readonly channelIds: readonly number[];
  readonly isSubscribed: boolean;
}

/**
 * Of those it is for, the queues that get it: an event that older clients get in another shape is logged once for each
 * kind of queue. What differs in its fields alone is a form instead (`src/events/for-client.ts`).
 */
export interface QueueFilter {
  readonly has?: ClientCapability;
  readonly lacks?: ClientCapability;
  /** Not for queues that name this type among their `event_types`: they get the newer twin. */
  readonly unlessNamed?: string;
  /** Not for queues that hear of this type, whether they name it or have all: they know it by that. */
  readonly unlessHeard?: string;
}

/** The queue that sent a message and what it called it. */
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
  /** Its place on the realm's number line, and its `id` in every queue. */
  readonly id: number;
  /** UNIX milliseconds. */
  readonly at: number;
}
