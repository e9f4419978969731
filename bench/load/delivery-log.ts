import type { KnownEvents, SeenEvent, SeenMessage } from './known-events.ts';

/** A message as it was sent, to be compared with the deliveries. */
interface Sending {
  /** Position in the order of sending. */
  readonly index: number;
  /** When it was due, on the clock of `performance.now()`: waiting counts as latency. */
  readonly plannedMs: number;
  /** Undefined where the server does not hand out what it was sent, like the baseline. */
  readonly content: string | undefined;
  /** The channel, given if listeners are in some channels only. */
  readonly channel?: string;
  readonly topic: string;
  /** The ids of the sender and of the mentioned user, if they are known. */
  readonly senderId?: number;
  readonly mentionedUserId?: number;
  /** It mentions every listener that is marked. */
  readonly mentionsMarked?: boolean;
  /** The content for listeners that want HTML, if it is known. */
  readonly html?: string;
}

/** A message as the listeners and the sender saw it so far. */
interface DeliveryEntry {
  readonly ordinal: number;
  readonly messageId: number;
  sending: Sending | undefined;
  /** As each form had it. */
  readonly seen: SeenMessage[];
  deliveryCount: number;
  lastDeliveryMs: number;
  /** Times of deliveries that came before the reply that says which message this is. */
  early: number[];
}

/** The deliveries of one listener so far. */
export interface Listener {
  readonly userId: number;
  /** True for listeners that a message may mention together. */
  readonly isMarked: boolean;
  /** The channels of the listener; undefined when it is in all of them. */
  readonly channels: ReadonlySet<string> | undefined;
  lastEventId: number;
  lastMessageId: number;
  lastKnown: number;
  deliveryCount: number;
  repeatedCount: number;
  outOfOrderCount: number;
  strayedCount: number;
  mentionCount: number;
  /** A bit for each message, by ordinal. */
  seen: Uint32Array;
}

export interface Verdict {
  readonly sent: number;
  readonly delivered: number;
  readonly lost: number;
  readonly repeated: number;
  readonly outOfOrder: number;
  /** Delivered to somebody who is not in the channel. */
  readonly strayed: number;
  /** Messages whose content, topic or sender differ from what was sent. */
  readonly altered: number;
  readonly mentionsExpected: number;
  readonly mentionsSeen: number;
  /** Mentions that a listener was not told of, or was told of without there being one. */
  readonly mentionsWrong: number;
  /** Bytes of the largest frame or body that held a single message, for an equal baseline. */
  readonly singleEventBytes: number;
  /** Bytes of the smallest of them without the content. */
  readonly envelopeBytes: number;
}

interface DeliveryLogEvents {
  /** The message was acknowledged and all listeners have it. */
  readonly complete: (entry: DeliveryEntry) => void;
  readonly latency: (milliseconds: number) => void;
}

interface NewListener {
  readonly userId: number;
  readonly lastEventId: number;
  readonly isMarked?: boolean;
  readonly channels?: readonly string[] | undefined;
}

/** Holds what was sent against what each listener got. */
export interface DeliveryLog {
  readonly listeners: Listener[];
  readonly addListener: (of: NewListener) => Listener;
  readonly take: (listener: Listener, known: KnownEvents, nowMs: number) => void;
  readonly acknowledge: (messageId: number, sending: Sending) => void;
  readonly openCount: () => number;
  readonly verdict: () => Verdict;
  on: DeliveryLogEvents;
}

// More forms of a message than anybody asks for here; a frame that holds it with others is another
// place to look.
const FORMS_CHECKED_MAX = 8;

export const SILENT: DeliveryLogEvents = { complete: () => {}, latency: () => {} };

