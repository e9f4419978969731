import { createPrivateKey, type KeyObject, sign } from 'node:crypto';

type Algorithm = 'ES256' | 'RS256';

/**
 * Returns a JSON Web Token in compact form (RFC 7519), signed by ECDSA on P-256 or by RSA
 * (RFC 7518, sections 3.3 and 3.4).
 */
export function signedToken(
  key: KeyObject,
  header: Readonly<Record<string, unknown>> & { readonly alg: Algorithm },
  claims: Readonly<Record<string, unknown>>,
): string {
  const text = `${encoded(header)}.${encoded(claims)}`;
  // The signature is two numbers of 32 octets; Node would write them in DER otherwise.
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

/** Makes a key of a pair on P-256: the uncompressed point in base64url, and the scalar. */
export function keyOfPair(pair: { readonly publicKey: string; readonly privateKey: Buffer }) {
  const point = Buffer.from(pair.publicKey, 'base64url');
  const part = (start: number, end: number) => point.subarray(start, end).toString('base64url');
  return createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: part(1, 33),
      y: part(33, 65),
      d: pair.privateKey.toString('base64url'),
    },
  });
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
