/**
 * Words of a text as a search compares them: without case and accents, and without the endings of
 * English, so that "searching" finds "searches".
 */

import stem from 'wink-porter2-stemmer';

const BEYOND_ASCII = /[^\0-\x7f]/;

/** Folds a text: texts that differ only in case and accents fold to the same one. */
export const folded = (text: string): string =>
  BEYOND_ASCII.test(text) ? foldedCharacters(text) : text.toLowerCase();

/** Each character is folded by itself: a sigma that ends a word is one like the others. */
const foldedCharacters = (text: string) =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ς', 'σ');

const foldedBefore = new Map<string, string>();
/** Characters whose folding is cached: more than the signs of any one language. */
const FOLDED_REMEMBERED_MAX = 50_000;

/** Texts repeat their characters, and folding one takes as long as folding a line. */
function foldedCharacter(character: string): string {
  const known = foldedBefore.get(character);
  if (known !== undefined) return known;
  if (foldedBefore.size >= FOLDED_REMEMBERED_MAX) foldedBefore.clear();
  const result = foldedCharacters(character);
  foldedBefore.set(character, result);
  return result;
}

/** A folded text, and the way back from its positions to those of the original. */
export interface Folded {
  readonly text: string;
  /**
   * Returns the range of the original that is folded to `start` up to `end`, with the marks that
   * follow it.
   */
  place(start: number, end: number): { readonly start: number; readonly end: number };
}

export function foldedInPlace(text: string): Folded {
  if (!BEYOND_ASCII.test(text)) {
    return { text: text.toLowerCase(), place: (start, end) => ({ start, end }) };
  }
  let result = '';
  const origins: number[] = [];
  let at = 0;
  for (const character of text) {
    const part = foldedCharacter(character);
    for (let index = 0; index < part.length; index++) origins.push(at);
    result += part;
    at += character.length;
  }
  return {
    text: result,
    place(start, end) {
      const last = origins[end - 1] ?? text.length;
      let after = end;
      while (origins[after] === last) after += 1;
      return { start: origins[start] ?? text.length, end: origins[after] ?? text.length };
    },
  };
}

export const Kind = { space: 1, sign: 2, word: 3, unspaced: 4 } as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

/** A run of characters of one kind in a folded text. */
export interface Run {
  readonly kind: Exclude<Kind, typeof Kind.space>;
  readonly start: number;
  readonly end: number;
}

/**
 * Scripts that put no spaces between words: a run of them is not one word. Korean does, but it
 * appends particles to a word without one, to Latin words as well.
 */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const LETTER = /[\p{L}\p{N}]/u;

/** The kind of each code point, 0 if it is not known yet: texts repeat their characters. */
const kinds = new Uint8Array(0x110000);

function kindOf(codePoint: number): Kind {
  const known = kinds[codePoint];
  if (known !== 0) return known as Kind; // only kinds are put there
  const character = String.fromCodePoint(codePoint);
  const kind = /\s/.test(character)
    ? Kind.space
    : !LETTER.test(character)
      ? Kind.sign
      : UNSPACED.test(character)
        ? Kind.unspaced
        : Kind.word;
  kinds[codePoint] = kind;
  return kind;
}

/**
 * Takes a folded text apart; calls `visit` for each run in order, until a call returns `enough`.
 */
export function eachRun(
  text: string,
  visit: (kind: Run['kind'], start: number, end: number) => unknown,
) {
  let start = 0;
  let current: Kind = Kind.space;
  for (let at = 0; at < text.length; ) {
    const codePoint = text.codePointAt(at) ?? 0;
    const kind = kindOf(codePoint);
    if (kind !== current) {
      if (current !== Kind.space && visit(current, start, at) === enough) return;
      start = at;
      current = kind;
    }
    at += codePoint > 0xffff ? 2 : 1;
  }
  if (current !== Kind.space) visit(current, start, text.length);
}

/** The value by which a visitor ends the walk. */
export const enough = Symbol('enough');

export function runsOf(text: string): Run[] {
  const runs: Run[] = [];
  eachRun(text, (kind, start, end) => runs.push({ kind, start, end }));
  return runs;
}

const INFLECTED_LENGTH_MIN = 4;
/** Longer words are not words of a language. */
const INFLECTED_LENGTH_MAX = 40;

const stemsBefore = new Map<string, string>();
/** Texts repeat their words, and a search meets the same ones in each segment of the index. */
const STEMS_REMEMBERED_MAX = 10_000;

/**
 * Returns what the forms of one English word have in common; any other word is its own stem. Takes
 * it folded.
 */
export function stemOf(word: string): string {
  if (word.length < INFLECTED_LENGTH_MIN || word.length > INFLECTED_LENGTH_MAX) return word;
  const known = stemsBefore.get(word);
  if (known !== undefined) return known;
  if (!/^[a-z]+$/.test(word)) return word;
  if (stemsBefore.size >= STEMS_REMEMBERED_MAX) stemsBefore.clear();
  const result = englishStem(word);
  stemsBefore.set(word, result);
  return result;
}

function englishStem(word: string): string {
  if (PLURAL_ABBREVIATION.test(word)) return word.slice(0, -1);
  const result = stem(word);
  // The index looks for a stem among the words that begin like it: "dying", which would be "die",
  // does not.
  return word.startsWith(beginningOf(result)) ? result : word;
}

/** The stemmer leaves an `s` behind a word without vowels, such as "pdfs". */
const PLURAL_ABBREVIATION = /^[b-df-hj-np-tv-xz]+[b-df-hj-np-rtv-xz]s$/;

/**
 * Returns the beginning that all words with this stem share: two letters are never changed, and of
 * longer stems the last one may be.
 */
export const beginningOf = (stem: string): string =>
  stem.length > 2 && /^[a-z]+$/.test(stem) ? stem.slice(0, -1) : stem;
