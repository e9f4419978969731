import { createECDH, hkdfSync } from 'node:crypto';
import type { Reads } from '../access/groups.ts';

/** The pair of keys by which push services know a realm (RFC 8292). */
export interface VapidKeys {
  /** The uncompressed point, base64url: the `applicationServerKey` of browsers. */
  readonly publicKey: string;
  /** The scalar, 32 octets. */
  readonly privateKey: Buffer;
}

/** The order of the group of P-256 (FIPS 186-5, SP 800-186). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/**
 * Returns the keys of a realm. They follow from its secret, which was made with the realm and never
 * changes, so all processes and hosts have the same ones and none waits for a commit. The scalar is
 * taken from 48 octets, so that its distribution is even (FIPS 186-5, A.2.1).
 */
export function vapidKeysOf(tx: Reads): VapidKeys {
  const secret = tx.secrets.get(['external content']);
  if (secret === undefined) throw new Error('the realm has no secret to derive keys from');
  const seed = hkdfSync('sha256', Buffer.from(secret.value, 'hex'), '', 'web push keys', 48);
  const scalar = (BigInt(`0x${Buffer.from(seed).toString('hex')}`) % (ORDER - 1n)) + 1n;
  const privateKey = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex');
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(privateKey);
  return { publicKey: ecdh.getPublicKey('base64url'), privateKey };
}
