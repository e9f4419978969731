import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { FileName, FileStore, StoredFile } from '../../storage/files/file-store.ts';
import type { Key } from '../../storage/key.ts';
import { SCHEMA_VERSION } from '../../storage/schema.ts';
import type { TableReader } from '../../storage/table.ts';
import type { RealmReader, RealmSnapshot } from '../../storage/transaction.ts';
import { ARCHIVE_CHUNK_BYTES } from '../domain/limits/archives.ts';
import { FILE_CHUNK_BYTES } from '../domain/limits/files.ts';
import { SERVICE_VERSION } from '../domain/version.ts';
import { serverStopping } from '../domain/wire/errors.ts';
import * as realms from '../operations/access/realms.ts';
import {
  type ArchivedFile,
  FILE_LIST,
  FORMAT_VERSION,
  filePath,
  MANIFEST,
  type Manifest,
  tablePath,
} from './manifest.ts';
import { openPace, type Pace, slicesOf } from './pace.ts';
import { filesOf } from './realm-files.ts';
import { type ArchiveKind, type Scope, scopeOf } from './scope.ts';
import { ARCHIVED, type ArchivedTable, isFree } from './tables.ts';

/** The realm that is archived. */
export interface Archivable {
  snapshot(): RealmSnapshot;
  readonly files: Pick<FileStore, 'open'>;
  /** The present time in UNIX milliseconds. */
  now(): number;
  /** False while the server stops. */
  isOpen(): boolean;
}

export interface ArchiveInput {
  readonly kind: ArchiveKind;
  /** Writes bytes of the archive, in order. The next ones are made when this resolves. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
}

/**
 * Writes an archive of a realm as of one snapshot, which is closed when the rows are written. Files
 * are read after that, and one that was deleted meanwhile is left out. Throws `SERVER_STOPPING`
 * when the server stops.
 */
export async function writeArchive(realm: Archivable, input: ArchiveInput): Promise<Manifest> {
  const zip = new ZipFile();
  // The types only declare its older interface; it is a PassThrough.
  const output = zip.outputStream as Readable;
  const whenFailed = new Promise<never>((_, reject) => zip.on('error', reject));
  const drained = drain(output, input.write);
  const isBroken = Promise.race([whenFailed, drained.then(() => new Promise<never>(() => {}))]);
  isBroken.catch(() => undefined);
  try {
    const written = await fill({ zip, isBroken }, realm, input);
    await drained;
    return written;
  } finally {
    output.destroy();
    await drained.catch(() => undefined);
  }
}

async function drain(output: Readable, write: ArchiveInput['write']) {
  for await (const chunk of output) await write(chunk as Uint8Array); // no encoding is set
}

/** An archive being written, and a promise that rejects when it cannot go on. */
interface Open {
  readonly zip: ZipFile;
  readonly isBroken: Promise<never>;
}

async function fill(open: Open, source: Archivable, { kind }: ArchiveInput): Promise<Manifest> {
  const exportedAt = new Date(source.now()).toISOString();
  const pace = openPace(() => refuseStopping(source));
  const snapshot = source.snapshot();
  try {
    const { reader } = snapshot;
    const scope = await scopeOf(reader, kind, pace);
    const tables: Manifest['tables'] = [];
    for (const table of ARCHIVED) {
      if (table.policy.isSecret && !scope.isWhole) continue;
      tables.push({ name: table.fileName, ...(await addTable(open, table, { scope, pace })) });
    }
    const realm = realmOf(reader);
    const places = await filesOf(reader, scope.has, pace);
    snapshot.close();
    const files = await addFiles(open, places, source);
    const manifest: Manifest = {
      format: 'confab realm',
      format_version: FORMAT_VERSION,
      confab_version: SERVICE_VERSION,
      schema_version: SCHEMA_VERSION,
      kind,
      exported_at: exportedAt,
      realm,
      tables,
      files,
    };
    open.zip.addBuffer(Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), MANIFEST);
    open.zip.end();
    return manifest;
  } finally {
    snapshot.close();
  }
}

