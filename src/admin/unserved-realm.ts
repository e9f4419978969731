import { join } from 'node:path';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import type { SupervisedRealm } from '../../actors/supervisor.ts';
import { diskFault } from '../../storage/files/disk-fault.ts';
import type { RealmList } from '../../storage/files/realm-list.ts';
import { StoreTooNew } from '../../storage/migrations/schema-version.ts';
import { readRecord, StoreDamaged } from '../../storage/pages/store-check.ts';
import * as errors from '../domain/wire/errors.ts';

/** A realm whose store was not opened: its folder is as it was found. */
export interface UnservedRealm {
  readonly id: number;
  /** As its record says; none where there is no record. */
  readonly names: readonly string[];
  /** In one line, for the operator. */
  readonly reason: string;
}

/** Stands for such a realm where requests are answered: it is closed, and says why. */
function standInFor({ id, names }: UnservedRealm): SupervisedRealm {
  const closed = {
    id,
    stringId: names[0] ?? '',
    isOpen: () => false,
    closedBecause: errors.realmNotServed,
  };
  // Whoever asks a closed realm for more than this has a bug, and is told of the realm.
  const realm = new Proxy(closed, {
    get(target, name) {
      if (Object.hasOwn(target, name)) return Reflect.get(target, name);
      throw errors.realmNotServed();
    },
  }) as unknown as Realm;
  return { current: () => realm, stop: () => Promise.resolve() };
}

export type NoteUnserved = (realm: UnservedRealm, error: unknown) => void;

interface UnservedInput {
  /** Of all realms. */
  readonly folder: string;
  /** What the data directory says it has. */
  readonly listed: RealmList;
  readonly note: NoteUnserved | undefined;
}

/** The realms of a folder that are left as they were found, while the others are served. */
export function openUnserved({ folder, listed, note }: UnservedInput) {
  const all: UnservedRealm[] = [];
  const standIns: SupervisedRealm[] = [];
  return {
    all,
    standIns,
    has: (realm: SupervisedRealm) => standIns.includes(realm),
    /** Undefined for one of them. */
    orServed: (realm: SupervisedRealm | undefined) =>
      realm === undefined || standIns.includes(realm) ? undefined : realm,
    /** A server that is older than its data serves none of it: then the error goes on. */
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
