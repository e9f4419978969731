/** The characters of the bytes 0 to 255 in windows-1252, as decoders take unknown charsets. */
const CHARACTERS = new TextDecoder('windows-1252').decode(
  Uint8Array.from({ length: 256 }, (_, byte) => byte),
);
const BYTES = new Map(Array.from(CHARACTERS, (character, byte) => [character, byte]));

/**
 * Returns a text whose bytes were UTF-8 while its mail said something else, or nothing that is
 * known. Bytes that are valid UTF-8 and not only ASCII mean something else in no other charset.
 */
export function mendedText(text: string): string {
  if (!/[\u00c2-\u00f4]/.test(text)) return text;
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index += 1) {
    const byte = BYTES.get(text[index] ?? '');
    if (byte === undefined) return text;
    bytes[index] = byte;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return text;
  }
}
