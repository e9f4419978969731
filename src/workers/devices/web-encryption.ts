import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';

/** Octets of the key and of the secret of a browser (RFC 8291, section 3.1 and 3.2). */
export const BROWSER_KEY_BYTES = 65;
export const BROWSER_SECRET_BYTES = 16;

/** The record that a push service takes at least (RFC 8030, section 7.2). */
const RECORD_BYTES = 4096;
/** The header of RFC 8188 (salt, record size, length of the key, key), a delimiter and the tag. */
const OVERHEAD_BYTES = 16 + 4 + 1 + BROWSER_KEY_BYTES + 1 + 16;
/** The largest content, in octets: all of it is one record, which no push service refuses. */
export const WEB_CONTENT_BYTES_MAX = RECORD_BYTES - OVERHEAD_BYTES;

/** The keys of a browser, base64url, as `PushSubscription.toJSON` has them. */
export interface BrowserKeys {
  readonly p256dh: string;
  readonly auth: string;
}

interface Own {
  /** The private key for this one message; RFC 8291 has each used once. */
  readonly privateKey?: Buffer;
  /** 16 octets. */
  readonly salt?: Buffer;
}

/**
 * Encrypts a content for a browser: `aes128gcm` of RFC 8188 with the key of RFC 8291. Returns the
 * body of the request, which only the browser can read. Throws if its key is no point of P-256 or
 * the content has more than `WEB_CONTENT_BYTES_MAX` octets.
 */
export function encryptedFor(keys: BrowserKeys, content: Buffer, own: Own = {}): Buffer {
  if (content.length > WEB_CONTENT_BYTES_MAX) {
    throw new RangeError(`a push has at most ${WEB_CONTENT_BYTES_MAX} octets`);
  }
  const ecdh = createECDH('prime256v1');
  if (own.privateKey === undefined) ecdh.generateKeys();
  else ecdh.setPrivateKey(own.privateKey);
  const salt = own.salt ?? randomBytes(16);
  const theirs = Buffer.from(keys.p256dh, 'base64url');
  const ours = ecdh.getPublicKey();
  const shared = ecdh.computeSecret(theirs);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), theirs, ours]);
  const secret = derived(shared, { salt: Buffer.from(keys.auth, 'base64url'), info, length: 32 });
  const key = derived(secret, { salt, info: 'Content-Encoding: aes128gcm\0', length: 16 });
  const nonce = derived(secret, { salt, info: 'Content-Encoding: nonce\0', length: 12 });
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(RECORD_BYTES, 0);
  head.writeUInt8(ours.length, 4);
  // The octet 2 ends the last record.
  const record = [cipher.update(content), cipher.update(Buffer.of(2)), cipher.final()];
  return Buffer.concat([salt, head, ours, ...record, cipher.getAuthTag()]);
}

interface Derivation {
  readonly salt: Buffer;
  readonly info: string | Buffer;
  readonly length: number;
}

const derived = (from: Buffer, { salt, info, length }: Derivation): Buffer =>
  Buffer.from(hkdfSync('sha256', from, salt, info, length));
