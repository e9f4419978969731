/**
 * Loads the library that reads what passkeys sign, on its first use: with its certificates and
 * ASN.1 it would take a third of the time of every start.
 */
export const webauthn = () => import('@simplewebauthn/server');
