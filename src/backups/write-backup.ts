import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import type { StoredFile } from '../../storage/files/file-store.ts';
import { type FrozenStore, STORE_FILE } from '../../storage/frozen-store.ts';
import { SCHEMA_VERSION } from '../../storage/schema.ts';
import { openPace } from '../archives/pace.ts';
import { FILE_CHUNK_BYTES } from '../domain/limits/files.ts';
import { SERVICE_VERSION } from '../domain/version.ts';
import { serverStopping } from '../domain/wire/errors.ts';
import * as realms from '../operations/access/realms.ts';
import { chunksOfFile, type Filling } from './copying.ts';
import {
  FILE_LIST,
  FORMAT_VERSION,
  type ListedFile,
  MANIFEST,
  MANIFEST_HASH,
  type Manifest,
} from './manifest.ts';
import { type NamedFile, namedFiles } from './named-files.ts';
import type { Place } from './places/place.ts';

export interface BackedUp {
  /** The data directory. */
  readonly data: string;
  readonly realms: readonly Realm[];
  /**
   * Realms that are not served. What their stores hold is not known, so they are listed and not
   * copied.
   */
  readonly leftOut: Manifest['left_out'];
  readonly now: () => number;
}

/** The folder of uploads in the folder of a realm, as in the data directory. */
const UPLOADS = 'uploads';

/**
 * Files of the data directory beside the realms. Other files are made again by the server, or are
 * mails.
 */
const BESIDE_REALMS = ['layout.json', 'demo-credentials.json'];

/** The size and the realms of a backup, as the commands print them. */
export interface Written {
  readonly backup: string;
  readonly bytes: number;
  readonly files: number;
  readonly realms: Manifest['realms'];
  readonly left_out?: Manifest['left_out'];
}

/**
 * Writes a backup of all realms into a place. Each realm is copied as of one moment, with the files
 * that its rows name then. A failure leaves nothing. The signal gives the backup up, which is a
 * failure, even in the middle of a file.
 */
export async function writeBackup(
  source: BackedUp,
  place: Place,
  signal?: AbortSignal,
): Promise<Written & { readonly name: string }> {
  const startedAt = new Date(source.now());
  const name = nameFor(startedAt);
  const writing = await place.begin(name, source.data);
  try {
    const filling = givenUpBy(signal, writing.filling);
    const content = await fill(source, { filling, startedAt });
    await writing.finish();
    return { name, backup: place.at(name).address, ...content };
  } catch (error) {
    await writing.abandon();
    throw error;
  }
}

function givenUpBy(signal: AbortSignal | undefined, filling: Filling): Filling {
  if (signal === undefined) return filling;
  async function* whileWanted(chunks: Parameters<Filling['write']>[1]) {
    for await (const chunk of chunks) {
      signal?.throwIfAborted();
      yield chunk;
    }
  }
  return { ...filling, write: (path, chunks) => filling.write(path, whileWanted(chunks)) };
}

/** Returns a name by which backups sort by time. Two of one second have different names. */
const nameFor = (at: Date) =>
  `confab-${at.toISOString().slice(0, 19).replaceAll(':', '')}Z-${randomBytes(2).toString('hex')}`;

interface Target {
  readonly filling: Filling;
  readonly startedAt: Date;
}

