import { CODES, zeroes } from '../labels.ts';
import type { Recorders } from '../recorders.ts';

/** Adds up the answers of the endpoints of some names, by their code. */
export function answersOf(
  { http }: Recorders,
  names: readonly string[],
): Readonly<Record<string, number>> {
  const sums = zeroes(CODES);
  for (const name of names) {
    const endpoint = http.names.indexOf(name);
    for (const [index, code] of CODES.entries()) {
      if (endpoint >= 0) sums[code] += http.answers[endpoint * CODES.length + index] ?? 0;
    }
  }
  return { ok: sums['2xx'], refused: sums['4xx'], failed: sums['5xx'] };
}

export const RESULTS = ['ok', 'refused', 'failed'] as const;
