import { TRAFFIC_AGE_SECONDS_MIN, TRAFFIC_SECONDS } from '../../limits/channels.ts';

interface Counted {
  /** Messages sent to the channel in the last 28 days. */
  readonly count: number;
  readonly ageSeconds: number;
}

/**
 * Returns the average messages a week as clients show it: rounded to two significant digits, and at
 * least one if there was any message. Null while a channel is younger than a week.
 */
export function weeklyTraffic({ count, ageSeconds }: Counted): number | null {
  if (ageSeconds < TRAFFIC_AGE_SECONDS_MIN) return null;
  const days = Math.floor(Math.min(ageSeconds, TRAFFIC_SECONDS) / DAY_SECONDS);
  const average = Math.floor((count * 7) / days);
  return count > 0 && average === 0 ? 1 : twoDigits(average);
}

const DAY_SECONDS = 86_400;

function twoDigits(number: number): number {
  const unit = 10 ** Math.max(0, String(number).length - 2);
  return Math.round(number / unit) * unit;
}
