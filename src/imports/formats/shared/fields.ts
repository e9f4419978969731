/** Reads fields of values whose shape an archive only promises. */

export type Fields = Readonly<Record<string, unknown>>;

export const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;

/** Returns the fields of a value, none for anything else. */
export const partOf = (value: unknown): Fields => fieldsOf(value) ?? {};

/** Returns a text, or `''`. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the first text that is not blank, or `''`. */
export const firstText = (...values: readonly unknown[]): string =>
  values.map((value) => textOf(value).trim()).find((text) => text !== '') ?? '';

/** Returns an id, which some services write as a number; `''` for anything else. */
export const idOf = (value: unknown): string =>
  typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : textOf(value);

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const partsOf = (value: unknown): Fields[] =>
  listOf(value)
    .map(fieldsOf)
    .filter((fields) => fields !== null);

/** Returns the number of an element, from 1, or its name. */
export const rowOf = (key: string | number | undefined): string =>
  typeof key === 'number' ? String(key + 1) : (key ?? '');

/** Returns the texts of a list, each once. */
export const textsOf = (value: unknown): string[] => [
  ...new Set(
    listOf(value)
      .map(idOf)
      .filter((text) => text !== ''),
  ),
];

/** The first second of 2100; the first services of this kind began after 1990. */
const SECONDS_MAX = 4_102_444_800;
const SECONDS_MIN = 631_152_000;

/** Returns UNIX seconds, or null for a time at which no service could have written. */
export const secondsOf = (seconds: number): number | null =>
  Number.isFinite(seconds) && seconds >= SECONDS_MIN && seconds < SECONDS_MAX
    ? Math.floor(seconds)
    : null;

/** Returns the seconds of a time in milliseconds. */
export const secondsOfMs = (value: unknown): number | null =>
  typeof value === 'number' ? secondsOf(value / 1000) : null;

/** An ISO 8601 time with a time zone. */
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/;

export const secondsOfIso = (value: unknown): number | null =>
  typeof value === 'string' && ISO_TIME.test(value) ? secondsOf(Date.parse(value) / 1000) : null;
