import { CODINGS } from '../../metrics/labels.ts';

/** The codings of answers (RFC 9110, 8.4); who takes both equally gets the first. */
export type Coding = (typeof CODINGS)[number];

/** The names in `Accept-Encoding`: a coding, the one of answers as they are, or any other. */
const NAMES: ReadonlyMap<string, Coding | 'identity' | '*'> = new Map([
  ['br', 'br'],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['identity', 'identity'],
  ['*', '*'],
]);

/** Browsers and libraries send few different headers, so the answers for these are kept. */
const KEPT_MAX = 64;
const KEPT_LENGTH_MAX = 100;
const kept = new Map<string, Coding | null>();

/**
 * Returns the coding that a client wants most by its `Accept-Encoding`; null for an answer as it
 * is. A client that refuses all of them gets that one as well: it can still say that it cannot read
 * it.
 */
export function codingFor(header: string): Coding | null {
  if (header === '') return null;
  const before = kept.get(header);
  if (before !== undefined) return before;
  const coding = codingIn(header);
  if (header.length <= KEPT_LENGTH_MAX) {
    if (kept.size >= KEPT_MAX) kept.clear();
    kept.set(header, coding);
  }
  return coding;
}

function codingIn(header: string): Coding | null {
  const weights = new Map<string, number>();
  for (const item of header.split(',')) {
    const [word = '', ...parameters] = item.split(';');
    const name = NAMES.get(word.trim().toLowerCase());
    if (name !== undefined && !weights.has(name)) weights.set(name, weightOf(parameters));
  }
  const others = weights.get('*');
  let best: Coding | null = null;
  let bestWeight = weights.get('identity') ?? 0;
  for (const coding of CODINGS) {
    const weight = weights.get(coding) ?? others ?? 0;
    if (weight > 0 && (best === null ? weight >= bestWeight : weight > bestWeight)) {
      best = coding;
      bestWeight = weight;
    }
  }
  return best;
}

/** Returns the weight that the parameters of an item say; 0 if it cannot be read. */
export function weightOf(parameters: readonly string[]): number {
  const said = parameters.map((text) => text.trim()).find((text) => /^q *=/i.test(text));
  if (said === undefined) return 1;
  const [, weight] = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i.exec(said) ?? [];
  return weight === undefined ? 0 : Number(weight);
}
