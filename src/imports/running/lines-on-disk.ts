import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linesOf } from '../json-stream.ts';

/** A folder of temporary files; `TMPDIR` says where. It is there once a file is needed. */
export function openScratch() {
  let folder: string | undefined;
  let count = 0;
  const remove = () => {
    if (folder === undefined) return;
    process.off('exit', remove);
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    remove,
    /** Returns the path of another file. */
    path(): string {
      if (folder === undefined) {
        folder = mkdtempSync(join(tmpdir(), 'confab-import-'));
        process.once('exit', remove);
      }
      count += 1;
      return join(folder, String(count));
    },
  };
}

const WRITTEN_AT_ONCE = 256 * 1024;

/** Writes lines, which must not contain line breaks, to a new file. */
export async function openLines(path: string) {
  const file = await open(path, 'wx', 0o600);
  let pending = '';
  return {
    async add(line: string) {
      pending += `${line}\n`;
      if (pending.length < WRITTEN_AT_ONCE) return;
      await file.writeFile(pending);
      pending = '';
    },
    /** Writes what is pending. */
    async end() {
      await file.writeFile(pending);
      pending = '';
      await file.close();
    },
    close: () => file.close().catch(() => undefined),
  };
}

/** Bytes that are read of a file at once; many files are open. */
const BLOCK_BYTES = 32 * 1024;

export async function* readLines(path: string): AsyncGenerator<string> {
  const bytesMax = Number.POSITIVE_INFINITY; // its lines were written here
  const stream = createReadStream(path, { highWaterMark: BLOCK_BYTES });
  for await (const { bytes } of linesOf(stream, bytesMax)) yield bytes?.toString('utf8') ?? '';
}
