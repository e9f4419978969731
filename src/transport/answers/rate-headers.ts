import type { Quota } from '../../endpoints/request-rate.ts';

/** Digits of the largest number: seconds since 1970. */
const WIDTH = 10;
const SPACE = 32;
const DIGIT_0 = 48;
const NAMES = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/**
 * Builds a head with the rate-limit headers of every answer (reference/endpoints.md section 3). The
 * numbers are written into the same bytes each time, behind spaces, which are not part of a value:
 * no string is built for an answer, and the library copies the bytes.
 */
export function ratedHead(head: Uint8Array): (quota: Quota) => Uint8Array {
  const bytes = Buffer.from(
    [
      Buffer.from(head).toString('latin1'),
      ...NAMES.map((name) => `${name}: ${' '.repeat(WIDTH)}`),
    ].join('\r\n'),
    'latin1',
  );
  const [limitEnd = 0, remainingEnd = 0, resetEnd = 0] = NAMES.map(
    (name) => bytes.indexOf(`${name}: `) + name.length + 2 + WIDTH,
  );
  return ({ limit, remaining, resetAt }) => {
    writeNumber(bytes, limit, limitEnd);
    writeNumber(bytes, remaining, remainingEnd);
    writeNumber(bytes, resetAt, resetEnd);
    return bytes;
  };
}

function writeNumber(bytes: Uint8Array, value: number, end: number) {
  let rest = value;
  let at = end;
  do {
    at -= 1;
    const next = Math.trunc(rest / 10);
    bytes[at] = DIGIT_0 + rest - next * 10;
    rest = next;
  } while (rest > 0);
  while (at > end - WIDTH) {
    at -= 1;
    bytes[at] = SPACE;
  }
}
