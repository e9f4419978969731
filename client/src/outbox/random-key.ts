/** As many as a random UUID has, and some more. */
const BYTES = 16;

/**
 * Returns a key that nobody else has. Pages that came over plain HTTP from another machine have no
 * `crypto.randomUUID`.
 */
export const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