function refuseStopping(source: Archivable) {
  if (!source.isOpen()) throw serverStopping();
}

function realmOf(reader: RealmReader): Manifest['realm'] {
  const { id, stringId, name } = realms.existing(reader);
  return { id, string_id: stringId, name };
}

interface Written {
  readonly bytes: number;
  readonly sha256: string;
}

/** Writes one file of the archive, and returns its length and hash. */
async function add(
  { zip, isBroken }: Open,
  { path, size }: { readonly path: string; readonly size?: number },
  chunks: AsyncIterable<Buffer>,
): Promise<Written> {
  const hash = createHash('sha256');
  let bytes = 0;
  async function* hashed() {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  const stream = Readable.from(hashed(), { objectMode: false });
  // A file of unknown length needs the longer form of header. Uploads are stored, because few of
  // them would get smaller.
  const form = size === undefined ? { forceZip64Format: true } : { size, compress: false };
  try {
    zip.addReadStream(stream, path, { ...form, mode: 0o100600 });
    await Promise.race([finished(stream), isBroken]);
  } finally {
    stream.destroy();
  }
  return { bytes, sha256: hash.digest('hex') };
}

interface Source {
  readonly scope: Scope;
  readonly pace: Pace;
}

async function addTable(open: Open, table: ArchivedTable, source: Source) {
  let rows = 0;
  async function* lines() {
    for await (const slice of slicesOf(tableOf(source.scope.reader, table), source.pace)) {
      for (const entry of slice) {
        const kept = keptOf(entry, table, source.scope);
        if (kept === undefined) continue;
        rows += 1;
        yield `${JSON.stringify({ key: kept[0], row: kept[1] })}\n`;
      }
    }
  }
  const written = await add(open, { path: tablePath(table.fileName) }, chunksOf(lines()));
  return { rows, ...written };
}

const tableOf = (reader: RealmReader, { name }: ArchivedTable) =>
  reader[name] as unknown as TableReader<Key, object>; // keys and rows of any table

/**
 * Returns the row as the archive has it, or undefined if it or something that its key names is not
 * in it.
 */
function keptOf(
  entry: readonly [Key, object],
  { policy: { key: kinds, part } }: ArchivedTable,
  scope: Scope,
): readonly [Key, object] | undefined {
  const isIn = kinds.every((kind, index) => {
    const value = entry[0][index];
    if (isFree(kind)) return true;
    const id = Number(value);
    if (kind === 'anyone' || kind === 'anywhere') {
      return id === 0 || scope.has(kind === 'anyone' ? 'user' : 'channel', id);
    }
    return kind === 'owner' ? scope.has('user', id) && scope.consents(id) : scope.has(kind, id);
  });
  if (!isIn) return undefined;
  return part === undefined || scope.isWhole ? entry : part(entry, scope);
}

/** Joins lines to chunks that are large enough to be compressed. */
async function* chunksOf(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let text = '';
  for await (const line of lines) {
    text += line;
    if (text.length < ARCHIVE_CHUNK_BYTES) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

async function addFiles(
  open: Open,
  places: readonly FileName[],
  source: Archivable,
): Promise<Manifest['files']> {
  const lines: string[] = [];
  let missing = 0;
  for (const fileName of places) {
    refuseStopping(source);
    const file = await source.files.open(fileName);
    if (file === undefined) {
      missing += 1;
      continue;
    }
    try {
      const path = filePath(fileName);
      const written = await add(open, { path, size: file.size }, bytesOf(file));
      const line: ArchivedFile = { ...fileName, ...written };
      lines.push(`${JSON.stringify(line)}\n`);
    } finally {
      await file.close();
    }
  }
  const list = await add(open, { path: FILE_LIST }, chunksOf(Readable.from(lines)));
  return { count: lines.length, missing, ...list };
}

async function* bytesOf(file: StoredFile): AsyncGenerator<Buffer> {
  for (let position = 0; position < file.size; position += FILE_CHUNK_BYTES) {
    yield await file.read(Buffer.allocUnsafe(FILE_CHUNK_BYTES), position);
  }
}
