import type { HistoryChannel } from '../../history.ts';

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
