import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { linesOf } from '../json-stream.ts';

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
