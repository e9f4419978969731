/** The strength of a password in words, as far as a page without lists of words can tell. */
import { changeAccount } from './preferences.ts';

/** Other browsers are logged out by it, and keys of programs end. */
export const changePassword = (before: string, after: string) =>
  changeAccount({ old_password: before, new_password: after });

export interface Strength {
  /** The strongest is 4. */
  readonly level: 0 | 1 | 2 | 3 | 4;
  readonly words: string;
}

/** Guesses double with each bit; these are steps that passwords for people are judged by. */
const BITS: readonly (readonly [bits: number, words: string])[] = [
  [0, 'Too easy to guess'],
  [28, 'Weak: make it longer'],
  [45, 'Looks fair'],
  [60, 'Looks strong'],
];

const CLASSES: readonly (readonly [RegExp, size: number])[] = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/[0-9]/, 10],
  [/[^a-zA-Z0-9]/, 33],
];

/** A longer text is judged by its beginning. */
const JUDGED_LENGTH_MAX = 200;

/**
 * Judges a password by its length, the kinds of its characters, and how much of it repeats or goes
 * on from the character before. The server refuses what is among the common ones.
 */
export function strengthOf(password: string, lengthMin: number): Strength {
  if (password.length < lengthMin) {
    return { level: 0, words: `Too short: it needs ${lengthMin} characters` };
  }
  const bits = bitsOf([...password].slice(0, JUDGED_LENGTH_MAX));
  const level = BITS.filter(([least]) => bits >= least).length;
  return {
    level: Math.min(4, Math.max(1, level)) as Strength['level'],
    words: BITS[level - 1]?.[1] ?? '',
  };
}

function bitsOf(characters: readonly string[]): number {
  const text = characters.join('');
  const size = CLASSES.reduce((sum, [form, count]) => sum + (form.test(text) ? count : 0), 0);
  const seen = new Set<string>();
  let bits = 0;
  for (const [at, character] of characters.entries()) {
    const before = characters[at - 1]?.codePointAt(0) ?? Number.NaN;
    const step = (character.codePointAt(0) ?? 0) - before;
    // `aaaa`, `1234` and `dcba` say no more than how long they are.
    if (Math.abs(step) <= 1) bits += 1;
    else bits += seen.has(character) ? Math.log2(size) / 2 : Math.log2(size);
    seen.add(character);
  }
  return bits;
}
