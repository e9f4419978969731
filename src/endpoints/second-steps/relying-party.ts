import type { Site } from '../../operations/access/caller.ts';

/** The relying party of passkeys (WebAuthn 4): the host of the realm, as its pages are opened. */
export function relyingParty({ url }: Pick<Site, 'url'>) {
  const { hostname, origin, host } = new URL(url);
  // A proxy may add TLS of which the server does not know.
  const origins = origin.startsWith('https:') ? [origin] : [origin, `https://${host}`];
  return { id: hostname, origins };
}
