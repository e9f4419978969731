export interface AddressSettings {
  /** The URL of the default realm; those of other realms begin with their names. */
  readonly publicUrl: string | null;
  readonly domain: string;
  readonly isTls: boolean;
  /** The port in links that name the server itself. */
  readonly port: number | null;
}

/**
 * Returns the URL of a realm by the configuration only. Mails have no other links: with the host of
 * a request they would lead wherever its sender likes (docs/decisions/0123).
 */
export function settledUrl(
  { publicUrl, domain, isTls, port }: AddressSettings,
  name: string | undefined,
  isMeantByAny: boolean,
): string {
  if (publicUrl !== null) {
    if (isMeantByAny || name === undefined) return publicUrl;
    const { protocol, host } = new URL(publicUrl);
    return `${protocol}//${name}.${host}`;
  }
  const host = name === undefined ? domain : `${name}.${domain}`;
  const usual = isTls ? 443 : 80;
  const withPort = port === null || port === usual ? host : `${host}:${port}`;
  return `${isTls ? 'https' : 'http'}://${withPort}`;
}
