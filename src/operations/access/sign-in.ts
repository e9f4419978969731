import type { SignInEntry } from '../../config.ts';
import { isForRealm } from '../../domain/rules/realm/sign-in-entries.ts';
import type { Site } from './caller.ts';
import type { Reads } from './groups.ts';

/** The pages that lead to a provider and back. */
export const SIGN_IN_PATH = '/accounts/sign-in/';

/** Returns the entries of a kind that are for a realm, in the operator's order. */
export function signInEntries<Type extends SignInEntry['type']>(
  reads: Reads,
  { settings }: Pick<Site, 'settings'>,
  type: Type,
): Extract<SignInEntry, { type: Type }>[] {
  const stringId = reads.realm.get(['realm'])?.stringId ?? '';
  return settings.signIn.filter(
    (entry): entry is Extract<SignInEntry, { type: Type }> =>
      entry.type === type && isForRealm(entry, stringId),
  );
}

/** The ways in by providers, for the log-in page (specification, `GET /server_settings`). */
export const externalMethods = (reads: Reads, site: Site) =>
  signInEntries(reads, site, 'openid').map(({ name, display_name, display_icon }) => {
    const url = `${SIGN_IN_PATH}${name}/`;
    return {
      name: `openid:${name}`,
      display_name: display_name ?? name,
      display_icon: display_icon ?? null,
      login_url: url,
      signup_url: url,
    };
  });
