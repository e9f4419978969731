import { setImmediate as turn } from 'node:timers/promises';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import {
  DIRECTORY_PEOPLE_MAX,
  DIRECTORY_PEOPLE_PER_COMMIT,
  DIRECTORY_SYNC_MS_MAX,
} from '../../domain/limits/credentials.ts';
import { isForRealm } from '../../domain/rules/realm/sign-in-entries.ts';
import { ApiError } from '../../domain/wire/errors.ts';
import {
  type DirectoryPerson,
  goneOf,
  issuerOf,
  type LdapEntry,
  peopleOf,
} from '../../endpoints/sign-in/directory.ts';
import { codeWithin, SignInFault } from '../../endpoints/sign-in/fault.ts';
import * as people from '../../operations/accounts/directory-people.ts';
import { operator } from '../commands/operator.ts';
import type { Realms } from '../deployment.ts';

/** The outcome of a sync of one realm with one directory, or of a dry run. */
export type Synced =
  | {
      readonly directory: string;
      readonly realm: string;
      readonly state: 'done' | 'dry_run';
      readonly people: number;
      readonly deactivated: number;
      readonly reactivated: number;
      readonly changed: number;
      readonly refused: number;
    }
  | {
      readonly directory: string;
      readonly realm: string | null;
      readonly state: 'not_done';
      readonly why: string;
    };

interface Asked {
  readonly isDry: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** One sync after the other: two at once would take people for gone who come back. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Has the accounts of all realms follow their directories. A directory that cannot be read to its
 * end changes nothing.
 */
export const syncDirectories = (realms: Realms, asked: Asked): Promise<Synced[]> =>
  inTurn(async () => {
    const synced: Synced[] = [];
    for (const entry of realms.settings.signIn) {
      if (entry.type === 'ldap') synced.push(...(await syncedWith(realms, entry, asked)));
    }
    return synced;
  });

export const syncDirectory = (realms: Realms, entry: LdapEntry, asked: Asked): Promise<Synced[]> =>
  inTurn(() => syncedWith(realms, entry, asked));

function inTurn(sync: () => Promise<Synced[]>): Promise<Synced[]> {
  const run = last.then(sync);
  last = run.catch(() => undefined);
  return run;
}

/** In a cluster each node does it for the realms that it writes, so that one does it for each. */
async function syncedWith(
  realms: Realms,
  entry: LdapEntry,
  { isDry, signal: stopping }: Asked,
): Promise<Synced[]> {
  const late = AbortSignal.timeout(DIRECTORY_SYNC_MS_MAX);
  const signal = stopping === undefined ? late : AbortSignal.any([stopping, late]);
  const served = realms
    .all()
    .filter((realm) => realm.registrar === null && isForRealm(entry, realm.stringId));
  if (served.length === 0) return [];
  const synced: Synced[] = [];
  let at: string | null = null;
  try {
    const listed = await listedBy(entry, signal);
    for (const realm of served) {
      at = realm.stringId;
      synced.push(await syncRealm(realms, realm, { entry, listed, isDry, signal }));
    }
  } catch (error) {
    // Another node writes the realm meanwhile: its next sync does the rest.
    const isElsewhere = error instanceof ApiError && error.status === 503;
    const isExpected = error instanceof SignInFault || isElsewhere || late.aborted;
    if (stopping?.aborted !== true && !isExpected) throw error;
    const why = isElsewhere ? 'the realm is not written here any more' : reasonOf(error);
    synced.push({ directory: entry.name, realm: at, state: 'not_done', why });
  }
  return synced;
}

/** Returns the name of a fault, with the code of the system or of TLS if there is one. */
function reasonOf(error: unknown): string {
  if (!(error instanceof SignInFault)) return 'unreachable';
  const code = codeWithin(error.cause);
  return code === undefined ? error.code : `${error.code} (${code})`;
}

type Listing = ReadonlyMap<string, DirectoryPerson>;

async function listedBy(entry: LdapEntry, signal: AbortSignal): Promise<Listing> {
  const listed = new Map<string, DirectoryPerson>();
  for await (const page of peopleOf(entry, signal)) {
    for (const person of page) listed.set(person.subject, person);
    if (listed.size > DIRECTORY_PEOPLE_MAX) throw new SignInFault('too_large');
    await turn();
  }
  return listed;
}

interface Sync {
  readonly entry: LdapEntry;
  readonly listed: Listing;
  readonly isDry: boolean;
  readonly signal: AbortSignal;
}

async function syncRealm(realms: Realms, realm: Realm, { entry, listed, isDry, signal }: Sync) {
  const named = { directory: entry.name, realm: realm.stringId };
  const issuer = issuerOf(entry);
  const known = people.accountsOf(realm.reader, issuer);
  const active = known.filter(({ isActive }) => isActive);
  const missing = active.filter(({ subject }) => !listed.has(subject));
  const why = guardFor(entry, { active: active.length, missing: missing.length, listed });
  if (why !== undefined) return { ...named, state: 'not_done', why } as const;
  const subjects = missing.map(({ subject }) => subject);
  const gone = new Set(subjects.length === 0 ? [] : await goneOf(entry, subjects, signal));
  const counts = { deactivated: 0, reactivated: 0, changed: 0, refused: 0 };
  const site = realms.siteOf(realm);
  for (let first = 0; first < known.length; first += DIRECTORY_PEOPLE_PER_COMMIT) {
    signal.throwIfAborted();
    const some = known.slice(first, first + DIRECTORY_PEOPLE_PER_COMMIT);
    const apply = (tx: Parameters<typeof people.follow>[0]) => {
      tx.actAs('operator');
      const by = operator(tx, site);
      const done = some.map((one) => {
        const person = listed.get(one.subject);
        const following = { entry, issuer, known: one };
        if (person !== undefined) return people.follow(tx, by, { ...following, person });
        return gone.has(one.subject) ? people.leave(tx, by, following) : undefined;
      });
      return isDry ? rollBack(done) : done;
    };
    for (const each of await performed(realm, apply)) if (each !== undefined) counts[each] += 1;
  }
  const state = isDry ? 'dry_run' : 'done';
  return { ...named, state, people: listed.size, ...counts } as const;
}

/** A dry run does everything, and then refuses the commit. */
class RolledBack extends ApiError {
  readonly done: readonly people.Done[];

  constructor(done: readonly people.Done[]) {
    super('BAD_REQUEST', 'a dry run');
    this.done = done;
  }
}

function rollBack(done: readonly people.Done[]): never {
  throw new RolledBack(done);
}

async function performed(
  realm: Realm,
  apply: (tx: Parameters<typeof people.follow>[0]) => readonly people.Done[],
): Promise<readonly people.Done[]> {
  try {
    return await realm.perform(apply);
  } catch (error) {
    if (error instanceof RolledBack) return error.done;
    throw error;
  }
}

interface Counts {
  readonly active: number;
  readonly missing: number;
  readonly listed: Listing;
}

/** A directory that was emptied, or a base or filter that is wrong, must not empty the realm. */
function guardFor(entry: LdapEntry, { active, missing, listed }: Counts): string | undefined {
  if (missing === 0) return undefined;
  if (listed.size === 0) return `the filter finds nobody, and ${active} accounts came from there`;
  const percent = entry.deactivates_percent_max;
  // One person may always leave, however few there are, unless nobody may.
  const max = percent === 0 ? 0 : Math.max(1, Math.floor((active * percent) / 100));
  if (missing <= max) return undefined;
  return `${missing} of ${active} accounts would be deactivated, and at most ${max} may be at once`;
}
