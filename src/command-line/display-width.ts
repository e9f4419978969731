/** Characters that take two columns of a terminal: East Asian wide ones and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

const segmenter = new Intl.Segmenter();

/** Returns how many columns of a terminal a text takes. */
export function displayWidth(text: string): number {
  if (/^[\u0020-\u007e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) {
    if (/^\p{Mark}+$/u.test(segment)) continue;
    width += WIDE.test(segment) ? 2 : 1;
  }
  return width;
}

/**
 * Replaces characters that move the cursor or turn the direction of the text: names come from
 * anybody, and a terminal obeys them.
 */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '·');
