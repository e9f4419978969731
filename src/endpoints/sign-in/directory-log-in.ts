import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { PASSWORD_LENGTH_MAX } from '../../domain/limits/credentials.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Caller, Site } from '../../operations/access/caller.ts';
import { signInEntries } from '../../operations/access/sign-in.ts';
import * as vouched from '../../operations/accounts/vouched.ts';
import type { NoteSignIn } from '../pages/page.ts';
import { check, type DirectoryPerson, feign, issuerOf, type LdapEntry } from './directory.ts';
import { type FaultCode, SENTENCES, SignInFault } from './fault.ts';

export type ByDirectory =
  | { readonly user: Caller['user'] }
  /** No directory has the name, or there is none: a password of this server may be right. */
  | { readonly is: 'absent' }
  | { readonly is: 'wrong' }
  /** A directory that may have the name cannot be asked; `isWrong`: another one has it. */
  | { readonly is: 'away'; readonly refusal: errors.ApiError; readonly isWrong: boolean };

/** The guesser, as far as the directories have to know. */
export interface Guessing {
  /** Is told the person of a directory before the password is tried, and may refuse. */
  beforeGuess?(subject: string): void;
  /** True if a right password does not count either while a directory is away. */
  isHeldBack?(): boolean;
}

interface Place {
  readonly realm: Realm;
  readonly site: Site;
}

interface Guess {
  readonly username: string;
  readonly password: string;
}

/**
 * Asks the directories of a realm, in the operator's order, about a name and a password. The first
 * one that has the name decides; one that is away is passed over. All of them are asked unless the
 * password is right, so that neither the answer nor its time tells which names there are. Nothing
 * but this log-in waits for them.
 */
export async function byDirectory(
  { realm, site }: Place,
  { username, password }: Guess,
  guessing: Guessing = {},
): Promise<ByDirectory> {
  const entries = signInEntries(realm.reader, site, 'ldap');
  if (entries.length === 0) return { is: 'absent' };
  // A directory would take an empty password for nobody's, and accept it.
  if (password === '') throw errors.authenticationFailed();
  if (password.length > PASSWORD_LENGTH_MAX) return { is: 'wrong' };
  let away: errors.ApiError | undefined;
  let decided: { readonly entry: LdapEntry; readonly person?: DirectoryPerson } | undefined;
  for (const entry of entries) {
    try {
      if (decided !== undefined) {
        await feign(entry, username);
        continue;
      }
      const checked = await check(entry, { username, password }, (subject) =>
        guessing.beforeGuess?.(`${issuerOf(entry)} ${subject}`),
      );
      if (checked.is === 'absent') continue;
      decided = checked.is === 'right' ? { entry, person: checked.person } : { entry };
      if (checked.is === 'right' && guessing.isHeldBack?.() !== true) break;
    } catch (error) {
      if (!(error instanceof SignInFault)) throw error;
      told.get(entry)?.({ provider: entry.name, outcome: error.code, error: error.cause });
      const refusal = refusalOf(entry, error);
      if (OF_PERSON.has(error.code)) return { is: 'away', refusal, isWrong: false };
      away ??= refusal;
    }
  }
  const { entry, person } = decided ?? {};
  const isOut = person === undefined || guessing.isHeldBack?.() === true;
  if (away !== undefined && isOut) {
    return { is: 'away', refusal: away, isWrong: decided !== undefined };
  }
  if (entry === undefined) return { is: 'absent' };
  if (person === undefined) return { is: 'wrong' };
  return { user: await accountOf({ realm, site }, entry, person) };
}

/** Returns the account of a person whose password was right; a refusal of it is noted. */
async function accountOf({ realm, site }: Place, entry: LdapEntry, person: DirectoryPerson) {
  try {
    return await realm.perform((tx) => vouched.accountFor(tx, site, { entry, person }));
  } catch (error) {
    if (error instanceof errors.ApiError) {
      told.get(entry)?.({ provider: entry.name, outcome: 'no_account' });
    }
    throw error;
  }
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

/** Has faults of these directories, and refusals of their people, noted. */
export function noteFaults(entries: Site['settings']['signIn'], note: NoteSignIn) {
  for (const entry of entries) if (entry.type === 'ldap') told.set(entry, note);
}
