import dns from 'node:dns';
import net from 'node:net';
import { isSpecialAddress } from './addresses.ts';

/** An error that another attempt would not mend. */
export class NotPossible extends Error {}

/** The address is one that this server may not call. */
export class NotPublic extends NotPossible {}

const PRIVATE = 'The URL leads to an address that is not public.';

/**
 * Parses a URL that may be called. An IP address is never looked up, so it is checked here; a name
 * is checked when the connection is made (`publicLookup`).
 */
export function callable(text: string, { allowsPrivate }: { allowsPrivate: boolean }): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new NotPossible('The URL is not one of http or https.');
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!allowsPrivate && net.isIP(host) !== 0 && isSpecialAddress(host)) {
    throw new NotPublic(PRIVATE);
  }
  return url;
}

/**
 * Looks up a name, and refuses it if any of its addresses is private: a name that has both kinds is
 * not trusted.
 */
export const publicLookup: net.LookupFunction = (hostname, options, callback) => {
  dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, '', 0);
    const [first] = addresses;
    if (first === undefined || addresses.some(({ address }) => isSpecialAddress(address))) {
      return callback(new NotPublic(PRIVATE), '', 0);
    }
    if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};
