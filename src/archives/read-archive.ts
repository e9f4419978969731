import { createHash } from 'node:crypto';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import type { z } from 'zod';
import { SCHEMA_VERSION } from '../../storage/schema.ts';
import { ARCHIVE_LINE_BYTES_MAX, ARCHIVE_MANIFEST_BYTES_MAX } from '../domain/limits/archives.ts';
import { ArchiveError } from './archive-error.ts';
import { linesIn } from './lines.ts';
import { FORMAT_VERSION, MANIFEST, type Manifest, manifest } from './manifest.ts';

/** An archive whose list of contents and manifest have been read. */
export interface Archive {
  readonly manifest: Manifest;
  /** The paths of all its files except the manifest. */
  readonly paths: ReadonlySet<string>;
  /** Reads a file. Throws at its end if size or hash are not those expected. */
  read(path: string, expected: Expected): AsyncGenerator<Buffer>;
  /** Reads a file as lines, each of this shape. */
  lines<T>(path: string, expected: Expected, shape: z.ZodType<T>): AsyncGenerator<T>;
  close(): void;
}

interface Expected {
  readonly bytes: number;
  readonly sha256: string;
}

/** The schema of the first archives. */
const SCHEMA_VERSION_MIN = 16;

/** The paths that an archive may have; none leads out of its folder. */
const PATH =
  /^(?:manifest\.json|files\.jsonl|tables\/[a-z_]{1,100}\.jsonl|files\/[\w-]{2}\/[\w-]{10,100})$/;
/** The folders that an archive may list, as many tools that pack archives do. */
const FOLDER = /^(?:tables|files(?:\/[\w-]{2})?)\/$/;

export async function openArchive(file: string): Promise<Archive> {
  const zip = await openZip(file);
  try {
    const entries = await entriesOf(zip);
    const manifest = await manifestOf(zip, entries.get(MANIFEST));
    entries.delete(MANIFEST);
    const read = (path: string, expected: Expected) =>
      verified(chunksOf(zip, entries.get(path), path), path, expected);
    return {
      manifest,
      paths: new Set(entries.keys()),
      read,
      lines: (path, expected, shape) => parsed(linesOf(read(path, expected), path), path, shape),
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function openZip(file: string): Promise<ZipFile> {
  try {
    return await openPromise(file, { autoClose: false, lazyEntries: true, strictFileNames: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== undefined) throw new ArchiveError(`${file} cannot be read: ${message}`);
    throw new ArchiveError(`${file} is no archive, or was cut off: ${message}`);
  }
}

async function entriesOf(zip: ZipFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  try {
    for await (const entry of zip.eachEntry()) {
      const name = entry.fileName;
      if (FOLDER.test(name)) continue;
      if (!PATH.test(name)) throw new ArchiveError(`'${name}' does not belong in an archive`);
      if (entries.has(name)) throw new ArchiveError(`the archive has two files '${name}'`);
      if (!entry.canDecodeFileData()) throw new ArchiveError(`'${name}' cannot be unpacked`);
      entries.set(name, entry);
    }
  } catch (error) {
    throw asArchiveError(error, 'the list of its files is damaged');
  }
  return entries;
}

/** Turns any error of the zip library into an `ArchiveError`. */
const asArchiveError = (error: unknown, what: string): ArchiveError =>
  error instanceof ArchiveError ? error : new ArchiveError(`${what}: ${(error as Error).message}`);

async function manifestOf(zip: ZipFile, entry: Entry | undefined): Promise<Manifest> {
  if (entry === undefined) throw new ArchiveError(`the archive has no ${MANIFEST}`);
  if (entry.uncompressedSize > ARCHIVE_MANIFEST_BYTES_MAX) {
    throw new ArchiveError(`${MANIFEST} is too large`);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of chunksOf(zip, entry, MANIFEST)) chunks.push(chunk);
  const value = jsonIn(Buffer.concat(chunks).toString('utf8'), MANIFEST);
  refuseOtherVersions(value);
  const result = manifest.safeParse(value);
  if (!result.success) throw new ArchiveError(`${MANIFEST}: ${issueOf(result.error)}`);
  return result.data;
}

function refuseOtherVersions(value: unknown) {
  const { format_version: format, schema_version: schema } = Object(value) as Record<
    string,
    unknown
  >;
  if (format !== FORMAT_VERSION) {
    throw new ArchiveError(
      `the archive has format ${JSON.stringify(format)}; this version of confab reads ${FORMAT_VERSION}`,
    );
  }
  if (typeof schema === 'number' && schema > SCHEMA_VERSION) {
    throw new ArchiveError(
      `the archive was written by a newer version of confab (schema ${schema}; this one knows ${SCHEMA_VERSION})`,
    );
  }
  if (typeof schema === 'number' && schema < SCHEMA_VERSION_MIN) {
    throw new ArchiveError(`no version of confab wrote archives of schema ${schema}`);
  }
}

async function* chunksOf(
  zip: ZipFile,
  entry: Entry | undefined,
  path: string,
): AsyncGenerator<Buffer> {
  if (entry === undefined) throw new ArchiveError(`the archive has no ${path}`);
  try {
    const stream = await zip.openReadStreamPromise(entry);
    for await (const chunk of stream) yield chunk as Buffer; // no encoding is set
  } catch (error) {
    throw asArchiveError(error, `${path} is damaged`);
  }
}

async function* verified(
  chunks: AsyncIterable<Buffer>,
  path: string,
  expected: Expected,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > expected.bytes) break;
    hash.update(chunk);
    yield chunk;
  }
  if (bytes !== expected.bytes || hash.digest('hex') !== expected.sha256) {
    throw new ArchiveError(`${path} is not what the archive says it is`);
  }
}

const linesOf = (chunks: AsyncIterable<Buffer>, path: string) =>
  linesIn(chunks, {
    bytesMax: ARCHIVE_LINE_BYTES_MAX,
    tooLong: () => new ArchiveError(`${path} has a line too long`),
    cutOff: () => new ArchiveError(`${path} ends within a line`),
  });

async function* parsed<T>(
  lines: AsyncIterable<string>,
  path: string,
  shape: z.ZodType<T>,
): AsyncGenerator<T> {
  let number = 0;
  for await (const line of lines) {
    number += 1;
    const result = shape.safeParse(jsonIn(line, `${path}, line ${number}`));
    if (!result.success) {
      throw new ArchiveError(`${path}, line ${number}: ${issueOf(result.error)}`);
    }
    yield result.data;
  }
}

function jsonIn(text: string, where: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ArchiveError(`${where} is not JSON`);
  }
}

export function issueOf(error: z.ZodError): string {
  const [issue] = error.issues;
  return `${issue?.path.join('.')} ${issue?.message}`.trim();
}
