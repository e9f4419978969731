import {
  CATCH_UP_CONTENT_PER_STEP,
  CATCH_UP_ROWS_PER_STEP,
} from '../../src/domain/limits/event-queues.ts';
import { type Announced, announced, bodyLength } from '../../src/events/for-client.ts';
import type { RealmReader } from '../../storage/transaction.ts';
import { matches, withoutFlags } from './filter.ts';
import { isMeant } from './listeners.ts';
import type { LogTail } from './log-tail.ts';
import type { AttachedQueue, Listener } from './queue.ts';

/**
 * Returns the events for a queue in the next stretch of the log after its position, and the
 * position reached. Reads memory if it holds the stretch, else the log; never past the announced
 * head.
 */
export function takeStep(
  { recent, reader, head }: LogTail,
  queue: AttachedQueue,
  listener: Listener,
): { events: Announced[]; position: number } {
  const last = Math.min(head, queue.position + CATCH_UP_ROWS_PER_STEP);
  const first = queue.position + 1;
  const listening = { queue, listener };
  const remembered = recent.between(first, last);
  if (remembered !== undefined) return takeOf(remembered, listening, last);
  const read: Announced[] = [];
  const step = takeOf(logged(reader, { first, last }, read), listening, last);
  recent.addOlder(read);
  return step;
}

interface Listening {
  readonly queue: AttachedQueue;
  readonly listener: Listener;
}

function takeOf(stretch: Iterable<Announced>, listening: Listening, last: number) {
  const events: Announced[] = [];
  let taken = 0;
  for (const announcement of stretch) {
    const count = events.length;
    takeIfDue(listening, announcement, events);
    if (events.length > count) taken += bodyLength(announcement, listening.queue.format);
    if (taken > CATCH_UP_CONTENT_PER_STEP) return { events, position: announcement.entry.id };
  }
  return { events, position: last };
}

function takeIfDue({ queue, listener }: Listening, announcement: Announced, due: Announced[]) {
  const { id, audience } = announcement.entry;
  // A heartbeat is for those who waited then; the snapshot has all up to where the queue started.
  if (audience.heartbeat || id <= queue.startedAt) return;
  if (isMeant(listener, audience, id)) {
    if (matches(queue, announcement)) due.push(announcement);
  } else if (audience.isPublicChannel && queue.kind.options.allPublicChannels) {
    const plain = withoutFlags(announcement);
    if (matches(queue, plain)) due.push(plain);
  }
}

/** Reads the log and adds each event to `read`, as the caller may stop before the end. */
function* logged(
  reader: RealmReader,
  { first, last }: { readonly first: number; readonly last: number },
  read: Announced[],
): Iterable<Announced> {
  for (const [, entry] of reader.events.range({ start: [first], end: [last + 1] })) {
    const announcement = announced(entry);
    read.push(announcement);
    yield announcement;
  }
}
