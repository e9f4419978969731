import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Reads } from './groups.ts';

/** Texts are signed for one of these, and a signature for one is none for another. */
type Purpose = 'channel addresses' | 'reply addresses' | 'unsubscribing' | 'ending digests';

/**
 * Signs a text with 26 hexadecimal digits (104 bits): with ids the part of an address before the @
 * stays within the 64 octets of RFC 5321 section 4.5.3.1.1.
 */
export function signatureOf(tx: Reads, purpose: Purpose, meaning: string): string {
  return createHmac('sha256', keyOf(tx, purpose)).update(meaning).digest('hex').slice(0, 26);
}

/** Tests a signature that was sent, in a time that does not tell how much of it is right. */
export function isSigned(
  tx: Reads,
  purpose: Purpose,
  { meaning, signature }: { readonly meaning: string; readonly signature: string },
): boolean {
  const right = Buffer.from(signatureOf(tx, purpose, meaning));
  const given = Buffer.from(signature);
  return given.length === right.length && timingSafeEqual(given, right);
}

/** Derives a key for this purpose from the secret that every realm has. */
function keyOf(tx: Reads, purpose: Purpose): Buffer {
  const secret = tx.secrets.get(['external content']);
  if (secret === undefined) throw new Error('the realm has no secret to sign with');
  return Buffer.from(hkdfSync('sha256', secret.value, '', purpose, 32));
}
