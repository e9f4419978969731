import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { PASSWORD_LENGTH_MAX } from '../../domain/limits/credentials.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Caller, Site } from '../../operations/access/caller.ts';
import { signInEntries } from '../../operations/access/sign-in.ts';
import * as vouched from '../../operations/accounts/vouched.ts';
import type { NoteSignIn } from '../pages/page.ts';
import { check, feign, issuerOf, type LdapEntry } from './directory.ts';
import { type FaultCode, SENTENCES, SignInFault } from './fault.ts';

export type ByDirectory =
  | { readonly user: Caller['user'] }
  /** No directory has the name, or there is none: a password of this server may be right. */
  | { readonly is: 'absent' }
  | { readonly is: 'wrong' }
  /** A directory that may have the name cannot be asked. */
  | { readonly is: 'away'; readonly refusal: errors.ApiError };

/** Called before a guess on a person of a directory; returns what is told whether it was right. */
export type BeforeGuess = (subject: string) => (isMatch: boolean) => void;

interface Guess {
  readonly username: string;
  readonly password: string;
}

/**
 * Asks the directories of a realm, in the operator's order, about a name and a password. The first
 * one that has the name decides. Nothing but this log-in waits for them.
 */
export async function byDirectory(
  { realm, site }: { readonly realm: Realm; readonly site: Site },
  { username, password }: Guess,
  beforeGuess: BeforeGuess,
): Promise<ByDirectory> {
  const entries = signInEntries(realm.reader, site, 'ldap');
  if (entries.length === 0) return { is: 'absent' };
  // A directory would take an empty password for nobody's, and accept it.
  if (password === '') throw errors.authenticationFailed();
  if (password.length > PASSWORD_LENGTH_MAX) return { is: 'wrong' };
  for (const [index, entry] of entries.entries()) {
    let note: ((isMatch: boolean) => void) | undefined;
    try {
      const checked = await check(entry, { username, password }, (subject) => {
        note = beforeGuess(`${issuerOf(entry)} ${subject}`);
      });
      if (checked.is === 'absent') continue;
      note?.(checked.is === 'right');
      if (checked.is === 'wrong') {
        await Promise.allSettled(entries.slice(index + 1).map((other) => feign(other, username)));
        return checked;
      }
      const { person } = checked;
      return { user: await realm.perform((tx) => vouched.accountFor(tx, site, { entry, person })) };
    } catch (error) {
      if (!(error instanceof SignInFault)) throw error;
      told.get(entry)?.({ provider: entry.name, outcome: error.code, error: error.cause });
      return { is: 'away', refusal: refusalOf(entry, error) };
    }
  }
  return { is: 'absent' };
}

/** Faults of the entry of one person, which no waiting mends. */
const OF_PERSON: ReadonlySet<FaultCode> = new Set(['ambiguous', 'no_id']);

function refusalOf({ display_name, name }: LdapEntry, { code }: SignInFault): errors.ApiError {
  const called = display_name ?? name;
  return OF_PERSON.has(code)
    ? errors.badRequest(`The directory (${called}) cannot tell who you are. ${SENTENCES[code]}`)
    : errors.directoryAway(called, SENTENCES[code]);
}

/** Receivers of faults by the entry of the directory, which lives as long as the server. */
const told = new WeakMap<LdapEntry, NoteSignIn>();

/** Has faults of these directories noted. */
export function noteFaults(entries: Site['settings']['signIn'], note: NoteSignIn) {
  for (const entry of entries) if (entry.type === 'ldap') told.set(entry, note);
}
