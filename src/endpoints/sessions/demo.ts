import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { nameOfHost, type RequestHost } from '../../domain/request-host.ts';
import { addressClass } from '../../domain/wire/address-class.ts';
import type { Caller, Site } from '../../operations/access/caller.ts';
import { isForThisMachine } from '../../settings/addresses.ts';
import type { Origin, Params, Visit } from '../endpoint.ts';

type DemoVisit = Pick<Visit<Params>, 'site' | 'from' | 'demoPeople'> & { readonly realm: Realm };

/** Returns those whom the page of a visitor may log in as without a password. */
export const demoPeopleFor = (visit: DemoVisit) =>
  accountsFor(visit).map(({ id, email, fullName, role }) => ({
    user_id: id,
    email,
    full_name: fullName,
    role,
  }));

/** Returns the account of a demo person, if the visitor may be that. */
export const demoAccount = (visit: DemoVisit, userId: number): Caller['user'] | undefined =>
  accountsFor(visit).find(({ id }) => id === userId);

/** The accounts have the passwords that the first start made, which are in the demo file. */
function accountsFor({ realm, site, from, demoPeople }: DemoVisit): Caller['user'][] {
  if (!mayBeAnybody(from, site)) return [];
  return demoPeople().flatMap(({ userId, passwordHash }) => {
    const user = realm.reader.users.get([userId]);
    return user?.isActive && user.passwordHash === passwordHash ? user : [];
  });
}

/**
 * Tests whether a visitor may be anybody in the demo realm: all may if the operator says so, and
 * else somebody at this machine, who reaches the server by the name of this machine, with nothing
 * in between that says it is. The settings of a server with a proxy name another address.
 */
function mayBeAnybody({ page, host, address }: Origin, { settings }: Site): boolean {
  if (page === undefined) return false;
  if (settings.opensDemo) return true;
  return (
    isForThisMachine(settings) &&
    !page.isForwarded &&
    isNameOfThisMachine(host) &&
    addressClass(address()) === 'loopback'
  );
}

/** A proxy passes on the name by which others call the server. */
const isNameOfThisMachine = (host: RequestHost): boolean =>
  /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i.test(nameOfHost(host));
