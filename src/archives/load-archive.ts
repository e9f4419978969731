import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type FileStore, openFileStore } from '../../storage/files/file-store.ts';
import type { Key } from '../../storage/key.ts';
import { openRealmStore, type RealmStore } from '../../storage/store.ts';
import type { TableWriter } from '../../storage/table.ts';
import {
  ARCHIVE_CHARACTERS_PER_COMMIT,
  ARCHIVE_ROWS_PER_COMMIT,
} from '../domain/limits/archives.ts';
import type { Operation } from '../operations/access/caller.ts';
import { ArchiveError } from './archive-error.ts';
import {
  archivedFile,
  archivedRow,
  FILE_LIST,
  filePath,
  type Manifest,
  tablePath,
} from './manifest.ts';
import { openPace, type Pace } from './pace.ts';
import { type Archive, openArchive } from './read-archive.ts';
import { filesOf } from './realm-files.ts';
import { resign } from './resign.ts';
import { ARCHIVED, type ArchivedTable } from './tables.ts';
import { verify } from './verify.ts';

export interface LoadInput {
  /** The path of the archive. */
  readonly archive: string;
  /** An empty folder, which becomes the folder of the realm. */
  readonly folder: string;
  readonly uploads: string;
  readonly now: () => number;
}

/**
 * Creates the store and the files of a realm from an archive, in slices, checking everything. If it
 * throws, the folder is of no use. The caller still has to write the name of the realm on this
 * server.
 */
export async function loadArchive({ archive, folder, uploads, now }: LoadInput): Promise<Manifest> {
  const pace = openPace();
  const opened = await openArchive(archive);
  try {
    const { manifest } = opened;
    const rows = openRealmStore(folder, { newAs: manifest.schema_version });
    try {
      await loadTables(opened, { store: rows, now });
    } finally {
      await rows.close();
    }
    // Opening it a second time runs the migrations to the present schema.
    const store = openRealmStore(folder);
    try {
      await verify(store.reader, pace);
      await loadFiles(opened, { store, files: openFileStore(join(folder, uploads)) }, pace);
      await resign(store, { now, pace });
    } finally {
      await store.close();
    }
    rmSync(join(folder, uploads, 'incoming'), { recursive: true, force: true });
    return manifest;
  } finally {
    opened.close();
  }
}

interface Target {
  readonly store: RealmStore;
  readonly now: () => number;
}

async function loadTables(archive: Archive, target: Target) {
  const { tables } = archive.manifest;
  const loaded = new Set<string>();
  for (const { name, rows, ...expected } of tables) {
    const table = ARCHIVED.find(({ fileName }) => fileName === name);
    if (table === undefined) throw new ArchiveError(`an archive has no table '${name}'`);
    if (loaded.has(name)) throw new ArchiveError(`the archive names the table '${name}' twice`);
    loaded.add(name);
    const lines = archive.lines(tablePath(name), expected, archivedRow);
    await loadRows(lines, table, target);
    const stored = target.store.reader[table.name].count();
    if (stored !== rows) {
      throw new ArchiveError(`${name}: the archive has ${stored} rows of ${rows}`);
    }
  }
  for (const path of archive.paths) {
    const [, name] = /^tables\/(.+)\.jsonl$/.exec(path) ?? [];
    if (name !== undefined && !loaded.has(name)) {
      throw new ArchiveError(`the archive does not say what ${path} is`);
    }
  }
}

interface Line {
  readonly key: readonly (string | number)[];
  readonly row: Readonly<Record<string, unknown>>;
}

async function loadRows(lines: AsyncIterable<Line>, table: ArchivedTable, target: Target) {
  let batch: Line[] = [];
  let characters = 0;
  for await (const line of lines) {
    refuseColumns(line, table);
    batch.push(line);
    characters += lengthOf(line);
    if (batch.length < ARCHIVE_ROWS_PER_COMMIT && characters < ARCHIVE_CHARACTERS_PER_COMMIT) {
      continue;
    }
    await store(batch, table, target);
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) await store(batch, table, target);
}

/** Refuses a row that has an unknown column, or lacks one that older rows do not lack. */
function refuseColumns({ key, row }: Line, { fileName, columns, defaults }: ArchivedTable) {
  const wrong =
    Object.keys(row).find((name) => !columns.includes(name)) ??
    columns.find((name) => row[name] === undefined && !mayLack(name, defaults));
  if (wrong === undefined) return;
  const where = `${fileName}: the row ${JSON.stringify(key).slice(0, 200)}`;
  throw new ArchiveError(`${where}: the column '${wrong.slice(0, 100)}' is missing or unknown`);
}

const mayLack = (name: string, defaults: object) => Object.hasOwn(defaults, name);

/** Estimates what a row costs to store. */
function lengthOf({ row }: Line): number {
  let length = 0;
  for (const value of Object.values(row)) {
    length += typeof value === 'string' ? value.length : 20;
  }
  return length;
}

async function store(batch: readonly Line[], table: ArchivedTable, { store, now }: Target) {
  await commit(store, now, (tx) => {
    // Keys and rows are checked once all of them are there.
    const rows = tx[table.name] as unknown as TableWriter<Key, object>;
    for (const { key, row } of batch) rows.put(key, row);
  });
}

/**
 * Runs one operation in a transaction of its own. A row that the store cannot take, such as one
 * with too long a key, is a fault of the archive.
 */
async function commit(store: RealmStore, now: () => number, operation: Operation<void>) {
  const [outcome] = await store.commit(() => [operation], now);
  if (outcome === undefined || !('error' in outcome)) return;
  throw new ArchiveError(`a row cannot be stored: ${(outcome.error as Error).message}`);
}

interface Loaded {
  readonly store: RealmStore;
  readonly files: FileStore;
}

async function loadFiles(archive: Archive, { store, files }: Loaded, pace: Pace) {
  const referenced = new Set((await filesOf(store.reader, () => true, pace)).map(filePath));
  const { count, missing: _missing, ...expected } = archive.manifest.files;
  const loaded = new Set<string>();
  for await (const file of archive.lines(FILE_LIST, expected, archivedFile)) {
    const path = filePath(file);
    if (!referenced.has(path)) throw new ArchiveError(`${path} belongs to nothing in the archive`);
    if (loaded.has(path)) throw new ArchiveError(`the archive names ${path} twice`);
    loaded.add(path);
    const incoming = await files.receive(file);
    try {
      for await (const chunk of archive.read(path, file)) await incoming.write(chunk);
      await incoming.keep();
      await incoming.settle();
    } catch (error) {
      await incoming.discard();
      throw error;
    }
  }
  if (loaded.size !== count) {
    throw new ArchiveError(`the archive lists ${loaded.size} files of ${count}`);
  }
  for (const path of archive.paths) {
    if (path.startsWith('files/') && !loaded.has(path)) {
      throw new ArchiveError(`the archive does not say what ${path} is`);
    }
  }
}
