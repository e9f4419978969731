import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
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

export interface Backup {
  readonly path: string;
  readonly manifest: Manifest;
}

/**
 * Reads the manifest of a backup. Refuses one that is not whole, as far as is seen without its
 * files.
 */
export async function openBackup(path: string): Promise<Backup> {
  const text = await readFile(join(path, MANIFEST)).catch(() => {
    throw new BackupError(`${path} is no backup, or not a whole one: it has no ${MANIFEST}`);
  });
  const { sha256 } = await measured(join(path, MANIFEST));
  const said = await readFile(join(path, MANIFEST_HASH), 'utf8').catch(() => '');
  if (said !== `${sha256}  ${MANIFEST}\n`) throw damaged(path, MANIFEST);
  const parsed = manifest.safeParse(parsedJson(text.toString()));
  if (!parsed.success) {
    throw new BackupError(`${path} was made by another version of confab: its manifest is unknown`);
  }
  const list = await measured(join(path, FILE_LIST)).catch(() => undefined);
  if (list?.sha256 !== parsed.data.files.list_sha256) throw damaged(path, FILE_LIST);
  return { path, manifest: parsed.data };
}

/** Returns the files of a backup, as its list has them. */
export async function* listOf({ path, manifest: { files } }: Backup): AsyncGenerator<ListedFile> {
  const input = createReadStream(join(path, FILE_LIST), { encoding: 'utf8' });
  let count = 0;
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const parsed = listedFile.safeParse(parsedJson(line));
      if (!parsed.success) throw damaged(path, FILE_LIST);
      count += 1;
      yield parsed.data;
    }
  } finally {
    input.destroy();
  }
  if (count !== files.count) throw damaged(path, FILE_LIST);
}

export const damaged = (path: string, file: string, why = 'it is not what was backed up') =>
  new BackupError(`${path} is damaged: ${file}: ${why}`);

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
