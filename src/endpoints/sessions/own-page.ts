import { nameOfHost, type RequestHost } from '../../domain/request-host.ts';
import type { Site } from '../../operations/access/caller.ts';
import type { SendingPage } from '../endpoint.ts';

/** The headers by which browsers describe the page that sends a request; it cannot change them. */
export type Sender = Pick<SendingPage, 'fetchSite' | 'origin' | 'referer'>;

interface Seen {
  readonly host: RequestHost;
  readonly site: Site;
  /** True for a request that changes nothing. */
  readonly isRead: boolean;
}

/**
 * Tests whether a page of this very host has sent a request. Browsers say so by `Sec-Fetch-Site`.
 * Older ones do not, and none does over plain HTTP: there a request that changes something has an
 * `Origin`, and one that reads has a `Referer`. A request without any may come from anywhere.
 */
export function isOfOwnPage(sender: Sender, seen: Seen): boolean {
  const { fetchSite, origin, referer } = sender;
  if (fetchSite !== '') return fetchSite === 'same-origin';
  if (origin !== '') return isOwnOrigin(origin, seen);
  if (!seen.isRead || !URL.canParse(referer)) return false;
  return isOwnOrigin(new URL(referer).origin.toLowerCase(), seen);
}

/**
 * Tests for the origin of this host. Where clients use TLS a page that came without it is another,
 * since anybody on its way may have written it. The other way round a proxy may add TLS, of which
 * this server does not know.
 */
export function isOwnOrigin(origin: string, { host, site }: Omit<Seen, 'isRead'>): boolean {
  const [scheme, name] = origin.split('://', 2);
  if (scheme === 'http' && site.url.startsWith('https://')) return false;
  return name === nameOfHost(host).toLowerCase();
}
