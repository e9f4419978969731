import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, syncFolder } from '../../storage/files/disk.ts';
import { diskCode, diskFault } from '../../storage/files/disk-fault.ts';
import { SCHEMA_VERSION } from '../../storage/schema.ts';
import { openRealmStore } from '../../storage/store.ts';
import * as eventQueues from '../operations/access/event-queues.ts';
import { fillFolder } from './copying.ts';
import { inParallel } from './in-parallel.ts';
import { BackupError, type Manifest } from './manifest.ts';
import type { Source } from './places/place.ts';
import { type Backup, damaged, listOf, openBackup } from './read-backup.ts';

/**
 * The folder in the new data directory that is filled first; no server would find a realm in it.
 */
const ASIDE = '.restoring';
/** A folder that a fresh file system has, so a directory with it counts as empty. */
const NOT_OURS = ['lost+found'];
/** The prefix of lock files, which are left by taking the directory. */
const LOCKS = 'control.';
/** The files that are copied at once: most of the time goes by waiting for a disk or a service. */
const FILES_AT_ONCE = 8;

export interface Restoring {
  readonly from: Source;
  /** The new data directory, which does not exist or is empty. */
  readonly to: string;
  readonly now: () => number;
  /** Locks the directory, so that no server starts on it meanwhile. */
  readonly take: (path: string) => Promise<{ release(): Promise<void> }>;
}

/**
 * Makes a data directory of a backup: all of it or nothing. Each byte is verified as it is copied.
 * Event queues are ended, because the backup lacks what clients were told since; all clients have
 * to register again.
 */
export async function restoreBackup({ from, to, now, take }: Restoring): Promise<object> {
  const backup = await openBackup(from);
  const { realms, schema_version: schema } = backup.manifest;
  if (schema > SCHEMA_VERSION) {
    throw new BackupError(
      `${from.address} was made by a newer version of confab (schema ${schema}; this one knows ${SCHEMA_VERSION})`,
    );
  }
  await refuseUsed(to);
  try {
    const directory = await take(to);
    try {
      await restoreLocked(backup, { to, now });
    } finally {
      await directory.release();
    }
  } catch (error) {
    if (diskCode(error) === undefined) throw error;
    throw new BackupError(`${to} cannot be restored to: ${diskFault(error)}`);
  }
  return { backup: from.address, data: to, realms };
}

async function refuseUsed(to: string) {
  const names = await readdir(to).catch(() => []);
  const others = names.filter(
    (name) => name !== ASIDE && !name.startsWith(LOCKS) && !NOT_OURS.includes(name),
  );
  if (others.length > 0) throw notEmpty(to);
}

const notEmpty = (to: string) =>
  new BackupError(`${to} is not empty: a backup is restored into a new data directory only`);

/** Checks the directory a second time: somebody may have used it before it was locked. */
async function restoreLocked(backup: Backup, target: Pick<Restoring, 'to' | 'now'>) {
  const { to } = target;
  if ((await readdir(join(to, 'realms'))).length > 0) throw notEmpty(to);
  try {
    await restore(backup, target);
  } catch (error) {
    await clear(to);
    throw error;
  }
}

async function restore(backup: Backup, { to, now }: Pick<Restoring, 'to' | 'now'>) {
  const aside = join(to, ASIDE);
  await rm(aside, { recursive: true, force: true });
  await makeFolder(join(aside, 'realms'));
  const filling = fillFolder(aside, async () => undefined);
  const { source } = backup;
  await inParallel(listOf(backup), FILES_AT_ONCE, async (file) => {
    const written = await filling
      .write(file.path, source.chunks(file.path))
      .catch((error: unknown) => {
        if (diskCode(error) !== 'ENOENT') throw error;
        throw damaged(source.address, file.path, 'it is missing');
      });
    if (written.sha256 !== file.sha256) throw damaged(source.address, file.path);
  });
  for (const realm of backup.manifest.realms) await settleRealm(backup, { realm, aside, now });
  await filling.settle();
  // The realms come last: until then a server finds nothing to serve.
  for (const name of (await readdir(aside)).filter((one) => one !== 'realms')) {
    await rename(join(aside, name), join(to, name));
  }
  await rename(join(aside, 'realms'), join(to, 'realms'));
  await rm(aside, { recursive: true });
  await syncFolder(to);
}

interface Settling {
  readonly realm: Manifest['realms'][number];
  readonly aside: string;
  readonly now: () => number;
}

/**
 * Opens the store of a realm, checks that it is as the manifest says, and ends its event queues.
 */
async function settleRealm({ source }: Backup, { realm, aside, now }: Settling) {
  const store = openRealmStore(join(aside, 'realms', String(realm.id)));
  try {
    if (store.reader.head() !== realm.last_event_id) {
      const seen = `its last event is ${store.reader.head()}, not ${realm.last_event_id}`;
      throw damaged(source.address, `realms/${realm.id}`, seen);
    }
    const [outcome] = await store.commit(() => [eventQueues.endAll], now);
    if (outcome !== undefined && 'error' in outcome) throw outcome.error;
  } finally {
    await store.close();
  }
}

/** Empties the directory again after a failure; it is locked by this process. */
async function clear(to: string) {
  for (const name of [ASIDE, 'realms', 'layout.json', 'demo-credentials.json']) {
    await rm(join(to, name), { recursive: true, force: true });
  }
}
