import { CATCH_UP_CONTENT_PER_STEP, CATCH_UP_ROWS_PER_STEP } from '../../src/domain/limits.ts';
import { type Announced, announced, bodyLength } from '../../src/events/for-client.ts';
import type { RealmReader } from '../../storage/transaction.ts';
import { isMeant } from './listeners.ts';
import type { EventQueue, Listener } from './queue.ts';
import type { RecentEvents } from './recent-events.ts';
import { isWanted, withoutFlags } from './wanted.ts';

interface StepInput {
  readonly queue: EventQueue;
  readonly listener: Listener;
  readonly recent: RecentEvents;
  readonly reader: RealmReader;
  readonly head: number;
}

/**
 * What a queue is due in the next stretch of the log after its position, and the position reached. Reads memory where it
 * holds the stretch, the log where it does not; never past the announced head.
 */
export function takeStep(input: StepInput): { events: Announced[]; position: number } {
  const { queue, recent, head } = input;
  const last = Math.min(head, queue.position + CATCH_UP_ROWS_PER_STEP);
  const first = queue.position + 1;
  const remembered = recent.between(first, last);
  if (remembered !== undefined) return takeOf(remembered, input, last);
  const read: Announced[] = [];
  const step = takeOf(logged(input.reader, { first, last }, read), input, last);
  recent.addOlder(read);
  return step;
}

function takeOf(stretch: Iterable<Announced>, input: StepInput, last: number) {
  const events: Announced[] = [];
  let taken = 0;
  for (const announcement of stretch) {
    const count = events.length;
    takeIfDue(input, announcement, events);
    if (events.length > count) taken += bodyLength(announcement, input.queue.form);
    if (taken > CATCH_UP_CONTENT_PER_STEP) return { events, position: announcement.entry.id };
  }
  return { events, position: last };
}

function takeIfDue({ queue, listener }: StepInput, announcement: Announced, due: Announced[]) {
  const { id, audience } = announcement.entry;
  // A heartbeat is for who waited at the time; the snapshot holds all up to where the queue started.
  if (audience.heartbeat || id <= queue.startedAt) return;
  if (isMeant(listener, audience, id)) {
    if (isWanted(queue, announcement)) due.push(announcement);
  } else if (audience.isPublicChannel && queue.options.allPublicChannels) {
    const plain = withoutFlags(announcement);
    if (isWanted(queue, plain)) due.push(plain);
  }
}

/** Adds to `read` what it gives: whoever takes it may stop before the end. */
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
