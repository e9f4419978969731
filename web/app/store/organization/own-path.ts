/**
 * Returns the path of an address of the organization itself, which is there at whatever name the
 * page came from; an address of others stays as it is.
 */
export const ownPath = (url: string, realmUrl: unknown): string =>
  typeof realmUrl === 'string' && url.startsWith(`${realmUrl}/`) ? url.slice(realmUrl.length) : url;
