import { isIP } from 'node:net';
import type { ServerSettings } from '../../config.ts';
import type { ForwardedHost, RequestHost } from '../../domain/request-host.ts';
import type { Site } from '../../operations/access/caller.ts';
import { addressSettings, hasDomain } from '../../settings/addresses.ts';
import { isOwnHost } from '../own-hosts.ts';
import { type AddressSettings, settledUrl } from '../settled-url.ts';
import { type RealmNames, realmName } from './names.ts';

/** A host that a client may send and an answer may repeat: `host`, `host:port`, `[::1]:port`. */
const HOST = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?$/;

interface SeenFrom {
  readonly host: RequestHost;
  readonly realm: RealmNames | undefined;
  readonly startedAt: number;
  readonly isMeantByAny: (realm: RealmNames) => boolean;
}

/**
 * Returns the realm as seen by a request. If the operator has set a public URL, no host of a
 * request is repeated as its address; otherwise only own hosts are.
 */
export function siteOf(settings: ServerSettings, seen: SeenFrom): Site {
  const addresses = addressSettings(settings);
  const { domain, isTls, publicUrl } = addresses;
  const under = (name: string | undefined) => (name === undefined ? domain : `${name}.${domain}`);
  const { name: host, isVouched, isTls: isTlsSaid } = asForwarded(seen.host);
  const isUsable = HOST.test(host) && URL.canParse(`http://${host}`);
  const names = seen.realm?.names ?? [];
  const isMeantByAny = seen.realm !== undefined && seen.isMeantByAny(seen.realm);
  const settledBy = (by: AddressSettings) => settledUrl(by, names[0], isMeantByAny);
  const settled = settledBy(addresses);
  // A proxy in front of this server has a port of its own.
  const shown =
    isTlsSaid === null ? settled : settledBy({ ...addresses, isTls: isTlsSaid, port: null });
  const isRepeated =
    isUsable && publicUrl === null && (isVouched || isOwnHost(host, domain, names));
  const scheme = (isTlsSaid ?? isTls) ? 'https' : 'http';
  const addressHost = under(seen.realm?.addressName);
  return {
    url: isRepeated ? `${scheme}://${host}` : shown,
    currentUrl: isRepeated ? `${scheme}://${currentHost(host, names)}` : shown,
    settledUrl: settled,
    requestHost: isUsable ? host.toLowerCase() : '',
    host: addressHost,
    mailHost: mailHostOf(settings, { addressHost, name: seen.realm?.addressName, isMeantByAny }),
    serverStartedAt: seen.startedAt,
    settings,
  };
}

interface Named {
  readonly addressHost: string;
  readonly name: string | undefined;
  readonly isMeantByAny: boolean;
}

/**
 * Returns the host of mail addresses. It stays the same when a realm is renamed. Mail servers find
 * no `localhost`, so the public URL names it unless the operator has set a domain, and an address
 * of a machine is no host of a mail address.
 */
function mailHostOf(settings: ServerSettings, { addressHost, name, isMeantByAny }: Named): string {
  if (settings.publicUrl === null || hasDomain(settings)) return addressHost;
  const { hostname } = new URL(settings.publicUrl);
  if (hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return addressHost;
  return isMeantByAny || name === undefined ? hostname : `${name}.${hostname}`;
}

const asForwarded = (host: RequestHost): ForwardedHost =>
  typeof host === 'string' ? { name: host, isVouched: false, isTls: null } : host;

/** The same host by the realm's present name, where it begins with a former one. */
function currentHost(host: string, [present, ...former]: readonly string[]): string {
  const name = realmName(host);
  return present !== undefined && former.includes(name) ? present + host.slice(name.length) : host;
}
