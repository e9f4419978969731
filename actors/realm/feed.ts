import { createActor } from 'xstate';
import type { LogEntry } from '../../src/domain/log-entry.ts';
import type { Consumer, Delivery } from '../../src/events/delivery.ts';
import type { Announced } from '../../src/events/for-client.ts';
import type { RealmReader } from '../../storage/realm-store.ts';
import { type ChannelActor, channelMachine } from '../channel/channel.ts';
import type { Clock } from '../clock.ts';
import type { EventQueue } from '../event-queue.ts';
import { takeStep } from './catch-up.ts';
import { type EventGroup, eventGroup, joined, runFor } from './event-group.ts';
import {
  changeMembership,
  isMeant,
  type Listener,
  loadListener,
  wasSubscribed,
} from './listeners.ts';
import { recentEvents } from './recent-events.ts';
import { isWanted, withoutFlags } from './wanted.ts';

/**
 * Hands the log of a realm to its queues. In three phases, for each queue on its own: it catches up from its position,
 * reaches the announced head, and from then on is live and handed what is announced.
 */
export interface Feed {
  /** Everything up to here has been handed to the live queues. */
  head(): number;
  /** Events of one commit, in order. */
  announce(entries: readonly LogEntry[]): void;
  /** The queue is attached: it hears of what its owner hears of. */
  join(queue: EventQueue): void;
  leave(queue: EventQueue): void;
  /** Gives an attached queue a consumer, which has everything up to `position`, and brings it up to date. */
  feed(queue: EventQueue, consumer: Consumer, position: number | 'where it was'): void;
  /** Its consumer is gone, or waits no more. */
  stop(queue: EventQueue): void;
  /** The consumer can take more, or has been told to look again. */
  resume(queue: EventQueue): void;
  attached(): Iterable<EventQueue>;
}

interface FeedInput {
  readonly reader: RealmReader;
  readonly clock: Clock;
  readonly head: number;
  /** Whether this queue's consumer has waited long enough for a heartbeat. */
  readonly isHeartbeatDue: (queue: EventQueue) => boolean;
}

