import type { Audience, LogEntry } from '../../src/domain/wire/events/log-entry.ts';
import type { Announced } from '../../src/events/for-client.ts';
import { eventGroup, joined, note } from '../event-queue/event-group.ts';
import { changeMembership, isMeant, wasSubscribed } from '../event-queue/listeners.ts';
import type { EventGroup, EventQueue, Listener } from '../event-queue/queue.ts';
import { isWanted, withoutFlags } from '../event-queue/wanted.ts';
import { audienceOf, leaveChannel } from './audience.ts';
import type { FeedState } from './feed-state.ts';
import { deliver } from './feeding.ts';

/** What a turn writes to consumers; ten thousand take a tenth of a second and more. Between turns others get their answers. */
const HANDING_OUT_MS_MAX = 20;
/** Queues that are handed what they have pending before somebody looks at the time. */
const QUEUES_PER_LOOK = 64;

/**
 * Hands the events of one commit, in order, to the live queues they are for. What a turn brings, and what earlier turns
 * had no time for, is collected and written to each consumer once: a write costs more than everything else here together.
 */
export function announce(state: FeedState, entries: readonly LogEntry[]) {
  for (const entry of entries) {
    state.head = entry.id;
    const announcement = state.recent.add(entry);
    if (state.attached.size > 0) route(state, announcement);
  }
  settleAll(state);
  if (!state.isHandingOut) handOut(state);
}

/** In the order in which they came to have something; what is thrown at one of them costs no other. */
function handOut(state: FeedState) {
  const endMs = performance.now() + HANDING_OUT_MS_MAX;
  const { dirty } = state;
  let count = 0;
  try {
    for (const queue of dirty) {
      count += 1;
      handOver(state, queue);
      if (count % QUEUES_PER_LOOK === 0 && performance.now() >= endMs) break;
    }
  } finally {
    state.dirty = dirty.slice(count);
    state.isHandingOut = state.dirty.length > 0;
    if (state.isHandingOut) setImmediate(() => handOut(state));
    else state.singles.clear();
  }
}

function route(state: FeedState, announcement: Announced) {
  const { audience, memberships } = announcement.entry;
  if (audience.heartbeat) routeHeartbeat(state, announcement);
  else if (isForChannel(announcement)) routeToChannel(state, announcement);
  else if (audience.users !== undefined && isForUsersAlone(announcement)) {
    for (const userId of audience.users)
      addToListener(state, state.listeners.get(userId), announcement);
  } else {
    for (const listener of state.listeners.values()) {
      if (isMeant(listener, audience, announcement.entry.id))
        addToListener(state, listener, announcement);
    }
  }
  if (audience.isPublicChannel) routeToPublicQueues(state, announcement);
  if (memberships !== undefined) applyMemberships(state, announcement.entry);
}

function routeHeartbeat(state: FeedState, announcement: Announced) {
  for (const queue of state.attached) {
    if (queue.isLive && state.isHeartbeatDue(queue)) {
      queue.waitingSince = state.clock.now();
      add(state, queue, announcement);
    }
  }
}

/** Collects the events of a channel in one list for all of its queues, until something changes who they are. */
function routeToChannel(state: FeedState, announcement: Announced) {
  const { id, audience } = announcement.entry;
  const channelId = audience.channelId ?? 0;
  for (const userId of audience.users ?? []) {
    const listener = state.listeners.get(userId);
    if (listener && !wasSubscribed(listener, channelId, id))
      addToListener(state, listener, announcement);
  }
  if (!state.channels.has(channelId)) return;
  const group = state.openGroups.get(channelId);
  if (group === undefined) {
    state.openGroups.set(channelId, eventGroup([announcement], { channelId }));
  } else {
    group.events.push(announcement);
    note(group, announcement);
  }
}

function routeToPublicQueues(state: FeedState, announcement: Announced) {
  const { id, audience } = announcement.entry;
  for (const queue of state.publicQueues) {
    if (!queue.isLive || queue.listener === null) continue;
    if (isMeant(queue.listener, audience, id)) continue;
    const plain = withoutFlags(announcement);
    if (isWanted(queue, plain)) add(state, queue, plain);
  }
}

function applyMemberships(state: FeedState, { id, memberships }: LogEntry) {
  if (memberships === undefined) return;
  const { channelIds, isSubscribed } = memberships;
  for (const channelId of channelIds) settle(state, channelId); // what came before goes to the members of then
  for (const userId of memberships.userIds) {
    const listener = state.listeners.get(userId);
    if (listener === undefined) continue;
    for (const channelId of channelIds) {
      changeMembership(listener, { eventId: id, channelId, isSubscribed });
      for (const queue of listener.queues) {
        if (isSubscribed) audienceOf(state, channelId).add(queue);
        else leaveChannel(state, channelId, queue);
      }
    }
  }
}

function settleAll(state: FeedState) {
  for (const channelId of [...state.openGroups.keys()]) settle(state, channelId);
}

function settle(state: FeedState, channelId: number) {
  const group = state.openGroups.get(channelId);
  if (group === undefined) return;
  state.openGroups.delete(channelId);
  for (const queue of state.channels.get(channelId)?.getSnapshot().context.audience ?? []) {
    if (!queue.isLive) continue;
    if (!takesAllOf(queue, group)) {
      for (const announcement of group.events) {
        if (isWanted(queue, announcement)) add(state, queue, announcement);
      }
    } else if (queue.pending === null) {
      queue.pending = group;
      state.dirty.push(queue);
    } else {
      queue.pending = joined(queue.pending, group);
    }
  }
}

/** Whether every event of the group is wanted as it is, so that the list can be shared. */
const takesAllOf = (queue: EventQueue, group: EventGroup) =>
  queue.takesAllMessages && !group.isFiltered && (!group.hasOthers || queue.types === null);

function addToListener(state: FeedState, listener: Listener | undefined, announcement: Announced) {
  if (listener === undefined) return;
  for (const queue of listener.queues) {
    if (queue.isLive && isWanted(queue, announcement)) add(state, queue, announcement);
  }
}

/** One event for one queue: what the queue shares with others is left as it is. */
function add(state: FeedState, queue: EventQueue, announcement: Announced) {
  if (queue.pending === null) {
    queue.pending = eventGroup([announcement]);
    state.dirty.push(queue);
  } else {
    queue.pending = joined(queue.pending, eventGroup([announcement]));
  }
}

function handOver(state: FeedState, queue: EventQueue) {
  const group = queue.pending;
  queue.pending = null;
  if (group === null || !queue.isLive) return;
  deliver(state, queue, { group, through: state.head });
}

/** The subscribers of a channel and perhaps some others by name: what every message to a channel is for. */
const isForChannel = ({ entry: { audience } }: Announced) =>
  audience.channelId !== undefined && !hasRules(audience);

const isForUsersAlone = ({ entry: { audience } }: Announced) =>
  audience.channelId === undefined && !hasRules(audience);

/** Whether each listener must be looked at to know whom it is for. */
const hasRules = (audience: Audience) =>
  audience.except !== undefined ||
  audience.peopleAlone === true ||
  audience.everyone === true ||
  audience.nonGuests === true ||
  audience.administrators === true ||
  audience.roles !== undefined ||
  audience.wereIn !== undefined;
