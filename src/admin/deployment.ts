import { join } from 'node:path';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import type { SupervisedRealm } from '../../actors/supervisor.ts';
import { diskCode } from '../../storage/files/disk-fault.ts';
import { filesIn } from '../../storage/files/open-file-store.ts';
import { keepRealmList, type RealmList, readRealmList } from '../../storage/files/realm-list.ts';
import type { ServerSettings } from '../config.ts';
import { ascending } from '../domain/ascending.ts';
import { BackgroundTurns } from '../domain/background-turns.ts';
import type { Deployment } from '../endpoints/dispatch/deployment.ts';
import { type Load, loadOf, openRealmRecord } from '../metrics/recorders.ts';
import type { RealmTransaction, Site } from '../operations/access/caller.ts';
import * as realms from '../operations/access/realms.ts';
import { demoPeople } from './demo-file.ts';
import { folderIds, openMaking, removeFolder, removeUnmade } from './making-realms.ts';
import { openRealmNames } from './realm-names.ts';
import { openHosts } from './realms/hosts.ts';
import type { DeploymentInput } from './realms/input.ts';
import { startRealm, UPLOADS } from './realms/starting.ts';
import { openStoreRecords } from './store-records.ts';
import { openUnserved, type UnservedRealm } from './unserved-realm.ts';

/** The realms of a data directory, each in a folder of its own. */
export interface Realms extends Deployment {
  /** The data directory. */
  readonly path: string;
  readonly settings: ServerSettings;
  /** Finds a realm by its name or a former one, for any host. */
  named(stringId: string): Realm | undefined;
  all(): readonly Realm[];
  /** Returns the realms whose stores were not opened. */
  unserved(): readonly UnservedRealm[];
  /** The realm as seen from nowhere in particular. */
  siteOf(realm: Realm): Site;
  /** Tells what the accounts of all realms want, for work that gives way to them. */
  load(): Load;
  /**
   * Makes a realm from an archive, under a free name: all of it or nothing. Throws `ArchiveError`.
   */
  adopt(stringId: string, archive: string): Promise<Realm>;
  /** Makes a realm with what `fill` writes: all of it or nothing. */
  create(realm: { stringId: string; name: string }, fill?: Fill): Promise<Realm>;
  /** Stops a realm and removes all its data. The caller has made sure that nobody needs it. */
  remove(realm: Realm): Promise<void>;
  stop(retryAfterMs: () => number): Promise<void>;
}

export type Fill = (tx: RealmTransaction, site: Site) => void;

export async function openRealms(input: DeploymentInput): Promise<Realms> {
  const { clock, settings } = input;
  const startedAt = Math.floor(clock.now() / 1000);
  const folder = join(input.path, 'realms');
  removeUnmade(folder);
  const supervised: SupervisedRealm[] = [];
  const names = openRealmNames<SupervisedRealm>();
  const listed = readRealmList(input.path);
  const unserved = openUnserved({ folder, listed, note: input.onRealmUnserved });
  const atStart = folderIds(folder).length;
  const hosts = openHosts<SupervisedRealm>({
    settings,
    startedAt,
    named: names.get,
    all: () => [...supervised, ...unserved.standIns],
    count: () => Math.max(atStart, supervised.length),
    isUnserved: unserved.has,
  });
  const { ownSite } = hosts;
  const record = input.record ?? openRealmRecord();
  const background = new BackgroundTurns();
  const start = openStart({ ...input, record }, { folder, startedAt, siteOf: ownSite, background });
  for (const id of idsIn(folder, listed)) {
    await start(id).then(add, (error) => {
      const { names: known, standIn } = unserved.leave(id, error);
      for (const name of known) names.set(name, standIn);
    });
  }
  const noteRealms = () => noteList(input.path, { supervised, unserved: unserved.all });
  noteRealms();
  const records = openStoreRecords({ clock, folder, realms: () => supervised });

  function add(realm: SupervisedRealm) {
    supervised.push(realm);
    for (const name of realms.namesOf(realm.current().reader)) names.set(name, realm);
    hosts.forget();
    input.onRealmsChanged?.();
  }

  const changed = () => {
    hosts.forget();
    noteRealms();
    input.onRealmsChanged?.();
  };
  const changing = { folder, supervised, names, changed };
  const removal = openRemoval(changing);
  const making = openMaking({
    folder,
    uploads: UPLOADS,
    now: () => clock.now(),
    ids: () => [...idsIn(folder, readRealmList(input.path)), ...removal.ids],
    isTaken: (stringId) => names.get(stringId) !== undefined,
    claim: (stringId) => names.claim(stringId, undefined),
    async open(id) {
      const started = await start(id);
      add(started);
      noteRealms();
      return started.current();
    },
  });

  return {
    path: input.path,
    settings,
    create: (realm, fill) => making.create(realm, (tx) => fill?.(tx, ownSite(tx))),
    adopt: making.adopt,
    named: (stringId) => unserved.orServed(names.get(stringId))?.current(),
    all: () => supervised.map((realm) => realm.current()),
    unserved: () => unserved.all,
    at: hosts.at,
    claimName: claiming(changing),
    demoPeople: () => demoPeople(input.path),
    remove: removal.remove,
    siteOf: ({ reader }) => ownSite(reader),
    load: () => loadOf(record, background),
    stop: (retryAfterMs) =>
      records.closing(() => Promise.all(supervised.map((realm) => realm.stop(retryAfterMs)))),
  };
}

