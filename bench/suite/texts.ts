/** A number of about three figures, with its unit. */
export function figureText(value: number, unit = ''): string {
  return unit === '' ? numberText(value) : `${numberText(value)} ${unit}`;
}

export function numberText(value: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return '–';
  if (size >= 100_000) return `${grouped(value / 1000)}k`;
  if (size >= 100) return grouped(value);
  if (size >= 10) return value.toFixed(1);
  if (size >= 1 || size === 0) return value.toFixed(2);
  return value.toPrecision(2);
}

const grouped = (value: number) => Math.round(value).toLocaleString('en');

export function percentText(part: number): string {
  return `${Math.round(part * 100)} %`;
}

/** Seconds as `2 min 10 s`. */
export function timeText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const minutes = Math.floor(whole / 60);
  return minutes === 0 ? `${whole} s` : `${minutes} min ${whole % 60} s`;
}

/** A text of this length that is one piece over and over. */
export const repeated = (piece: string, length: number): string =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
