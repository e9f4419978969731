import type { Realm } from '../../actors/realm/realm-handle.ts';
import * as errors from '../domain/errors.ts';
import { CREDENTIALS_CACHED_MAX } from '../domain/limits.ts';
import { accountOf, checkBasic, type KnownKey } from '../operations/authentication.ts';
import type { Caller, Place } from '../operations/caller.ts';

/** Headers that were found right, by their text: decoding and hashing costs more than the rest of a request. */
const known = new WeakMap<Realm, Map<string, KnownKey>>();

/** The account of an `Authorization` header; refuses with `UNAUTHORIZED`. */
export function authenticate(
  realm: Realm | undefined,
  header: string,
  place: Place,
): Caller['user'] {
  if (header === '') throw errors.unauthorized();
  if (realm === undefined)
    throw errors.unauthorized('Account is not associated with this subdomain');
  let keys = known.get(realm);
  if (keys === undefined) {
    keys = new Map();
    known.set(realm, keys);
  }
  let key = keys.get(header);
  if (key === undefined) {
    key = checkBasic(realm.reader, header, place);
    if (keys.size >= CREDENTIALS_CACHED_MAX) keys.clear();
    keys.set(header, key);
  }
  return accountOf(realm.reader, key);
}