/** Returns how a realm is started. */
function openStart(
  input: DeploymentInput,
  given: Pick<Parameters<typeof startRealm>[1], 'folder' | 'startedAt' | 'siteOf' | 'background'>,
) {
  const openFiles = filesIn(input.settings, input.onFilesChanged);
  return (realmId: number) => {
    const files = openFiles(join(given.folder, String(realmId), UPLOADS), realmId);
    return startRealm(input, { ...given, realmId, clock: input.clock, files });
  };
}

interface Changing {
  /** The folder of all realms. */
  readonly folder: string;
  readonly supervised: SupervisedRealm[];
  readonly names: RealmNameOwners;
  /** Called when the realms or their names are others than before. */
  readonly changed: () => void;
}

type RealmNameOwners = ReturnType<typeof openRealmNames<SupervisedRealm>>;

const claiming =
  ({ supervised, names, changed }: Changing) =>
  ({ id }: Realm, stringId: string) => {
    const realm = supervised.find((known) => known.current().id === id);
    const settle = names.claim(stringId, realm);
    return (isGiven: boolean) => {
      settle(isGiven);
      changed();
    };
  };

function openRemoval({ folder, supervised, names, changed }: Changing) {
  const ids: number[] = [];
  return {
    /** Ids of realms that are gone are not given out again: caches may still know them. */
    ids,
    async remove({ id, files }: Realm) {
      // The realm is deactivated. A store that is away is told before anything else has happened.
      await files.removeAll();
      const index = supervised.findIndex((known) => known.current().id === id);
      const [realm] = supervised.splice(index, index < 0 ? 0 : 1);
      if (realm === undefined) throw new Error(`realm ${id} is not served`);
      ids.push(id);
      names.free(realm);
      // After a kill from here on the realm is whole and deactivated, as it was, or gone.
      changed();
      await realm.stop(() => 0);
      await removeFolder(folder, id);
    },
  };
}

/** Returns the ids of realms that have a folder or are listed. */
const idsIn = (folder: string, listed: RealmList): readonly number[] =>
  [...new Set([...folderIds(folder), ...listed.map(({ id }) => id)])].sort(ascending);

interface Standing {
  readonly supervised: readonly SupervisedRealm[];
  readonly unserved: readonly UnservedRealm[];
}

/**
 * Writes the list of realms. A full disk has room for the stores first; then the next start writes
 * it.
 */
function noteList(data: string, { supervised, unserved }: Standing) {
  try {
    const served = supervised.map((realm) => {
      const { id, reader } = realm.current();
      return { id, names: [...realms.namesOf(reader)] };
    });
    const left = unserved.map(({ id, names }) => ({ id, names: [...names] }));
    keepRealmList(
      data,
      [...served, ...left].sort((one, other) => one.id - other.id),
    );
  } catch (error) {
    if (diskCode(error) === undefined) throw error;
  }
}
