import { ArchiveError } from '../../archives/archive-error.ts';
import { linesIn } from '../../archives/lines.ts';
import {
  HISTORY_DEPTH_MAX,
  HISTORY_DOCUMENT_BYTES_MAX,
  HISTORY_LINE_BYTES_MAX,
} from '../../domain/limits/archives.ts';
import type { ArchiveSource } from './archive-source.ts';

/** Reads one file as JSON. Throws `ArchiveError` if it is none, is too large, or is too deep. */
export async function readJson(archive: ArchiveSource, entry: string): Promise<unknown> {
  if (archive.size(entry) > HISTORY_DOCUMENT_BYTES_MAX) {
    throw new ArchiveError(`${entry} is larger than ${HISTORY_DOCUMENT_BYTES_MAX} bytes`);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of await opened(archive, entry)) chunks.push(chunk);
  return parseJson(Buffer.concat(chunks).toString('utf8'), entry);
}

/** Parses JSON of an archive, `where` is for the error. Throws `ArchiveError`. */
export function parseJson(text: string, where: string): unknown {
  refuseDeep(text, where);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ArchiveError(`${where} is not JSON`);
  }
}

const QUOTE = 34;
const BACKSLASH = 92;

/** Refuses nesting before anything is parsed: a parser that recurses would run out of stack. */
function refuseDeep(text: string, where: string) {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isString = false;
    } else if (code === QUOTE) isString = true;
    else if (code === 91 || code === 123) {
      depth += 1;
      if (depth > HISTORY_DEPTH_MAX) {
        throw new ArchiveError(`${where} is nested deeper than ${HISTORY_DEPTH_MAX} levels`);
      }
    } else if (code === 93 || code === 125) depth -= 1;
  }
}

/** Reads lines of a file. Throws `ArchiveError` if one is too long. */
export async function* linesOf(archive: ArchiveSource, entry: string): AsyncGenerator<string> {
  const lines = linesIn(await opened(archive, entry), {
    bytesMax: HISTORY_LINE_BYTES_MAX,
    tooLong: () => new ArchiveError(`${entry} has a line too long`),
  });
  for await (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
}

async function opened(archive: ArchiveSource, entry: string): Promise<AsyncIterable<Buffer>> {
  return await archive.open(entry);
}
