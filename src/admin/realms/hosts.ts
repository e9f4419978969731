import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { SupervisedRealm } from '../../../actors/supervisor.ts';
import type { ServerSettings } from '../../config.ts';
import { HOST_LENGTH_MAX, HOSTS_CACHED_MAX } from '../../domain/limits/requests.ts';
import { recentlyUsed } from '../../domain/recently-used.ts';
import { nameOfHost, type RequestHost } from '../../domain/request-host.ts';
import type { Site } from '../../operations/access/caller.ts';
import { isForUsualRealm } from '../own-hosts.ts';
import { type Names, realmName } from './names.ts';

interface HostsInput {
  /** Finds the realm that a host means. */
  readonly realmOf: (host: string) => SupervisedRealm | undefined;
  readonly isUnserved: (realm: SupervisedRealm) => boolean;
  readonly siteAt: (host: RequestHost, reader: Names | undefined) => Site;
}

/**
 * Caches which realm a host means: it only changes with a new realm or name, and finding it costs
 * as much as answering a poll.
 */
export function openHosts({ realmOf, isUnserved, siteAt }: HostsInput) {
  const hosts = recentlyUsed<RequestHost, Seen>(HOSTS_CACHED_MAX);
  // Most requests have the host of the one before, which needs no look-up.
  let latest: Seen | undefined;

  function look(host: RequestHost): Seen {
    const known = hosts.get(host);
    if (known !== undefined) return known;
    const realm = realmOf(nameOfHost(host));
    const isServed = realm !== undefined && !isUnserved(realm);
    // The store of a realm that starts again cannot be read: its names are looked up afterwards.
    const isClosed = isServed && !realm.current().isOpen();
    const reader = isServed && !isClosed ? realm.current().reader : undefined;
    const seen = { host, realm, site: siteAt(host, reader) };
    if (isClosed) return seen;
    if (nameOfHost(host).length <= HOST_LENGTH_MAX) hosts.set(host, seen);
    latest = seen;
    return seen;
  }

  return {
    forget() {
      hosts.clear();
      latest = undefined;
    },
    at(host: RequestHost): { realm: Realm | undefined; site: Site } {
      let seen = latest?.host === host ? latest : hosts.get(host);
      if (seen === undefined) seen = look(host);
      else latest = seen;
      return { realm: seen.realm?.current(), site: seen.site };
    },
  };
}

/** The realm that a host means, as it was found. */
interface Seen {
  readonly host: RequestHost;
  readonly realm: SupervisedRealm | undefined;
  readonly site: Site;
}

/** Returns the rule by which a host means a realm, and no realm if it names one that is none. */
export function openHostRule<One>(
  settings: ServerSettings,
  named: (name: string) => One | undefined,
  only: () => One | undefined,
) {
  const usual = () => named(settings.defaultRealm) ?? only();
  return (host: string) =>
    named(realmName(host)) ?? (isForUsualRealm(host, settings) ? usual() : undefined);
}

/** The name in the public URL, which names a realm or none. */
export const publicNameOf = ({ publicUrl }: ServerSettings) =>
  publicUrl === null ? '' : realmName(new URL(publicUrl).host);
