import { z } from 'zod';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import { ApiError } from '../../domain/wire/errors.ts';
import type { RealmTransaction, Site } from '../../operations/access/caller.ts';
import type { Reads } from '../../operations/access/groups.ts';
import type { Realms } from '../deployment.ts';
import { noSuchRealm, noSuchUser } from './refusals.ts';

/** The name of a realm; without it a command is on the only realm, or on the demo realm. */
export const realmName = z.string().optional();

const DEMO = 'demo';

export function found(realms: Realms, given: string | undefined): Realm {
  const all = realms.all();
  const [only] = all;
  if (given === undefined && only !== undefined && all.length === 1) return only;
  const name = given ?? DEMO;
  const realm = realms.named(name);
  if (realm !== undefined) return realm;
  const unserved = realms.unserved().find(({ names }) => names.includes(name));
  throw unserved === undefined ? noSuchRealm(name) : new ApiError('BAD_REQUEST', unserved.reason);
}

export function onRealm<Reply>(
  realms: Realms,
  name: string | undefined,
  operation: (tx: RealmTransaction, site: Site) => Reply,
): Promise<Reply> {
  const realm = found(realms, name);
  const site = realms.siteOf(realm);
  return realm.perform((tx) => {
    tx.actAs('operator');
    return operation(tx, site);
  });
}

/** Finds an account, active or not, by its address. */
export function known(tx: Pick<Reads, 'userEmails' | 'users'>, email: string): UserRow {
  const id = tx.userEmails.get([email.trim().toLowerCase()])?.userId;
  const user = id === undefined ? undefined : tx.users.get([id]);
  if (user === undefined) throw noSuchUser(email);
  return user;
}
