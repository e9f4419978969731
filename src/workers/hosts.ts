import dns from 'node:dns';
import net from 'node:net';
import { isSpecialAddress } from './addresses.ts';

/** It will not get better by trying again. */
export class NotPossible extends Error {}

const PRIVATE = 'The URL leads to an address that is not public.';

/**
 * A URL that may be called. A name is judged by what it resolves to when the connection is made
 * (`publicLookup`); an address is never looked up, so it is judged here.
 */
export function callable(text: string, { allowsPrivate }: { allowsPrivate: boolean }): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new NotPossible('The URL is not one of http or https.');
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!allowsPrivate && net.isIP(host) !== 0 && isSpecialAddress(host)) {
    throw new NotPossible(PRIVATE);
  }
  return url;
}

/**
 * The addresses of a name, of which none may be a private one: a name that has both is not trusted.
 */
export const publicLookup: net.LookupFunction = (hostname, options, callback) => {
  dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, '', 0);
    const [first] = addresses;
    if (first === undefined || addresses.some(({ address }) => isSpecialAddress(address))) {
      return callback(new NotPossible(PRIVATE), '', 0);
    }
    if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};
