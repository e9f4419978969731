import type { Audience, LogEntry } from '../../src/domain/wire/events/log-entry.ts';
import type { Announced } from '../../src/events/for-client.ts';
import * as channels from '../channel/channel.ts';
import { noteHeard } from '../event-queue/cursor.ts';
import { withoutFlags } from '../event-queue/filter.ts';
import { addEvent, flush } from '../event-queue/flush.ts';
import { changeMembership, isMeant, wasSubscribed } from '../event-queue/listeners.ts';
import type { AttachedQueue, Listener } from '../event-queue/queue.ts';
import { type Audiences, joinChannel, leaveChannel } from './audiences.ts';

/** The audiences, with the work of a broadcast. */
export interface Broadcasting {
  readonly audiences: Audiences;
  /** The channels with an open batch, in the order in which they opened it. */
  readonly open: Set<channels.Channel>;
  readonly now: () => number;
  /** Tells whether this queue's consumer has waited long enough for a heartbeat. */
  readonly isHeartbeatDue: (queue: AttachedQueue) => boolean;
}

/**
 * Routes the events of one commit, in order, to the live queues they are for, and writes to each
 * consumer once. Events for which earlier turns had no time are in the same write.
 */
export function broadcast(state: Broadcasting, entries: readonly LogEntry[]) {
  const { audiences, open } = state;
  const { tail } = audiences;
  for (const entry of entries) {
    tail.head = entry.id;
    const announcement = tail.recent.add(entry);
    if (audiences.attached.size > 0) route(state, announcement);
  }
  for (const channel of open) channels.closeBatch(channel);
  open.clear();
  if (!tail.isFlushing) flush(tail);
}

function route(state: Broadcasting, announcement: Announced) {
  const { audiences } = state;
  const { entry } = announcement;
  const { audience, memberships } = entry;
  if (entry.event.type === 'stream') noteArchiving(audiences, entry);
  if (audience.heartbeat) routeHeartbeat(state, announcement);
  else if (isForChannel(announcement)) routeToChannel(state, announcement);
  else if (audience.users !== undefined && isOnlyForUsers(announcement)) {
    for (const userId of audience.users) {
      addToListener(audiences, audiences.listeners.get(userId), announcement);
    }
  } else {
    for (const listener of audiences.listeners.values()) {
      if (isMeant(listener, audience, entry.id)) addToListener(audiences, listener, announcement);
    }
  }
  if (audience.isPublicChannel) routeToPublicQueues(audiences, announcement);
  if (memberships !== undefined) applyMemberships(audiences, entry);
}

function noteArchiving({ channels: listened }: Audiences, { event }: LogEntry) {
  if (event.type !== 'stream' || event.op !== 'update' || event.property !== 'is_archived') return;
  const channel = listened.get(event.stream_id);
  if (channel !== undefined) channels.setArchived(channel, event.value === true);
}

function routeHeartbeat({ audiences, isHeartbeatDue, now }: Broadcasting, announcement: Announced) {
  for (const queue of audiences.attached) {
    if (queue.isLive && isHeartbeatDue(queue)) {
      noteHeard(queue, now());
      addEvent(audiences.tail, queue, announcement);
    }
  }
}

/** Collects the events of a channel in one batch for all of its queues, until the queues change. */
function routeToChannel({ audiences, open }: Broadcasting, announcement: Announced) {
  const { id, audience } = announcement.entry;
  const channelId = audience.channelId ?? 0;
  for (const userId of audience.users ?? []) {
    const listener = audiences.listeners.get(userId);
    if (listener && !wasSubscribed(listener, channelId, id)) {
      addToListener(audiences, listener, announcement);
    }
  }
  const channel = audiences.channels.get(channelId);
  if (channel === undefined) return;
  channels.collect(channel, announcement);
  open.add(channel);
}

function routeToPublicQueues({ publicQueues, tail }: Audiences, announcement: Announced) {
  const { id, audience } = announcement.entry;
  for (const queue of publicQueues) {
    if (!queue.isLive || queue.listener === null) continue;
    if (isMeant(queue.listener, audience, id)) continue;
    addEvent(tail, queue, withoutFlags(announcement));
  }
}

function applyMemberships(audiences: Audiences, { id, memberships }: LogEntry) {
  if (memberships === undefined) return;
  const { channelIds, isSubscribed } = memberships;
  for (const channelId of channelIds) {
    // The events before this one go to those who were members then.
    const channel = audiences.channels.get(channelId);
    if (channel !== undefined) channels.closeBatch(channel);
  }
  for (const userId of memberships.userIds) {
    const listener = audiences.listeners.get(userId);
    if (listener === undefined) continue;
    for (const channelId of channelIds) {
      changeMembership(listener, { eventId: id, channelId, isSubscribed });
      for (const queue of listener.queues) {
        if (isSubscribed) joinChannel(audiences, channelId, queue);
        else leaveChannel(audiences, channelId, queue);
      }
    }
  }
}

function addToListener(
  { tail }: Audiences,
  listener: Listener | undefined,
  announcement: Announced,
) {
  if (listener === undefined) return;
  for (const queue of listener.queues) addEvent(tail, queue, announcement);
}

/** Tells whether it is for a channel's subscribers, and perhaps named users, as messages are. */
const isForChannel = ({ entry: { audience } }: Announced) =>
  audience.channelId !== undefined && !hasRules(audience);

const isOnlyForUsers = ({ entry: { audience } }: Announced) =>
  audience.channelId === undefined && !hasRules(audience);

/** Tells whether each listener must be looked at to know if it is for them. */
const hasRules = (audience: Audience) =>
  audience.except !== undefined ||
  audience.peopleAlone === true ||
  audience.everyone === true ||
  audience.nonGuests === true ||
  audience.administrators === true ||
  audience.roles !== undefined ||
  audience.wereIn !== undefined;
