import { join } from 'node:path';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import type { SupervisedRealm } from '../../actors/supervisor.ts';
import { diskFault } from '../../storage/files/disk-fault.ts';
import type { RealmList } from '../../storage/files/realm-list.ts';
import { StoreTooNew } from '../../storage/migrations/schema-version.ts';
import { readRecord, StoreDamaged } from '../../storage/pages/store-check.ts';
import * as errors from '../domain/wire/errors.ts';

/** A realm whose store was not opened. Its folder is left as it was found. */
export interface UnservedRealm {
  readonly id: number;
  /** The names that its record gives; none if there is no record. */
  readonly names: readonly string[];
  /** Why it is not served, in one line for the operator. */
  readonly reason: string;
}

/** Returns a realm that is closed and says why, for requests to a realm that is not served. */
export function standInFor(
  { id, names }: Pick<UnservedRealm, 'id' | 'names'>,
  closedBecause = errors.realmNotServed,
): SupervisedRealm {
  const closed = {
    id,
    stringId: names[0] ?? '',
    isOpen: () => false,
    closedBecause,
  };
  // Code that asks more of a closed realm has a bug; the error names the realm.
  const realm = new Proxy(closed, {
    get(target, name) {
      if (Object.hasOwn(target, name)) return Reflect.get(target, name);
      throw closedBecause();
    },
  }) as unknown as Realm;
  return { current: () => realm, stop: () => Promise.resolve() };
}

export type NoteUnserved = (realm: UnservedRealm, error: unknown) => void;

interface UnservedInput {
  /** The folder of all realms. */
  readonly folder: string;
  /** The realms that the data directory lists. */
  readonly listed: RealmList;
  readonly note: NoteUnserved | undefined;
}

/** Keeps the realms that are not served, while the others are. */
export function openUnserved({ folder, listed, note }: UnservedInput) {
  const all: UnservedRealm[] = [];
  const standIns: SupervisedRealm[] = [];
  return {
    all,
    standIns,
    has: (realm: SupervisedRealm) => standIns.includes(realm),
    /** Returns the realm, or undefined if it is not served. */
    orServed: (realm: SupervisedRealm | undefined) =>
      realm === undefined || standIns.includes(realm) ? undefined : realm,
    /**
     * Notes a realm as not served. Throws if the data is newer than the server, which then serves
     * nothing.
     */
    leave(
      id: number,
      error: unknown,
    ): { readonly names: readonly string[]; standIn: SupervisedRealm } {
      if (error instanceof StoreTooNew) throw error;
      const known = readRecord(join(folder, String(id))) ?? listed.find((one) => one.id === id);
      const names = known?.names ?? [];
      const reason = error instanceof StoreDamaged ? error.message : diskFault(error);
      const realm = { id, names, reason };
      const standIn = standInFor(realm);
      all.push(realm);
      standIns.push(standIn);
      note?.(realm, error);
      return { names, standIn };
    },
  };
}
