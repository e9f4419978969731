/** Returns the characters of an emoji by its code, such as `1f44d`. */
export const emojiOf = (code: string): string =>
  String.fromCodePoint(
    ...code
      .split('-')
      .map((part) => Number.parseInt(part, 16))
      .filter((point) => point <= 0x10ffff),
  );
