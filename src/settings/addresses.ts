/** The domain that leads each machine to itself. */
export const OWN_DOMAIN = 'localhost';

/** The settings that say where a server is reached. */
interface AddressSettings {
  readonly host: string;
  readonly port: number;
  readonly domain: string;
  readonly publicUrl: string | null;
  readonly tls: object | null;
}

/** Tests whether only this machine can reach the server. */
export const isLoopback = ({ host }: { readonly host: string }): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

/** The settings that the addresses of realms are made from. */
export const addressSettings = (settings: AddressSettings) => ({
  domain: settings.domain,
  publicUrl: settings.publicUrl,
  isTls: settings.tls !== null,
  port: portInLinks(settings),
});

/**
 * Returns the port for links to the server. If only this machine reaches the server, and its domain
 * is not local, then it is behind a proxy, whose port is not known.
 */
export const portInLinks = (
  settings: Pick<AddressSettings, 'host' | 'port' | 'domain'>,
): number | null =>
  settings.port === 0 || (isLoopback(settings) && !/(^|\.)localhost$/.test(settings.domain))
    ? null
    : settings.port;

/**
 * Tests for a server that other machines reach without a setting that names it: the links that they
 * get lead nowhere.
 */
export const isUnnamed = (
  settings: Pick<AddressSettings, 'host' | 'domain' | 'publicUrl'>,
): boolean =>
  !isLoopback(settings) && settings.publicUrl === null && settings.domain === OWN_DOMAIN;

/**
 * Tests for a server that nobody but this machine is meant to reach, as far as the settings tell: a
 * proxy may pass on what others send.
 */
export const isForThisMachine = (settings: Pick<AddressSettings, 'host' | 'publicUrl'>): boolean =>
  isLoopback(settings) &&
  (settings.publicUrl === null || isLoopback({ host: new URL(settings.publicUrl).hostname }));

/** Tests whether the operator has set a domain, below which realms have their names. */
export const hasDomain = ({ domain }: Pick<AddressSettings, 'domain'>): boolean =>
  domain !== OWN_DOMAIN;
