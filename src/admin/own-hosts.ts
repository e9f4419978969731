import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { ServerSettings } from '../config.ts';
import { hasDomain } from '../settings/addresses.ts';

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

/**
 * Tells whether a host that names no realm means the default or the only one. If the operator has
 * set a domain, a mistyped name must not show another realm, so only hosts without a name in them
 * do: the domain, that of the public URL, `localhost` and addresses.
 */
export function isForUsualRealm(
  host: string,
  settings: Pick<ServerSettings, 'domain' | 'publicUrl'>,
): boolean {
  if (!hasDomain(settings) || !URL.canParse(`http://${host}`)) return true;
  const { domain, publicUrl } = settings;
  const { hostname } = new URL(`http://${host}`);
  return (
    hostname === domain ||
    hostname === 'localhost' ||
    isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 ||
    (publicUrl !== null && hostname === new URL(publicUrl).hostname)
  );
}
