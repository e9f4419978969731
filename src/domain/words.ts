/**
 * Words of a text as a search compares them: without case and accents, and without the endings of English, so that
 * "searching" finds "searches".
 */

/** Letters and digits, with the marks that belong to them. */
export const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

/** A run of these scripts is not one word: they put no spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;

export const isUnspaced = (word: string): boolean => UNSPACED.test(word);

const BEYOND_ASCII = /[^\0-\x7f]/;

/** Equal for texts that differ in case and accents alone. */
export const folded = (text: string): string =>
  BEYOND_ASCII.test(text)
    ? text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
    : text.toLowerCase();

const INFLECTED_LENGTH_MIN = 4;
/** Longer ones are no words of a language. */
const INFLECTED_LENGTH_MAX = 40;

/**
 * What the forms of one English word have in common; any other word is itself. But for its last letter it is the
 * beginning of the folded word.
 */
export function stemOf(word: string): string {
  const plain = folded(word);
  if (plain.length < INFLECTED_LENGTH_MIN || plain.length > INFLECTED_LENGTH_MAX) return plain;
  if (!/^[a-z]+$/.test(plain)) return plain;
  const base = withoutEnding(withoutPlural(plain));
  return base.replace(/^(.{3,}?)e+$/, '$1').replace(/^(.{3,})y$/, '$1i');
}

function withoutPlural(word: string): string {
  if (/(?:ss|us|is)$/.test(word) || !word.endsWith('s')) return word;
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  return /(?:ss|sh|ch|x|z)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

/** Of the past and of what goes on: "stopped" and "stopping" are forms of "stop". */
function withoutEnding(word: string): string {
  const base = /^(.*[aeiouy].*?)(?:ing|ed)$/.exec(word)?.[1];
  if (base === undefined || base.length < 3) return word;
  return /([^aeiouylsz])\1$/.test(base) ? base.slice(0, -1) : base;
}
