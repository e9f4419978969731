import type { HistoryChannel, HistoryMessage } from '../../history.ts';

/**
 * Returns the subscribers of a channel, and the times (UNIX seconds) until which they have read it;
 * null for those of whom the archive does not say it.
 */
export function subscribed(
  readers: ReadonlyMap<string, number | null>,
): Pick<HistoryChannel, 'subscribers' | 'readUntil'> {
  const times = [...readers].flatMap(([user, time]) =>
    time === null ? [] : [[user, time] as const],
  );
  return {
    subscribers: [...readers.keys()],
    ...(times.length === 0 ? {} : { readUntil: new Map(times) }),
  };
}

/**
 * Returns which people of a conversation have read a message, by the times (UNIX seconds) until
 * which they have read; all have of whom the archive does not say it.
 */
export function readBy(
  people: readonly string[],
  readers: ReadonlyMap<string, number | null>,
  sentAt: number,
): Pick<HistoryMessage, 'readBy'> {
  const read = people.filter((user) => (readers.get(user) ?? sentAt) >= sentAt);
  return read.length === people.length ? {} : { readBy: read };
}
