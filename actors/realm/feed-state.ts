import type { AnyActorRef } from 'xstate';
import type { RealmReader } from '../../storage/transaction.ts';
import type { ChannelActor } from '../channel/channel.ts';
import type { Clock } from '../clock.ts';
import type { SingleRuns } from '../event-queue/event-group.ts';
import type { EventGroup, EventQueue, Listener } from '../event-queue/queue.ts';
import type { RecentEvents } from '../event-queue/recent-events.ts';

/** What the feed of a realm knows; changed in place by `announcing.ts`, `feeding.ts` and `audience.ts`. */
export interface FeedState {
  readonly reader: RealmReader;
  readonly clock: Clock;
  /** The realm's actor, whose children the channels are. */
  readonly owner: AnyActorRef;
  readonly recent: RecentEvents;
  /** Users with an attached queue. */
  readonly listeners: Map<number, Listener>;
  /** Channels that one of them is in. */
  readonly channels: Map<number, ChannelActor>;
  readonly attached: Set<EventQueue>;
  /** Attached queues with `all_public_streams`. */
  readonly publicQueues: Set<EventQueue>;
  /** What this turn brought to each channel, not yet handed to its queues. */
  readonly openGroups: Map<number, EventGroup>;
  /** What was encoded alone, for queues that hear of several channels at once; until all that is pending is handed out. */
  readonly singles: SingleRuns;
  /** What the last queue that caught up was due: after a restart it is what thousands are due. */
  caughtUp: EventGroup;
  /** Queues with something pending. */
  dirty: EventQueue[];
  /** The next turn goes on with them. Not told by `dirty`: what a bug in routing left there waits for nobody. */
  isHandingOut: boolean;
  /** The newest announced event. */
  head: number;
  /** UNIX ms of the last sweep: to ask for the time at each poll costs as much as finding its queue. */
  now: number;
  /** Whether this queue's consumer has waited long enough for a heartbeat. */
  readonly isHeartbeatDue: (queue: EventQueue) => boolean;
}
