import { z } from 'zod';

const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };

/**
 * Keeps a 64-bit integer as text in its canonical form, since a number of JavaScript cannot hold
 * it.
 */
export const int64 = z.string().transform((given, context) => {
  const text = given.trim();
  if (/^-?\d{1,19}$/.test(text)) {
    const value = BigInt(text);
    if (value >= INT64.min && value <= INT64.max) return String(value);
  }
  context.addIssue({ code: 'custom', message: 'is not an integer of 64 bits' });
  return z.NEVER;
});
