import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { RECENT_LOG_IN_MS } from '../../domain/limits/credentials.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Caller, Site } from '../../operations/access/caller.ts';
import { hasPassword, isOfDirectory } from '../../operations/accounts/logins.ts';
import { holderOf, inTurn, isRight, noteGuess } from '../server/password-turns.ts';
import { byDirectory } from '../sign-in/directory-log-in.ts';

interface Asking {
  readonly user: Caller['user'];
  readonly site: Site;
  /** Hash of the key or of the session of the request. */
  readonly keyHash: string | undefined;
  readonly params: { readonly password?: string | undefined };
}

/**
 * Refuses unless the person who asks is that of the account: by its password, here or in its
 * directory, of which wrong ones are counted. An account that has none, as one that came by a
 * provider, takes a browser that logged in a short time ago.
 */
export async function confirmPerson(realm: Realm, asking: Asking) {
  const { user, site, params } = asking;
  if (!hasPassword(realm.reader, user, site)) return refuseOldLogIn(realm, asking);
  const { password } = params;
  if (password === undefined) throw errors.missingParameter('password');
  const { key, origin } = holderOf(user.id);
  await inTurn(realm, key, async () => {
    const isConfirmed = isOfDirectory(realm.reader, user, site)
      ? await isRightThere(realm, asking, password)
      : await isRight(realm, { user, key, origin }, password);
    if (!isConfirmed) throw errors.badRequest('Wrong password!');
  });
}

/** Asks the directory of an account. */
async function isRightThere(
  realm: Realm,
  { user, site }: Asking,
  password: string,
): Promise<boolean> {
  const { key } = holderOf(user.id);
  const found = await byDirectory({ realm, site }, { username: user.email, password });
  const isAsked = 'user' in found || found.is === 'wrong' || (found.is === 'away' && found.isWrong);
  if (isAsked) noteGuess(realm, key, 'user' in found);
  if ('user' in found) return found.user.id === user.id;
  // Another directory may be away, but the one of this person has answered.
  if (found.is === 'away' && !found.isWrong) throw found.refusal;
  return false;
}

function refuseOldLogIn({ reader, now }: Realm, { user, keyHash }: Asking) {
  const session = keyHash === undefined ? undefined : reader.sessions.get([user.id, keyHash]);
  if (session !== undefined && now() - session.createdAt < RECENT_LOG_IN_MS) return;
  throw errors.badRequest(
    'Your account has no password. Log out and in again, and make this change within ten minutes.',
  );
}