export function createDeliveryLog(): DeliveryLog {
  const entries: DeliveryEntry[] = [];
  const byMessageId = new Map<number, DeliveryEntry>();
  // The entries of a recognised frame, so that a delivery looks nothing up.
  const entriesOfKnown = new WeakMap<KnownEvents, readonly (DeliveryEntry | undefined)[]>();
  let openCount = 0;
  // How many listeners each channel has, besides those that are in all.
  const audiences = new Map<string, number>();
  let everywhereCount = 0;
  // The same message in reply to two sends: what the second said is nowhere, so it is lost.
  let swallowedDeliveries = 0;
  let singleEventBytes = 0;
  let envelopeBytes = Number.POSITIVE_INFINITY;

  const entryOf = (messageId: number): DeliveryEntry => {
    const existing = byMessageId.get(messageId);
    if (existing !== undefined) return existing;
    const entry = emptyEntry(entries.length, messageId);
    entries.push(entry);
    byMessageId.set(messageId, entry);
    return entry;
  };
  const enter = (known: KnownEvents): readonly (DeliveryEntry | undefined)[] => {
    const found = known.events.map(({ message }) => {
      if (message === undefined) return undefined;
      const entry = entryOf(message.id);
      if (entry.seen.length < FORMS_CHECKED_MAX) entry.seen.push(message);
      return entry;
    });
    const [only] = known.events;
    if (found.length === 1 && only?.message !== undefined) {
      const { length } = known.bytes;
      singleEventBytes = Math.max(singleEventBytes, length);
      const content = Buffer.byteLength(JSON.stringify(only.message.content));
      envelopeBytes = Math.min(envelopeBytes, length - content);
    }
    entriesOfKnown.set(known, found);
    return found;
  };
  const audienceOf = ({ channel = '' }: Sending) => everywhereCount + (audiences.get(channel) ?? 0);
  const completeIfDone = (entry: DeliveryEntry) => {
    if (entry.sending === undefined) return;
    if (entry.deliveryCount !== audienceOf(entry.sending)) return;
    openCount -= 1;
    deliveryLog.on.complete(entry);
  };
  const deliver = (entry: DeliveryEntry, nowMs: number) => {
    entry.deliveryCount += 1;
    entry.lastDeliveryMs = nowMs;
    if (entry.sending === undefined) entry.early.push(nowMs);
    else deliveryLog.on.latency(nowMs - entry.sending.plannedMs);
    completeIfDone(entry);
  };

  const deliveryLog: DeliveryLog = {
    on: SILENT,
    listeners: [],
    addListener: (of) => {
      const listener = emptyListener(of);
      deliveryLog.listeners.push(listener);
      if (of.channels === undefined) everywhereCount += 1;
      for (const channel of of.channels ?? []) {
        audiences.set(channel, (audiences.get(channel) ?? 0) + 1);
      }
      return listener;
    },
    take: (listener, known, nowMs) => {
      const found = entriesOfKnown.get(known) ?? enter(known);
      listener.lastKnown = known.number;
      for (const [index, event] of known.events.entries()) {
        const entry = found[index];
        if (isNews(listener, event, entry) && entry !== undefined) deliver(entry, nowMs);
      }
    },
    acknowledge: (messageId, sending) => {
      const entry = entryOf(messageId);
      if (entry.sending !== undefined) {
        swallowedDeliveries += audienceOf(sending);
        return;
      }
      entry.sending = sending;
      openCount += 1;
      for (const atMs of entry.early) deliveryLog.on.latency(atMs - sending.plannedMs);
      entry.early = [];
      completeIfDone(entry);
    },
    openCount: () => openCount,
    verdict: () => {
      const verdict = judge({ entries, listeners: deliveryLog.listeners, audienceOf });
      const lost = verdict.lost + swallowedDeliveries;
      return { ...verdict, lost, singleEventBytes, envelopeBytes };
    },
  };
  return deliveryLog;
}

function emptyEntry(ordinal: number, messageId: number): DeliveryEntry {
  return {
    ordinal,
    messageId,
    sending: undefined,
    seen: [],
    deliveryCount: 0,
    lastDeliveryMs: 0,
    early: [],
  };
}

function emptyListener(of: NewListener): Listener {
  const { userId, lastEventId, isMarked = false, channels } = of;
  return {
    userId,
    isMarked,
    channels: channels && new Set(channels),
    lastEventId,
    lastMessageId: 0,
    lastKnown: 0,
    deliveryCount: 0,
    repeatedCount: 0,
    outOfOrderCount: 0,
    strayedCount: 0,
    mentionCount: 0,
    seen: new Uint32Array(32),
  };
}

