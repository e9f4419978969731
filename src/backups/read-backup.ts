import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { diskCode } from '../../storage/files/disk-fault.ts';
import { measured } from './copying.ts';
import {
  BackupError,
  FILE_LIST,
  type ListedFile,
  listedFile,
  MANIFEST,
  MANIFEST_HASH,
  type Manifest,
  manifest,
} from './manifest.ts';
import { type Source, textOf } from './places/place.ts';

export interface Backup {
  readonly source: Source;
  readonly manifest: Manifest;
}

/**
 * Reads the manifest of a backup. Refuses one that is not whole, as far as is seen without its
 * files.
 */
export async function openBackup(source: Source): Promise<Backup> {
  const { address } = source;
  const text = await textOf(source, MANIFEST).catch((error: unknown) => {
    if (diskCode(error) === undefined) throw error;
    throw new BackupError(`${address} is no backup, or not a whole one: it has no ${MANIFEST}`);
  });
  const sha256 = createHash('sha256').update(text).digest('hex');
  const said = await textOf(source, MANIFEST_HASH).catch(ifMissing(''));
  if (said !== `${sha256}  ${MANIFEST}\n`) throw damaged(address, MANIFEST);
  const parsed = manifest.safeParse(parsedJson(text));
  if (!parsed.success) {
    throw new BackupError(
      `${address} was made by another version of confab: its manifest is unknown`,
    );
  }
  const list = await measured(source.chunks(FILE_LIST)).catch(ifMissing(undefined));
  if (list?.sha256 !== parsed.data.files.list_sha256) throw damaged(address, FILE_LIST);
  return { source, manifest: parsed.data };
}

const ifMissing =
  <Instead>(instead: Instead) =>
  (error: unknown): Instead => {
    if (diskCode(error) === undefined) throw error;
    return instead;
  };

/** Returns the files of a backup, as its list has them. */
export async function* listOf({ source, manifest: { files } }: Backup): AsyncGenerator<ListedFile> {
  const input = Readable.from(source.chunks(FILE_LIST));
  let count = 0;
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const parsed = listedFile.safeParse(parsedJson(line));
      if (!parsed.success) throw damaged(source.address, FILE_LIST);
      count += 1;
      yield parsed.data;
    }
  } finally {
    input.destroy();
  }
  if (count !== files.count) throw damaged(source.address, FILE_LIST);
}

export const damaged = (address: string, file: string, why = 'it is not what was backed up') =>
  new BackupError(`${address} is damaged: ${file}: ${why}`);

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
