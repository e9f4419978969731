import { ownFlagsOf } from '../../src/domain/wire/events/event-flags.ts';
import type { EventRun } from '../../src/events/delivery.ts';
import {
  type Announced,
  eventRun,
  PLAIN,
  runOf,
  type Variant,
} from '../../src/events/for-client.ts';
import type { Concerned, EventGroup, EventQueue, Runs } from './queue.ts';

const OTHERS = 0;

interface Kind {
  readonly isJoined?: boolean;
  readonly channelId?: number;
}

export function eventGroup(
  events: Announced[] = [],
  { isJoined = false, channelId }: Kind = {},
): EventGroup {
  const group: EventGroup = {
    events,
    isFiltered: false,
    hasOthers: false,
    isJoined,
    channelId: channelId ?? null,
    next: null,
    runs: [],
    concerned: null,
  };
  for (const announcement of events) note(group, announcement);
  return group;
}

/** Remembers of an event that was added what decides how the group may be shared. */
export function note(group: EventGroup, { entry }: Announced) {
  if (entry.queues !== undefined) group.isFiltered = true;
  if (entry.event.type !== 'message') group.hasOthers = true;
}

/** One group with the events of both, in the order of the log; of one channel, the same for all who ask. */
export function joined(first: EventGroup, second: EventGroup): EventGroup {
  const { channelId } = first;
  if (channelId === null || channelId !== second.channelId) {
    return eventGroup(inOrder(first, second), { isJoined: true });
  }
  if (first.next?.group !== second) {
    first.next = { group: second, both: eventGroup(inOrder(first, second), { channelId }) };
  }
  return first.next.both;
}

function inOrder(first: EventGroup, second: EventGroup): Announced[] {
  const events = [...first.events, ...second.events];
  // Channels that nobody wrote to twice have theirs one after the other.
  if (idOf(first.events.at(-1)) > idOf(second.events[0])) {
    events.sort((one, other) => idOf(one) - idOf(other));
  }
  return events;
}

const idOf = (announcement: Announced | undefined) => announcement?.entry.id ?? 0;

/** Runs of one event each, which a turn's queues of a form and with the same flags share wherever the event goes. */
export type SingleRuns = Map<Announced, Map<Variant['flags'], Runs>>;

/** The run that this queue gets of the group. */
export function runFor(group: EventGroup, queue: EventQueue, singles: SingleRuns): EventRun {
  if (group.isJoined) {
    return runOf(group.events.map((announcement) => singleRun(announcement, queue, singles)));
  }
  group.concerned ??= concernedBy(group.events);
  const { users, origins } = group.concerned;
  if (origins.has(queue.id)) return wholeRun(group, queue);
  const number = users.get(queue.userId) ?? OTHERS;
  const runs: Runs = group.runs[number] ?? new Map();
  group.runs[number] = runs;
  return madeIn(runs, queue.form, () => wholeRun(group, queue));
}

function wholeRun({ events }: EventGroup, queue: EventQueue): EventRun {
  const variants = events.map((announcement) => ({
    announcement,
    variant: variantFor(announcement, queue),
  }));
  return eventRun(variants, queue.form);
}

/** A few queues have this very choice of events, but many have each event: it is encoded alone, and once. */
function singleRun(announcement: Announced, queue: EventQueue, singles: SingleRuns): EventRun {
  const variant = variantFor(announcement, queue);
  const make = () => eventRun([{ announcement, variant }], queue.form);
  if (variant.localId !== null) return make();
  const byFlags = madeIn(singles, announcement, () => new Map<Variant['flags'], Runs>());
  const byForm = madeIn(byFlags, variant.flags, (): Runs => new Map());
  return madeIn(byForm, queue.form, make);
}

function madeIn<Name, Value>(map: Map<Name, Value>, name: Name, make: () => Value): Value {
  let value = map.get(name);
  if (value === undefined) {
    value = make();
    map.set(name, value);
  }
  return value;
}

/** Flags and local id of one event for one queue. */
function variantFor({ entry }: Announced, queue: EventQueue): Variant {
  const flags = entry.flags === undefined ? null : ownFlagsOf(entry.flags, queue.userId);
  // A client may name any queue; only one of the sender's own is told.
  const isOrigin = entry.origin?.queueId === queue.id && senderOf(entry.event) === queue.userId;
  if (flags === null && !isOrigin) return PLAIN;
  return { flags, localId: isOrigin ? (entry.origin?.localId ?? null) : null };
}

function concernedBy(events: readonly Announced[]): Concerned {
  const users = new Map<number, number>();
  const origins = new Set<string>();
  // Messages that mention the same group mostly have one list of its members, which is gone through once.
  const lists = new Set<readonly number[]>();
  let last = OTHERS;
  for (const { entry } of events) {
    if (entry.origin !== undefined) origins.add(entry.origin.queueId);
    for (const { userIds } of entry.flags?.own ?? []) lists.add(userIds);
  }
  for (const userIds of lists) {
    // Those of the list part from those of the same number who are not in it.
    const parted = new Map<number, number>();
    for (const userId of userIds) {
      const before = users.get(userId) ?? OTHERS;
      let number = parted.get(before);
      if (number === undefined) {
        number = ++last;
        parted.set(before, number);
      }
      users.set(userId, number);
    }
  }
  return { users, origins };
}

const senderOf = (event: Readonly<Record<string, unknown>>) =>
  (event['message'] as { sender_id: number }).sender_id;
