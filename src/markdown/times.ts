import type { StateInline } from 'markdown-it';
import { escapeHtml } from './library.ts';
import { hasRoomFor, renderingOf } from './rendering.ts';

/** The bound is longer than any time that can be written. */
const TIME = /<time:([^<>\n]{1,64})>/y;

/** Reads `<time:2023-05-28T13:30:00+05:30>`, or UNIX seconds (reference/endpoints.md 5.5). */
export function time(state: StateInline, silent: boolean): boolean {
  if (state.src[state.pos] !== '<') return false;
  TIME.lastIndex = state.pos;
  const typed = TIME.exec(state.src)?.[1];
  if (typed === undefined || TIME.lastIndex > state.posMax) return false;
  const html = timeHtml(typed);
  if (!silent) {
    if (hasRoomFor(renderingOf(state.env), html)) {
      state.push('finished_html', '', 0).content = html;
    } else state.pending += `<time:${typed}>`;
  }
  state.pos = TIME.lastIndex;
  return true;
}

function timeHtml(typed: string): string {
  const at = timeOf(typed.trim());
  const text = escapeHtml(typed);
  if (at === null) return `<span class="timestamp-error">Invalid time format: ${text}</span>`;
  return `<time datetime="${at.toISOString().replace('.000Z', 'Z')}">${text}</time>`;
}

const SECONDS = /^\d{1,12}(?:\.\d{1,9})?$/;
const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?)? ?(?:(Z)|([+-])(\d{2}):?(\d{2}))?$/i;
/** The last second of the year 9999. */
const SECONDS_MAX = 253_402_300_799;

/** Parses a time to the second, in UTC if it has no offset. Returns null for any other text. */
function timeOf(typed: string): Date | null {
  if (SECONDS.test(typed)) {
    const seconds = Math.floor(Number(typed));
    return seconds > SECONDS_MAX ? null : new Date(seconds * 1000);
  }
  const match = ISO.exec(typed);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((digits) => Number(digits ?? 0));
  const [offsetHours, offsetMinutes] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59)
    return null;
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  local.setUTCHours(hour, minute, second);
  // The 31st of a short month would be a day of the next one.
  if (local.getUTCMonth() !== month - 1) return null;
  const offsetMs = (offsetHours * 60 + offsetMinutes) * 60_000 * (match[8] === '-' ? -1 : 1);
  const at = local.getTime() - offsetMs;
  return at < YEAR_1 || at > SECONDS_MAX * 1000 ? null : new Date(at);
}

const YEAR_1 = new Date(0).setUTCFullYear(1, 0, 1);
