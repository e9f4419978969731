import { randomBytes } from 'node:crypto';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import type { FileName } from '../../storage/files/file-store.ts';
import { writeArchive } from '../archives/write-archive.ts';
import { EXPORTS_AT_ONCE_MAX } from '../domain/limits/archives.ts';
import { OUTBOX_LEASE_MS } from '../domain/limits/outbox.ts';
import { storageFull } from '../domain/wire/errors.ts';
import type { Entry } from '../operations/access/outbox.ts';
import * as exports from '../operations/realm/exports.ts';
import type { Renew, Worker } from './dispatcher.ts';

/**
 * Writes the archives that administrators ask for, one at a time. After a kill an export starts
 * from its beginning.
 */
export const exporter = (onFailed: (error: unknown) => void): Worker => ({
  pausesMs: [],
  atOnceMax: EXPORTS_AT_ONCE_MAX,
  async deliver(entry, { realm }, renew) {
    const { exportId, isOver } = taskIn(entry);
    if (isOver) return await realm.perform((tx) => exports.expire(tx, exportId));
    const type = await realm.perform((tx) => exports.begin(tx, exportId));
    if (type === undefined) return;
    await store(realm, { exportId, kind: type === 1 ? 'public' : 'standard' }, renew);
  },
  async giveUp(entry, { realm }, error) {
    await realm.perform((tx) => exports.fail(tx, taskIn(entry).exportId));
    onFailed(error);
  },
});

interface Begun {
  readonly exportId: number;
  readonly kind: 'public' | 'standard';
}

async function store(realm: Realm, { exportId, kind }: Begun, renew: Renew) {
  const fileName = freshFileName();
  const incoming = await realm.files.receive(fileName);
  try {
    const held = keepHeld(realm, renew);
    await writeArchive(realm, {
      kind,
      async write(bytes) {
        await held();
        if (realm.space.isShort()) throw storageFull();
        await incoming.write(bytes);
      },
    });
    await incoming.keep();
    const isKept = await realm.perform((tx) => exports.finish(tx, exportId, fileName));
    if (isKept) await incoming.settle();
    else await incoming.discard();
  } catch (error) {
    await incoming.discard();
    throw error;
  }
}

/** Renews the lease while the archive is written, long before it ends. */
function keepHeld(realm: Realm, renew: Renew): () => Promise<void> {
  let since = realm.now();
  return async () => {
    if (realm.now() - since < OUTBOX_LEASE_MS / 4) return;
    since = realm.now();
    await renew();
  };
}

/** Makes a name that cannot be guessed: the link is all that a reader needs to get the archive. */
function freshFileName(): FileName {
  const random = randomBytes(32).toString('base64url');
  return { folder: random.slice(0, 2), file: random.slice(2) };
}

/** Reads the content of the entry, which only `realm/exports.ts` writes. */
const taskIn = (entry: Entry) => entry.content as exports.ExportTask;
