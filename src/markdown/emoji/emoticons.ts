/**
 * The emoticons that the setting `translate_emoticons` turns into emoji (reference/endpoints.md
 * 5.4).
 */
const EMOTICONS: ReadonlyMap<string, string> = new Map([
  [':)', 'smile'],
  [':-)', 'smile'],
  ['(:', 'smile'],
  [':(', 'slightly_frowning_face'],
  [':-(', 'slightly_frowning_face'],
  ['<3', 'heart'],
  [':|', 'neutral_face'],
  [':/', 'confused'],
  [';)', 'wink'],
  [';-)', 'wink'],
  [':D', 'grinning'],
  [':-D', 'grinning'],
  [':o', 'open_mouth'],
  [':O', 'open_mouth'],
]);

/**
 * An emoticon stands between blanks, or before the end of a sentence: anything else is code, a
 * time, a path.
 */
const EMOTICON = /(?<=^|\s)(?:[:;]-?\)|\(:|:-?\(|<3|:-?D|:[|/oO])(?=$|[\s.,;!?])/g;

export const mayHoldEmoticon = (text: string): boolean => text.search(EMOTICON) >= 0;

export interface Emoticon {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** Yields the emoticons of a text, in order. */
export function* emoticonsIn(text: string): Generator<Emoticon> {
  for (const { 0: typed, index: start } of text.matchAll(EMOTICON)) {
    const name = EMOTICONS.get(typed);
    if (name !== undefined) yield { start, end: start + typed.length, name };
  }
}