async function fill(source: BackedUp, { filling, startedAt }: Target) {
  const backedUp: Manifest['realms'] = [];
  const sum = { count: 0, bytes: 0 };
  // The list is written while files are copied: it may be long, so it is not held in memory.
  async function* lines() {
    for await (const file of copies(source, filling, backedUp)) {
      sum.count += 1;
      sum.bytes += file.bytes;
      yield Buffer.from(`${JSON.stringify(file)}\n`);
    }
  }
  const list = await filling.write(FILE_LIST, lines());
  const manifest: Manifest = {
    format: 'confab backup',
    format_version: FORMAT_VERSION,
    confab_version: SERVICE_VERSION,
    schema_version: SCHEMA_VERSION,
    started_at: startedAt.toISOString(),
    finished_at: new Date(source.now()).toISOString(),
    realms: backedUp,
    left_out: [...source.leftOut],
    files: { ...sum, list_sha256: list.sha256 },
  };
  await filling.flush();
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  const { sha256 } = await filling.write(MANIFEST, [text]);
  await filling.write(MANIFEST_HASH, [Buffer.from(`${sha256}  ${MANIFEST}\n`)]);
  await filling.settle();
  const { leftOut } = source;
  const missing = leftOut.length === 0 ? {} : { left_out: leftOut };
  return { bytes: sum.bytes, files: sum.count, realms: backedUp, ...missing };
}

async function* copies(
  { data, realms: all }: BackedUp,
  filling: Filling,
  backedUp: Manifest['realms'],
): AsyncGenerator<ListedFile> {
  for (const name of BESIDE_REALMS) {
    const path = join(data, name);
    if (existsSync(path)) yield await filling.write(name, chunksOfFile(path));
  }
  for (const realm of all) backedUp.push(yield* copiesOfRealm(filling, realm));
}

async function* copiesOfRealm(
  filling: Filling,
  realm: Realm,
): AsyncGenerator<ListedFile, Manifest['realms'][number]> {
  const folder = `realms/${realm.id}`;
  // Files are held from before the snapshot on, so that none which its rows name is removed before
  // it is copied.
  const release = realm.files.hold();
  const frozen = await realm.freeze().catch(async (error: unknown) => {
    await release();
    throw error;
  });
  try {
    const asOf = new Date(realm.now()).toISOString();
    yield await filling.write(`${folder}/${STORE_FILE}`, whileOpen(realm, frozen));
    const last = frozen.reader.counters.get(['counters']);
    const { id, stringId, name } = realms.existing(frozen.reader);
    const pace = openPace(() => refuseStopping(realm));
    const files = await namedFiles(frozen.reader, pace);
    // The copy of the store is complete, so the server may use its old pages again while files are
    // copied.
    frozen.close();
    const missing = yield* copiesOfFiles(filling, { folder, realm, files });
    return {
      id,
      string_id: stringId,
      name,
      as_of: asOf,
      last_event_id: last?.event ?? 0,
      last_message_id: last?.message ?? 0,
      files: files.length,
      missing_files: missing,
    };
  } finally {
    frozen.close();
    await release();
  }
}

async function* whileOpen(realm: Realm, frozen: FrozenStore) {
  for await (const chunk of frozen.chunks()) {
    refuseStopping(realm);
    yield chunk;
  }
}

function refuseStopping(realm: Realm) {
  if (!realm.isOpen()) throw serverStopping();
}

interface Uploads {
  readonly folder: string;
  readonly realm: Realm;
  readonly files: readonly NamedFile[];
}

/** Copies uploaded files. Returns how many of them were missing. */
async function* copiesOfFiles(
  filling: Filling,
  { folder, realm, files }: Uploads,
): AsyncGenerator<ListedFile, number> {
  let missing = 0;
  for (const { fileName, bytesMax } of files) {
    refuseStopping(realm);
    const file = await realm.files.open(fileName);
    if (file === undefined) {
      missing += 1;
      continue;
    }
    try {
      const path = `${folder}/${UPLOADS}/${fileName.folder}/${fileName.file}`;
      yield await filling.write(path, firstBytes(file, bytesMax));
    } finally {
      await file.close();
    }
  }
  return missing;
}

async function* firstBytes(file: StoredFile, bytesMax: number): AsyncGenerator<Buffer> {
  const end = Math.min(file.size, bytesMax);
  for (let position = 0; position < end; position += FILE_CHUNK_BYTES) {
    const room = Buffer.allocUnsafe(Math.min(FILE_CHUNK_BYTES, end - position));
    yield await file.read(room, position);
  }
}
