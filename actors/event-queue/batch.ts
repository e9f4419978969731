import { madeIn } from '../../src/domain/once-per-key.ts';
import { ownFlagsOf } from '../../src/domain/wire/events/event-flags.ts';
import type { EncodedBatch } from '../../src/events/delivery.ts';
import {
  type Announced,
  concatenated,
  encodedBatch,
  type Format,
  PLAIN,
  type Variant,
} from '../../src/events/for-client.ts';

/**
 * Events of one turn that go to the same queues, in order. Queues of a format whose owners have the
 * same flags share one encoding; a queue that sent one of the messages gets an encoding of its own.
 */
export interface Batch {
  readonly events: Announced[];
  /** Some event is not for all queues of its audience. */
  isFiltered: boolean;
  /** Some event is no message. */
  hasOthers: boolean;
  /** True when it joins batches of several channels, as pending for one queue only. */
  readonly isJoined: boolean;
  /** The channel whose queues share it; null when a single queue has it. */
  readonly channelId: number | null;
  /** The channel's next batch joined to this one, for all queues that still have both to get. */
  next: { readonly batch: Batch; readonly both: Batch } | null;
  /** Encodings by the number of the users who have the same flags. */
  readonly encodings: Encodings[];
  /** Known when the batch is closed. */
  concerned: Concerned | null;
}

/** The users whose events differ from those that everybody gets. */
interface Concerned {
  /** Users with flags of their own, by a number for each set of flags. All other users have 0. */
  readonly users: ReadonlyMap<number, number>;
  /** The queues that sent one of the messages. */
  readonly origins: ReadonlySet<string>;
}

type Encodings = Map<Format, EncodedBatch>;

/** The part of a queue that decides the bytes it gets. */
interface Recipient {
  readonly id: string;
  readonly userId: number;
  readonly format: Format;
}

const OTHERS = 0;

interface Kind {
  readonly isJoined?: boolean;
  readonly channelId?: number;
}

export function batchOf(
  events: Announced[] = [],
  { isJoined = false, channelId }: Kind = {},
): Batch {
  const batch: Batch = {
    events,
    isFiltered: false,
    hasOthers: false,
    isJoined,
    channelId: channelId ?? null,
    next: null,
    encodings: [],
    concerned: null,
  };
  for (const announcement of events) note(batch, announcement);
  return batch;
}

export function addToBatch(batch: Batch, announcement: Announced) {
  batch.events.push(announcement);
  note(batch, announcement);
}

/** Notes the properties of an event that decide which queues may share the batch. */
function note(batch: Batch, { entry }: Announced) {
  if (entry.queues !== undefined) batch.isFiltered = true;
  if (entry.event.type !== 'message') batch.hasOthers = true;
}

/**
 * Returns one batch with the events of both, in the order of the log. For two batches of a channel
 * it is the same one for all who ask.
 */
export function joined(first: Batch, second: Batch): Batch {
  const { channelId } = first;
  if (channelId === null || channelId !== second.channelId) {
    return batchOf(inOrder(first, second), { isJoined: true });
  }
  if (first.next?.batch !== second) {
    first.next = { batch: second, both: batchOf(inOrder(first, second), { channelId }) };
  }
  return first.next.both;
}

function inOrder(first: Batch, second: Batch): Announced[] {
  const events = [...first.events, ...second.events];
  // Batches of channels that got one message each mostly follow each other.
  if (idOf(first.events.at(-1)) > idOf(second.events[0])) {
    events.sort((one, other) => idOf(one) - idOf(other));
  }
  return events;
}

const idOf = (announcement: Announced | undefined) => announcement?.entry.id ?? 0;

/** Encodings of single events, which queues with the same format and flags share everywhere. */
export type SharedEncodings = Map<Announced, Map<Variant['flags'], Encodings>>;

/** Returns the batch as this recipient gets it. */
export function encodedFor(batch: Batch, to: Recipient, shared: SharedEncodings): EncodedBatch {
  if (batch.isJoined) {
    return concatenated(batch.events.map((announcement) => encodedAlone(announcement, to, shared)));
  }
  batch.concerned ??= concernedBy(batch.events);
  const { users, origins } = batch.concerned;
  if (origins.has(to.id)) return encodedWhole(batch, to);
  const number = users.get(to.userId) ?? OTHERS;
  const encodings: Encodings = batch.encodings[number] ?? new Map();
  batch.encodings[number] = encodings;
  return madeIn(encodings, to.format, () => encodedWhole(batch, to));
}

function encodedWhole({ events }: Batch, to: Recipient): EncodedBatch {
  const variants = events.map((announcement) => ({
    announcement,
    variant: variantFor(announcement, to),
  }));
  return encodedBatch(variants, to.format);
}

/** Encodes an event by itself, once: few queues have this choice of events, many have each. */
function encodedAlone(
  announcement: Announced,
  to: Recipient,
  shared: SharedEncodings,
): EncodedBatch {
  const variant = variantFor(announcement, to);
  const make = () => encodedBatch([{ announcement, variant }], to.format);
  if (variant.localId !== null) return make();
  const byFlags = madeIn(shared, announcement, () => new Map<Variant['flags'], Encodings>());
  const byFormat = madeIn(byFlags, variant.flags, (): Encodings => new Map());
  return madeIn(byFormat, to.format, make);
}

/** Returns the flags and the local id of an event for one recipient. */
function variantFor({ entry }: Announced, to: Recipient): Variant {
  const flags = entry.flags === undefined ? null : ownFlagsOf(entry.flags, to.userId);
  // A client may name any queue; only a queue of the sender gets the local id.
  const isOrigin = entry.origin?.queueId === to.id && senderOf(entry.event) === to.userId;
  if (flags === null && !isOrigin) return PLAIN;
  return { flags, localId: isOrigin ? (entry.origin?.localId ?? null) : null };
}

function concernedBy(events: readonly Announced[]): Concerned {
  const users = new Map<number, number>();
  const origins = new Set<string>();
  // Messages that mention a group mostly share one list of its members, which is read once.
  const lists = new Set<readonly number[]>();
  let last = OTHERS;
  for (const { entry } of events) {
    if (entry.origin !== undefined) origins.add(entry.origin.queueId);
    for (const { userIds } of entry.flags?.own ?? []) lists.add(userIds);
  }
  for (const userIds of lists) {
    // Users of the list get a new number, apart from users with the same number who are not in it.
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
