import type { SignInEntry } from '../../config.ts';
import type { Site } from '../../operations/access/caller.ts';
import type { Reads } from '../../operations/access/groups.ts';
import { signInEntries } from '../../operations/access/sign-in.ts';

/** Returns the entry of a kind and a name that is for a realm, if there is one. */
export function entryCalled<Type extends SignInEntry['type']>(
  reads: Reads,
  site: Site,
  { type, name }: { readonly type: Type; readonly name: string },
): Extract<SignInEntry, { type: Type }> | undefined {
  return signInEntries(reads, site, type).find((entry) => entry.name === name);
}
