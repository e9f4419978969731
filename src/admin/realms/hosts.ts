import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { ServerSettings } from '../../config.ts';
import { HOST_LENGTH_MAX, HOSTS_CACHED_MAX } from '../../domain/limits/requests.ts';
import { recentlyUsed } from '../../domain/recently-used.ts';
import { nameOfHost, type RequestHost } from '../../domain/request-host.ts';
import type { Site } from '../../operations/access/caller.ts';
import { isForUsualRealm } from '../own-hosts.ts';
import { type Names, namesIn, type RealmNames, realmName } from './names.ts';
import { siteOf } from './sites.ts';

/** A realm that hosts may mean. */
export interface Hosted {
  /** Returns the realm as it is now: one that failed is another after it was started again. */
  current(): Realm;
}

interface HostsInput<One extends Hosted> {
  readonly settings: ServerSettings;
  /** The server's time of start, in UNIX seconds. */
  readonly startedAt: number;
  /** Returns the realm of a name, a stand-in of one that is not served included. */
  readonly named: (name: string) => One | undefined;
  /** Returns all of them. */
  readonly all: () => readonly One[];
  /** Returns how many realms there are, also while they are still being opened. */
  readonly count: () => number;
  readonly isUnserved: (realm: One) => boolean;
}

/** The realms by the hosts that mean them. */
export interface Hosts {
  at(host: RequestHost): { readonly realm: Realm | undefined; readonly site: Site };
  /** Returns the realm as seen from nowhere in particular. */
  ownSite(reader: Names): Site;
  /** Called when there is another realm or name. */
  forget(): void;
}

/**
 * Caches which realm a host means: it only changes with a new realm or name, and finding it costs
 * as much as answering a poll.
 */
export function openHosts<One extends Hosted>(input: HostsInput<One>): Hosts {
  const { settings, startedAt, named, all, count, isUnserved } = input;
  const usual = () => named(settings.defaultRealm) ?? onlyOf(all());
  /** Returns the realm that a host means; none if it names one that does not exist. */
  const realmOf = (host: string) =>
    named(realmName(host)) ?? (isForUsualRealm(host, settings) ? usual() : undefined);
  const publicName = publicNameOf(settings);
  // This decides as `realmOf` does, and also works while the realms are being opened.
  const isMeantByAny = ({ names: called }: RealmNames) =>
    called.includes(publicName) ||
    (named(publicName) === undefined && (called.includes(settings.defaultRealm) || count() <= 1));
  const siteAt = (host: RequestHost, reader: Names | undefined) =>
    siteOf(settings, { host, realm: reader && namesIn(reader), startedAt, isMeantByAny });
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
    ownSite: (reader) => siteAt('', reader),
    at(host) {
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
  readonly realm: Hosted | undefined;
  readonly site: Site;
}

const onlyOf = <One>([first, ...more]: readonly One[]) => (more.length === 0 ? first : undefined);

/** The name in the public URL, which names a realm or none. */
const publicNameOf = ({ publicUrl }: ServerSettings) =>
  publicUrl === null ? '' : realmName(new URL(publicUrl).host);
