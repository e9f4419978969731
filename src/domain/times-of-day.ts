/** A time of each day, or a minute of each hour, in UTC. */
export interface TimeOfDay {
  /** Null: every hour. */
  readonly hour: number | null;
  readonly minute: number;
}

const FORM = /^(\*|[01]\d|2[0-3]):([0-5]\d)$/;

export const isTimeOfDay = (text: string): boolean => FORM.test(text);

/** Reads `03:30`, or `*:15` for a quarter past each hour. */
export function timeOfDay(text: string): TimeOfDay {
  const [, hour = '*', minute = '0'] = FORM.exec(text) ?? [];
  return { hour: hour === '*' ? null : Number(hour), minute: Number(minute) };
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Returns the next of these times after a moment, in UNIX milliseconds. */
export const nextTime = (times: readonly TimeOfDay[], after: number): number =>
  Math.min(...times.map((time) => latestOf(time, after) + periodOf(time)));

/** Returns the latest of these times that is not after a moment. */
export const latestTime = (times: readonly TimeOfDay[], at: number): number =>
  Math.max(...times.map((time) => latestOf(time, at)));

const periodOf = ({ hour }: TimeOfDay) => (hour === null ? HOUR_MS : DAY_MS);

function latestOf(time: TimeOfDay, at: number): number {
  const period = periodOf(time);
  const offset = (time.hour ?? 0) * HOUR_MS + time.minute * MINUTE_MS;
  return Math.floor((at - offset) / period) * period + offset;
}
