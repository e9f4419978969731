export interface AddressSettings {
  /** Where the realm is found that a host means which names none; those of others begin with their names. */
  readonly publicUrl: string | null;
  readonly domain: string;
  readonly isTls: boolean;
  /** The port that links need, where they name the server itself. */
  readonly port: number | null;
}

/**
 * Where a realm is found by what the operator has set. Mails have no other links: a request that names another host would have
 * them lead wherever its sender likes (docs/decisions/0123).
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
