import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/** The head of a request, as far as a browser decides what is in it. */
export type Head = Pick<IncomingHttpHeaders, 'host' | 'origin' | 'sec-fetch-site' | 'content-type'>;

/**
 * Tests whether a browser may have meant this server. A page can make a name of its own lead to
 * 127.0.0.1 (DNS rebinding), but then the host is that name: only addresses and `localhost` are
 * this listener.
 */
export function isOwnHost(host: string | undefined, own: string): boolean {
  const name = nameIn(host ?? '');
  return name === 'localhost' || name === own || isIP(name) !== 0;
}

/** Returns the name without the port and the brackets of an address. */
const nameIn = (host: string) =>
  (/^\[([^\]]*)\]/.exec(host)?.[1] ?? host.replace(/:\d*$/, '')).toLowerCase();

/**
 * Tests whether a page of the console itself sent the request, or no page at all. Another port of
 * this machine is another origin, although it gets the same cookies.
 */
export function isOfConsole({ host, origin, 'sec-fetch-site': site }: Head): boolean {
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}

/**
 * Tests whether an act comes from the console's own page: browsers name the origin in each POST,
 * and ask before they send JSON to another one.
 */
export const isAct = (head: Head): boolean =>
  head.origin !== undefined &&
  isOfConsole(head) &&
  /^application\/json\b/i.test(head['content-type'] ?? '');
