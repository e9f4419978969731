export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const NEW_LINE = 0x0a;
export const CARRIAGE_RETURN = 0x0d;
export const OPEN_BRACE = 0x7b;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACE = 0x7d;
export const CLOSE_BRACKET = 0x5d;

/** The kinds of bytes outside of strings; those of texts, numbers and bare words are 0. */
export const [TEXT, BLANK, LINE_BREAK, QUOTATION, SEPARATOR, ASSIGNMENT, OPENING, CLOSING] = [
  0, 1, 2, 3, 4, 5, 6, 7,
];

export const SIGN_OF = new Uint8Array(256);
for (const byte of [0x20, 0x09, CARRIAGE_RETURN]) SIGN_OF[byte] = BLANK;
SIGN_OF[NEW_LINE] = LINE_BREAK;
SIGN_OF[QUOTE] = QUOTATION;
SIGN_OF[COMMA] = SEPARATOR;
SIGN_OF[COLON] = ASSIGNMENT;
for (const byte of [OPEN_BRACE, OPEN_BRACKET]) SIGN_OF[byte] = OPENING;
for (const byte of [CLOSE_BRACE, CLOSE_BRACKET]) SIGN_OF[byte] = CLOSING;

/** Tells whether a byte may follow the end of a string. */
export const MAY_FOLLOW_STRING = Uint8Array.from(SIGN_OF, (sign) =>
  [BLANK, LINE_BREAK, SEPARATOR, ASSIGNMENT, CLOSING].includes(sign) ? 1 : 0,
);

export const isOpening = (byte: number): boolean => SIGN_OF[byte] === OPENING;

export function isBlank(byte: number | undefined): boolean {
  const sign = SIGN_OF[byte ?? 0];
  return sign === BLANK || sign === LINE_BREAK;
}
