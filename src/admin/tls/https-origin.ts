import type { ServerSettings } from '../../config.ts';
import type { Deployment } from '../../endpoints/dispatch/deployment.ts';
import { hasDomain } from '../../settings/addresses.ts';

/**
 * Returns the HTTPS origin of a host that came without TLS, if it is one of the server's own: the
 * operator has configured it, or it leads to this machine for every reader.
 */
export const openHttpsOrigins =
  (realms: Pick<Deployment, 'at'>, { publicUrl }: ServerSettings, port: number) =>
  (hostname: string): string | undefined => {
    const { url } = realms.at(hostname).site;
    if (new URL(url).hostname !== hostname) return undefined;
    if (publicUrl !== null) return url;
    return port === HTTPS_PORT ? `https://${hostname}` : `https://${hostname}:${port}`;
  };

const HTTPS_PORT = 443;

/** Returns the names that a certificate of the server has to be for. */
export function namesOfServer(
  settings: Pick<ServerSettings, 'domain' | 'publicUrl'>,
  realms: readonly { readonly stringId: string }[],
): readonly string[] {
  const { domain, publicUrl } = settings;
  const names = publicUrl === null ? [] : [new URL(publicUrl).hostname];
  if (!hasDomain(settings)) return names;
  const ofRealms = realms.map(({ stringId }) => `${stringId}.${domain}`);
  return [...new Set([...names, domain, ...ofRealms])];
}
