import type { HistoryChannel } from '../../history.ts';

/**
 * Returns the subscribers of a channel, with the time until which they have read it, in UNIX seconds;
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