/** Counts the event for its listener; whether it is a message the listener did not have. */
function isNews(listener: Listener, event: SeenEvent, entry: DeliveryEntry | undefined): boolean {
  const isLate = event.id <= listener.lastEventId;
  if (!isLate) listener.lastEventId = event.id;
  if (entry === undefined) {
    if (isLate) listener.repeatedCount += 1;
    return false;
  }
  if (hasSeen(listener, entry.ordinal)) {
    listener.repeatedCount += 1;
    return false;
  }
  markSeen(listener, entry.ordinal);
  listener.deliveryCount += 1;
  // Ids of messages are given in commit order, so both sequences must ascend.
  if (isLate || entry.messageId <= listener.lastMessageId) listener.outOfOrderCount += 1;
  listener.lastMessageId = Math.max(listener.lastMessageId, entry.messageId);
  if (event.isMentioned) listener.mentionCount += 1;
  const channel = event.message?.channel;
  if (channel !== undefined && listener.channels?.has(channel) === false) {
    listener.strayedCount += 1;
  }
  return true;
}

function hasSeen(listener: Listener, ordinal: number): boolean {
  return ((listener.seen[ordinal >>> 5] ?? 0) & (1 << (ordinal & 31))) !== 0;
}

function markSeen(listener: Listener, ordinal: number): void {
  const word = ordinal >>> 5;
  if (word >= listener.seen.length) {
    const larger = new Uint32Array(Math.max(word + 1, listener.seen.length * 2));
    larger.set(listener.seen);
    listener.seen = larger;
  }
  listener.seen[word] = (listener.seen[word] ?? 0) | (1 << (ordinal & 31));
}

interface Judged {
  readonly entries: readonly DeliveryEntry[];
  readonly listeners: readonly Listener[];
  readonly audienceOf: (sending: Sending) => number;
}

function judge({ entries, listeners, audienceOf }: Judged) {
  const sent = entries.filter(({ sending }) => sending !== undefined);
  const mentionsOf = new Map<number | undefined, number>();
  for (const { sending } of sent) {
    const userId = sending?.mentionedUserId;
    mentionsOf.set(userId, (mentionsOf.get(userId) ?? 0) + 1);
  }
  const toMarked = sent.filter(({ sending }) => sending?.mentionsMarked).length;
  const mentionsExpected = ({ userId, isMarked }: Listener) =>
    (mentionsOf.get(userId) ?? 0) + (isMarked ? toMarked : 0);
  const delivered = sum(sent, ({ deliveryCount }) => deliveryCount);
  // Delivered, but in no reply: a retry that was stored a second time looks like this.
  const unasked = sum(entries, (entry) => (entry.sending ? 0 : entry.deliveryCount));
  return {
    sent: sent.length,
    delivered,
    lost: sum(sent, ({ sending }) => (sending ? audienceOf(sending) : 0)) - delivered,
    repeated: unasked + sum(listeners, ({ repeatedCount }) => repeatedCount),
    outOfOrder: sum(listeners, ({ outOfOrderCount }) => outOfOrderCount),
    strayed: sum(listeners, ({ strayedCount }) => strayedCount),
    altered: sent.filter(isAltered).length,
    mentionsExpected: sum(listeners, mentionsExpected),
    mentionsSeen: sum(listeners, ({ mentionCount }) => mentionCount),
    mentionsWrong: sum(listeners, (one) => Math.abs(mentionsExpected(one) - one.mentionCount)),
  };
}

function isAltered({ sending, seen }: DeliveryEntry): boolean {
  if (sending?.content === undefined) return false;
  return seen.some(
    (one) =>
      isOtherContent(one, sending) ||
      one.topic !== sending.topic ||
      isElsewhere(one, sending) ||
      (sending.senderId !== undefined && one.senderId !== sending.senderId),
  );
}

function isElsewhere({ channel }: SeenMessage, sending: Sending): boolean {
  if (channel === undefined || sending.channel === undefined) return false;
  return channel !== sending.channel;
}

function isOtherContent({ content, isHtml }: SeenMessage, sending: Sending): boolean {
  const expected = isHtml ? sending.html : sending.content;
  // White space around a message is not part of it.
  return expected !== undefined && content.trim() !== expected.trim();
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
