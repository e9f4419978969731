import { signal } from '@preact/signals';

const DAY_MS = 86_400_000;

const clockOf = (is24: boolean) =>
  new Intl.DateTimeFormat(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    ...(is24 ? { hourCycle: 'h23' } : {}),
  });

/** Formats are made once: each costs a tenth of a millisecond. */
const clockFormat = signal(clockOf(false));
const weekdayFormat = new Intl.DateTimeFormat(undefined, { weekday: 'long' });
const dateFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const yearFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const wholeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short' });

const MINUTE_MS = 60_000;
/** As many as are on the screen in a while; what is kept are a few kilobytes. */
const KEPT_MAX = 2_000;

/** Keeps the texts of a format by minute: rows are made far more often than their times change. */
function byMinute(format: Intl.DateTimeFormat): (atMs: number) => string {
  const kept = new Map<number, string>();
  return (atMs) => {
    const minute = Math.floor(atMs / MINUTE_MS);
    const known = kept.get(minute);
    if (known !== undefined) return known;
    if (kept.size >= KEPT_MAX) kept.clear();
    const text = format.format(atMs);
    kept.set(minute, text);
    return text;
  };
}

let isClock24 = false;

/** Shows hours up to 23, or as the language of the browser has them. */
export function setClock(is24: boolean): void {
  if (is24 === isClock24) return;
  isClock24 = is24;
  clockFormat.value = clockOf(is24);
}

/** Returns the hour and minute. */
export const clock = (atMs: number): string => clockFormat.value.format(atMs);

/** Returns the whole of a time, for who wants to know exactly. */
export const wholeTime = byMinute(wholeFormat);

/** Returns the first midnight of the day of a time, or of a later day. */
function midnightOf(atMs: number, daysLater = 0): number {
  const date = new Date(atMs);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + daysLater).getTime();
}

/** Returns how many midnights lie between; a day may have 23 or 25 hours. */
const daysBetween = (atMs: number, nowMs: number): number =>
  Math.round((midnightOf(nowMs) - midnightOf(atMs)) / DAY_MS);

/** The span of a day: from its first moment to that of the next. */
const spanOf = (atMs: number) => ({ from: midnightOf(atMs), until: midnightOf(atMs, 1) });

const isIn = (atMs: number, { from, until }: ReturnType<typeof spanOf>) =>
  atMs >= from && atMs < until;

const NO_DAY = { from: 0, until: 0 };
/** The day that was asked for last: messages of a list are mostly of the same as the one before. */
let last = { span: NO_DAY, today: NO_DAY, name: '' };

/** Returns what people call the day of a time. */
export function day(atMs: number, nowMs: number): string {
  if (!isIn(atMs, last.span) || !isIn(nowMs, last.today)) {
    last = { span: spanOf(atMs), today: spanOf(nowMs), name: nameOf(atMs, nowMs) };
  }
  return last.name;
}

function nameOf(atMs: number, nowMs: number): string {
  const days = daysBetween(atMs, nowMs);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  if (days > 1 && days < 7) return weekdayFormat.format(atMs);
  const isThisYear = new Date(atMs).getFullYear() === new Date(nowMs).getFullYear();
  return isThisYear ? dateFormat.format(atMs) : yearFormat.format(atMs);
}

/** Returns a time in as few words as it needs: the clock today, else the day. */
export const shortTime = (atMs: number, nowMs: number): string =>
  daysBetween(atMs, nowMs) === 0 ? clock(atMs) : day(atMs, nowMs);
