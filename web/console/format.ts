import type { SeriesSpec } from '../../src/console/wire.ts';

const NOTHING = '–';

/** Returns a value of a series with its unit. */
export function shown(value: number | null | undefined, unit: SeriesSpec['unit']): string {
  if (value === null || value === undefined) return NOTHING;
  if (unit === 'seconds') return duration(value);
  if (unit === 'bytes') return size(value);
  if (unit === 'share') return `${(value * 100).toFixed(value < 0.1 ? 1 : 0)} %`;
  return unit === 'per second' ? `${count(value)} /s` : count(value);
}

/** Returns a number with as many digits as one takes in. */
export function count(value: number): string {
  const rounded = Math.abs(value) < 10 ? Math.round(value * 10) / 10 : Math.round(value);
  if (Math.abs(rounded) < 1e5) return rounded.toLocaleString('en-US');
  return Math.abs(rounded) < 1e7
    ? `${(rounded / 1e3).toFixed(0)}k`
    : `${(rounded / 1e6).toFixed(1)}M`;
}

export function duration(seconds: number): string {
  if (seconds === 0) return '0 ms';
  if (seconds < 0.000_95) return `${Math.round(seconds * 1e6)} µs`;
  if (seconds < 0.995)
    return `${(seconds * 1e3).toPrecision(seconds < 0.01 ? 2 : 3).replace(/\.0+$/, '')} ms`;
  if (seconds < 100) return `${seconds.toFixed(1)} s`;
  return span(seconds);
}

export function size(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const step = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 2 ** (10 * step);
  return `${value.toFixed(step === 0 || value >= 100 ? 0 : 1)} ${units[step]}`;
}

/** Returns a long time in its two largest units: `3 h 12 min`. */
export function span(seconds: number): string {
  const units = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ] as const;
  const first = units.findIndex(([, length]) => seconds >= length);
  if (first < 0) return '0 s';
  let left = Math.floor(seconds);
  const parts: string[] = [];
  for (const [name, length] of units.slice(first, first + 2)) {
    const whole = Math.floor(left / length);
    left -= whole * length;
    if (whole > 0) parts.push(`${whole} ${name}`);
  }
  return parts.join(' ');
}

/** Returns how long ago a time (UNIX ms) was, or how far off it is. */
export function ago(at: number | null, now = Date.now()): string {
  if (at === null) return 'never';
  const seconds = Math.round((now - at) / 1_000);
  if (Math.abs(seconds) < 2) return 'now';
  return seconds > 0 ? `${span(seconds)} ago` : `in ${span(-seconds)}`;
}

const pad = (number: number) => String(number).padStart(2, '0');

/** Returns the time of day of a time (UNIX ms), where the reader is. */
export function clock(at: number): string {
  const date = new Date(at);
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

/** Returns the whole time, in UTC. */
export const stamp = (at: number): string =>
  new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
