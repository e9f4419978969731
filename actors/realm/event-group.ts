import type { EventRun } from '../../src/events/delivery.ts';
import {
  type Announced,
  eventRun,
  type Form,
  PLAIN,
  runOf,
  type Variant,
  type VariantEvent,
} from '../../src/events/for-client.ts';
import type { EventQueue } from '../event-queue.ts';

/**
 * Events of one turn that go to the same queues, in order. All queues of a form share one encoded run; queues whose owner
 * has flags of their own, or that sent one of the messages, get a run with other frames, not another path.
 */
export interface EventGroup {
  readonly events: Announced[];
  /** Some event is not for all queues of its audience. */
  isFiltered: boolean;
  /** Some event is no message. */
  hasOthers: boolean;
  /** Of several groups: what one queue alone has pending. */
  readonly isJoined: boolean;
  readonly shared: Map<Form, EventRun>;
  readonly special: Map<string, EventRun>;
  /** Users for whom some event differs; filled when the group is settled. */
  concerned: ReadonlySet<string> | null;
}

export function eventGroup(events: Announced[] = [], { isJoined = false } = {}): EventGroup {
  const group: EventGroup = {
    events,
    isFiltered: false,
    hasOthers: false,
    isJoined,
    shared: new Map(),
    special: new Map(),
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

/** One group with the events of both, in the order of the log. */
export function joined(first: EventGroup, second: EventGroup): EventGroup {
  const events = [...first.events, ...second.events];
  events.sort((one, other) => one.entry.id - other.entry.id);
  return eventGroup(events, { isJoined: true });
}

/** Runs of one event each, which a turn's queues of a form share wherever the event goes. */
export type SingleRuns = Map<Announced, Map<Form, EventRun>>;

/** The run that this queue gets of the group. */
export function runFor(group: EventGroup, queue: EventQueue, singles: SingleRuns): EventRun {
  if (group.isJoined) {
    return runOf(group.events.map((announcement) => singleRun(announcement, queue, singles)));
  }
  group.concerned ??= concernedBy(group.events);
  if (!group.concerned.has(String(queue.userId))) return sharedRun(group, queue.form);

  const variants = group.events.map((announcement) => variantFor(announcement, queue));
  const hasOwnName = variants.some((variant) => variant.localId !== null);
  const events = group.events.map((announcement, index) => ({
    announcement,
    variant: variants[index] ?? PLAIN,
  }));
  if (hasOwnName) return eventRun(events, queue.form);
  const key = `${queue.form}:${variants.map((variant) => variant.flags?.join(' ') ?? '-').join(',')}`;
  const known = group.special.get(key);
  if (known !== undefined) return known;
  const run = eventRun(events, queue.form);
  group.special.set(key, run);
  return run;
}

/** Flags and local id of one event for one queue. */
export function variantFor({ entry }: Announced, queue: EventQueue): Variant {
  const flags = entry.flags?.byUser[queue.userId] ?? null;
  // A client may name any queue; only one of the sender's own is told.
  const isOrigin = entry.origin?.queueId === queue.id && senderOf(entry.event) === queue.userId;
  if (flags === null && !isOrigin) return PLAIN;
  return { flags, localId: isOrigin ? (entry.origin?.localId ?? null) : null };
}

/** A few queues have this very choice of events, but many have each event: it is encoded alone, and once. */
function singleRun(announcement: Announced, queue: EventQueue, singles: SingleRuns): EventRun {
  const { form } = queue;
  const variant = variantFor(announcement, queue);
  if (variant !== PLAIN) return eventRun([{ announcement, variant }], form);
  let byForm = singles.get(announcement);
  if (byForm === undefined) {
    byForm = new Map();
    singles.set(announcement, byForm);
  }
  let run = byForm.get(form);
  if (run === undefined) {
    run = eventRun([{ announcement, variant }], form);
    byForm.set(form, run);
  }
  return run;
}

function sharedRun(group: EventGroup, form: Form): EventRun {
  const known = group.shared.get(form);
  if (known !== undefined) return known;
  const events: VariantEvent[] = group.events.map((announcement) => ({
    announcement,
    variant: PLAIN,
  }));
  const run = eventRun(events, form);
  group.shared.set(form, run);
  return run;
}

function concernedBy(events: readonly Announced[]): ReadonlySet<string> {
  const concerned = new Set<string>();
  for (const { entry } of events) {
    if (entry.flags === undefined) continue;
    for (const userId of Object.keys(entry.flags.byUser)) concerned.add(userId);
    // The sender's queue is told its own name for the message even when its flags are everybody's.
    if (entry.origin !== undefined) concerned.add(String(senderOf(entry.event)));
  }
  return concerned;
}

const senderOf = (event: Readonly<Record<string, unknown>>) =>
  (event['message'] as { sender_id: number }).sender_id;
