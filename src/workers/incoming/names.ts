export const oneLine = (text: string) =>
  text.replace(/[\s\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]+/gu, ' ').trim();

/** Leaves no character in a name that means something in Markdown. */
export const nameIn = (text: string) =>
  oneLine(text.slice(0, 200).replace(/[^\p{L}\p{N}\p{M} .,'+@-]/gu, ' ')).slice(0, 100);