export function openFeed({ reader, clock, head: startedAt, isHeartbeatDue }: FeedInput): Feed {
  const recent = recentEvents();
  const listeners = new Map<number, Listener>();
  const channels = new Map<number, ChannelActor>();
  const attached = new Set<EventQueue>();
  const publicQueues = new Set<EventQueue>();
  const openGroups = new Map<number, EventGroup>();
  let dirty: EventQueue[] = [];
  let head = startedAt;

  function announce(entries: readonly LogEntry[]) {
    for (const entry of entries) {
      head = entry.id;
      const announcement = recent.add(entry);
      if (attached.size > 0) route(announcement);
    }
    settleAll();
    const written = dirty;
    dirty = [];
    for (const queue of written) handOver(queue);
  }

  function route(announcement: Announced) {
    const { audience, memberships } = announcement.entry;
    if (audience.heartbeat) routeHeartbeat(announcement);
    else if (isForChannel(announcement)) routeToChannel(announcement);
    else if (audience.users !== undefined && isForUsersAlone(announcement)) {
      for (const userId of audience.users) addToListener(listeners.get(userId), announcement);
    } else {
      for (const listener of listeners.values()) {
        if (isMeant(listener, audience, announcement.entry.id))
          addToListener(listener, announcement);
      }
    }
    if (audience.isPublicChannel) routeToPublicQueues(announcement);
    if (memberships !== undefined) applyMemberships(announcement.entry);
  }

  function routeHeartbeat(announcement: Announced) {
    for (const queue of attached) {
      if (queue.isLive && isHeartbeatDue(queue)) {
        queue.waitingSince = clock.now();
        add(queue, announcement);
      }
    }
  }

  /** Collects the events of a channel in one list for all of its queues, until something changes who they are. */
  function routeToChannel(announcement: Announced) {
    const { id, audience } = announcement.entry;
    const channelId = audience.channelId ?? 0;
    for (const userId of audience.users ?? []) {
      const listener = listeners.get(userId);
      if (listener && !wasSubscribed(listener, channelId, id))
        addToListener(listener, announcement);
    }
    if (!channels.has(channelId)) return;
    const group = openGroups.get(channelId);
    if (group === undefined) openGroups.set(channelId, eventGroup([announcement]));
    else group.events.push(announcement);
  }

  function settle(channelId: number) {
    const group = openGroups.get(channelId);
    if (group === undefined) return;
    openGroups.delete(channelId);
    for (const queue of channels.get(channelId)?.getSnapshot().context.audience ?? []) {
      if (!queue.isLive) continue;
      if (!queue.takesAllMessages) {
        for (const announcement of group.events) {
          if (isWanted(queue, announcement)) add(queue, announcement);
        }
      } else if (queue.pending === null) {
        queue.pending = group;
        dirty.push(queue);
      } else {
        queue.pending = joined(queue.pending, group);
      }
    }
  }

  function settleAll() {
    for (const channelId of [...openGroups.keys()]) settle(channelId);
  }

  function routeToPublicQueues(announcement: Announced) {
    const { id, audience } = announcement.entry;
    for (const queue of publicQueues) {
      if (!queue.isLive || queue.listener === null) continue;
      if (isMeant(queue.listener, audience, id)) continue;
      const plain = withoutFlags(announcement);
      if (isWanted(queue, plain)) add(queue, plain);
    }
  }

  function addToListener(listener: Listener | undefined, announcement: Announced) {
    if (listener === undefined) return;
    for (const queue of listener.queues) {
      if (queue.isLive && isWanted(queue, announcement)) add(queue, announcement);
    }
  }

  /** One event for one queue: what the queue shares with others is left as it is. */
  function add(queue: EventQueue, announcement: Announced) {
    if (queue.pending === null) {
      queue.pending = eventGroup([announcement]);
      dirty.push(queue);
    } else {
      queue.pending = joined(queue.pending, eventGroup([announcement]));
    }
  }

  function applyMemberships({ id, memberships }: LogEntry) {
    if (memberships === undefined) return;
    const { channelIds, isSubscribed } = memberships;
    for (const channelId of channelIds) settle(channelId); // what came before goes to the members of then
    for (const userId of memberships.userIds) {
      const listener = listeners.get(userId);
      if (listener === undefined) continue;
      for (const channelId of channelIds) {
        changeMembership(listener, { eventId: id, channelId, isSubscribed });
        for (const queue of listener.queues) {
          if (isSubscribed) audienceOf(channelId).add(queue);
          else leaveChannel(channelId, queue);
        }
      }
    }
  }

  function handOver(queue: EventQueue) {
    const group = queue.pending;
    queue.pending = null;
    if (group === null || !queue.isLive) return;
    deliver(queue, group, head);
  }

  /** Writes a group to the consumer; `through` is the position reached when it takes it. */
  function deliver(queue: EventQueue, group: EventGroup, through: number): Delivery | 'answered' {
    const { consumer } = queue;
    if (consumer === null) return 'dropped';
    const run = runFor(group, queue);
    const delivery = consumer.deliver(run);
    if (delivery === 'dropped') {
      queue.position = run.firstId - 1;
      queue.isLive = false;
      return delivery;
    }
    queue.deliveredId = run.lastId;
    if (delivery === 'taken' && !consumer.takesOne) return delivery;
    queue.position = through;
    queue.isLive = false;
    if (!consumer.takesOne) return delivery;
    if (queue.consumer === consumer) queue.consumer = null;
    queue.waitingSince = clock.now();
    return 'answered';
  }

  function join(queue: EventQueue) {
    let listener = listeners.get(queue.userId);
    if (listener === undefined) {
      listener = loadListener(reader, queue.userId, head);
      listeners.set(queue.userId, listener);
    }
    queue.listener = listener;
    listener.queues.add(queue);
    attached.add(queue);
    if (queue.options.allPublicChannels) publicQueues.add(queue);
    for (const channelId of listener.channels) audienceOf(channelId).add(queue);
  }

  function leave(queue: EventQueue) {
    const { listener } = queue;
    if (listener === null) return;
    settleLive(queue);
    attached.delete(queue);
    publicQueues.delete(queue);
    for (const channelId of listener.channels) leaveChannel(channelId, queue);
    listener.queues.delete(queue);
    if (listener.queues.size === 0) listeners.delete(queue.userId);
    queue.listener = null;
  }

  /** A live queue stands at the head; once it is not live its own position counts. */
  function settleLive(queue: EventQueue) {
    const unwritten = queue.pending?.events[0]?.entry.id;
    if (queue.isLive) queue.position = unwritten === undefined ? head : unwritten - 1;
    queue.isLive = false;
    queue.pending = null;
  }

  function audienceOf(channelId: number): Set<EventQueue> {
    let channel = channels.get(channelId);
    if (channel === undefined) {
      channel = createActor(channelMachine, { input: { channelId }, clock }).start();
      channels.set(channelId, channel);
    }
    return channel.getSnapshot().context.audience;
  }

  function leaveChannel(channelId: number, queue: EventQueue) {
    const channel = channels.get(channelId);
    const audience = channel?.getSnapshot().context.audience;
    audience?.delete(queue);
    if (audience?.size === 0) {
      channel?.stop();
      channels.delete(channelId);
    }
  }

  function feed(queue: EventQueue, consumer: Consumer, position: number | 'where it was') {
    settleLive(queue);
    if (position !== 'where it was') queue.position = position;
    queue.consumer = consumer;
    queue.waitingSince = clock.now();
    resume(queue);
  }

  function stop(queue: EventQueue) {
    settleLive(queue);
    queue.consumer = null;
    queue.waitingSince = clock.now();
  }

  function resume(queue: EventQueue) {
    if (queue.isCatchingUp || queue.isLive) return;
    step(queue);
  }

  /** One bounded step; a queue far behind takes many, and others run in between. */
  function step(queue: EventQueue) {
    const { consumer, listener } = queue;
    if (consumer === null || listener === null) return;
    if (queue.position < head) {
      const { events, position } = takeStep({ queue, listener, recent, reader, head });
      // Answered, or full and will ask again: either way the position is set.
      if (events.length > 0 && deliver(queue, eventGroup(events), position) !== 'taken') return;
      queue.position = position;
    }
    if (queue.position === head) {
      queue.isLive = true;
      return;
    }
    // Behind, or ahead of an announcement that follows in this turn: go on after it.
    queue.isCatchingUp = true;
    setImmediate(() => {
      queue.isCatchingUp = false;
      if (!queue.isLive) step(queue);
    });
  }

  return { head: () => head, announce, join, leave, feed, stop, resume, attached: () => attached };
}

/** The subscribers of a channel and perhaps some others by name: what every message to a channel is for. */
const isForChannel = ({ entry: { audience } }: Announced) =>
  audience.channelId !== undefined &&
  audience.except === undefined &&
  !audience.everyone &&
  !audience.nonGuests &&
  !audience.administrators;

const isForUsersAlone = ({ entry: { audience } }: Announced) =>
  audience.channelId === undefined &&
  audience.except === undefined &&
  !audience.everyone &&
  !audience.nonGuests &&
  !audience.administrators;
