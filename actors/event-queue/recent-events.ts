import { RECENT_EVENT_BYTES_MAX, RECENT_EVENTS_MAX } from '../../src/domain/limits/event-queues.ts';
import type { LogEntry } from '../../src/domain/wire/events/log-entry.ts';
import { type Announced, announced } from '../../src/events/for-client.ts';

/**
 * The newest events, held once for all queues, so that a poll that comes back a moment later reads
 * no disk. After a restart it begins empty: the first queue that missed something reads it for all
 * that missed the same.
 */
export interface RecentEvents {
  add(entry: LogEntry): Announced;
  /** Keeps a stretch that was read of the log, if it joins the events held and there is room. */
  addOlder(stretch: readonly Announced[]): void;
  /** Returns the events from the first id to the last; undefined if the first is not held. */
  between(first: number, last: number): readonly Announced[] | undefined;
}

/** Ids in the log are consecutive, so an id is an index. */
export function recentEvents(): RecentEvents {
  let events: Announced[] = [];
  let bytes = 0;
  return {
    add(entry) {
      const announcement = announced(entry);
      events.push(announcement);
      bytes += bytesOf(entry);
      if (events.length > RECENT_EVENTS_MAX || bytes > RECENT_EVENT_BYTES_MAX) {
        // Half at a time: dropping one by one would move the whole array for every event.
        events = events.slice(Math.ceil(events.length / 2));
        bytes = events.reduce((sum, kept) => sum + bytesOf(kept.entry), 0);
      }
      return announcement;
    },
    addOlder(stretch) {
      const [oldest] = events;
      if (oldest === undefined) return;
      const older = stretch.filter(({ entry }) => entry.id < oldest.entry.id);
      if (older.at(-1)?.entry.id !== oldest.entry.id - 1) return;
      const more = older.reduce((sum, { entry }) => sum + bytesOf(entry), 0);
      if (events.length + older.length > RECENT_EVENTS_MAX) return;
      if (bytes + more > RECENT_EVENT_BYTES_MAX) return;
      events = [...older, ...events];
      bytes += more;
    },
    between(first, last) {
      const start = first - (events[0]?.entry.id ?? 0);
      return events[start] === undefined
        ? undefined
        : events.slice(start, start + last - first + 1);
    },
  };
}

/** Memory for the fields and some encodings of an event; contents are held in several formats. */
const EVENT_BYTES = 2_000;
const COPIES_OF_CONTENT = 6;

const bytesOf = ({ event }: LogEntry) => {
  const content = event.type === 'message' ? event.message.content : '';
  return EVENT_BYTES + COPIES_OF_CONTENT * content.length;
};
