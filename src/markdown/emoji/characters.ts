import * as emoji from '../../domain/rules/texts/emoji.ts';

/**
 * Tests for a character that is shown as an image. Characters that are also signs of a text (`©`,
 * `✔`) count only with the selector behind them that asks for the image.
 */
export const mayHoldEmoji = (text: string): boolean => HIGH.test(text) && SHOWN_AS_IMAGE.test(text);

/** Emoji are all in this range; most texts have no such character, which is seen much faster. */
const HIGH = /[\u2300-\uffff]/;
const SHOWN_AS_IMAGE = /\p{Emoji_Presentation}|\ufe0f/u;
/** This selector asks for the sign of a text instead. */
const TEXT_SELECTOR = '\ufe0e';

const CHARACTER = String.raw`\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier}|[\u{e0020}-\u{e007e}]{1,8}\u{e007f})?`;
/**
 * Matches one emoji as people see it: a keycap, a flag, or some characters joined; Unicode joins up
 * to four. Exported so that a test can attack it.
 */
export const EMOJI = new RegExp(
  String.raw`[0-9#*]\ufe0f\u20e3|\p{Regional_Indicator}{2}|${CHARACTER}(?:\u200d${CHARACTER}){0,5}`,
  'gu',
);

export interface EmojiCharacter {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly code: string;
}

/**
 * Yields the emoji of a text, in order. A character without a name in Unicode is left to the
 * client's font.
 */
export function* emojiIn(text: string): Generator<EmojiCharacter> {
  if (!mayHoldEmoji(text)) return;
  for (const { 0: character, index: start } of text.matchAll(EMOJI)) {
    const end = start + character.length;
    if (!mayHoldEmoji(character) || text[end] === TEXT_SELECTOR) continue;
    const code = emoji.codeOfCharacter(character);
    const name = emoji.nameOf(code);
    if (name !== undefined) yield { start, end, name, code };
  }
}
