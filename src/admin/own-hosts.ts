import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/**
 * Tells whether a host that a request names may be used in URLs of the realm: it leads to this
 * machine for every reader, or the operator has configured it. Any other host would lead wherever
 * the sender of the request likes (docs/decisions/0144).
 */
export function isOwnHost(host: string, domain: string, names: readonly string[]): boolean {
  const { hostname } = new URL(`http://${host}`);
  if (hostname === domain || hostname === 'localhost' || hostname.endsWith('.localhost'))
    return true;
  if (names.some((name) => hostname === `${name}.${domain}`)) return true;
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) === 0) return false;
  return address === '::1' || address.startsWith('127.') || isOfThisMachine(address);
}

/** Addresses are read each time: they change while a server runs, and few hosts get this far. */
const isOfThisMachine = (address: string): boolean =>
  Object.values(networkInterfaces()).some((all = []) => all.some((one) => one.address === address));
