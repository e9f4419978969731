import { webcrypto } from 'node:crypto';
import { PemConverter, X509CertificateGenerator } from '@peculiar/x509';

const KEY_KIND = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
/** It is only served until the first certificate is there. */
const VALID_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Makes a self-signed certificate, which no client trusts: the port for TLS can be opened before
 * the authority has answered.
 */
export async function placeholderPair(): Promise<{ readonly key: string; readonly cert: string }> {
  const keys = await webcrypto.subtle.generateKey(KEY_KIND, true, ['sign', 'verify']);
  const cert = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${PLACEHOLDER_NAME}`,
    notBefore: new Date(),
    notAfter: new Date(Date.now() + VALID_MS),
    signingAlgorithm: KEY_KIND,
    keys,
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { key: PemConverter.encode(key, 'PRIVATE KEY'), cert: cert.toString('pem') };
}

/** The name in a certificate that waits for a real one. */
export const PLACEHOLDER_NAME = 'confab placeholder';
