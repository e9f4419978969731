import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Reads } from '../access/groups.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a secret of an account with a key of the realm (AES-256-GCM, NIST SP 800-38D), as
 * base64url. It can be opened for this account alone.
 */
export function seal(reads: Reads, userId: number, secret: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(reads), nonce);
  cipher.setAAD(Buffer.from(`${userId}`));
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

export function open(reads: Reads, userId: number, text: string): string {
  const bytes = Buffer.from(text, 'base64url');
  const decipher = createDecipheriv(CIPHER, keyOf(reads), bytes.subarray(0, NONCE_BYTES));
  decipher.setAAD(Buffer.from(`${userId}`));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const opened = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([opened, decipher.final()]).toString('utf8');
}

/** Derives a key for second steps from the secret that every realm has. */
export const keyOf = (reads: Reads, purpose = 'second steps'): Buffer => {
  const secret = reads.secrets.get(['external content']);
  if (secret === undefined) throw new Error('the realm has no secret to seal with');
  return Buffer.from(hkdfSync('sha256', secret.value, '', purpose, 32));
};
