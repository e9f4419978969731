/**
 * Reads long JSON documents and files of JSON lines one element at a time, so that the memory is
 * that of the largest element.
 */
import type { Readable } from 'node:stream';
import { ArchiveError } from '../archives/archive-error.ts';
import { LineCutter } from '../domain/lines.ts';
import { ByteWindow, MORE } from './json/byte-window.ts';
import { DocumentReader, type JsonElement } from './json/document-reader.ts';
import { JsonStreamError } from './json/json-stream-error.ts';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './json/signs.ts';

/** One element of a document, or one line; far above what services write. */
export const JSON_ELEMENT_BYTES_MAX = 16 * 1024 * 1024;
/** Services nest a message about ten deep. */
const JSON_DEPTH_MAX = 200;

/**
 * Yields the elements that match one of `paths` (`$.*`, `$.messages.*`), in the order of the
 * document. One that is broken comes without a value. Throws `JsonStreamError` where nothing more
 * can be told from the document; the elements before it have been yielded by then.
 */
export async function* jsonElements(
  stream: Readable,
  paths: readonly string[],
  { bytesMax = JSON_ELEMENT_BYTES_MAX } = {},
): AsyncGenerator<JsonElement> {
  const window = new ByteWindow();
  const reader = new DocumentReader(window, bytesMax, JSON_DEPTH_MAX);
  const chunks = chunksOf(stream);
  try {
    for (const found of reader.elements(paths.map((path) => path.split('.').slice(1)))) {
      if (found === MORE) await fill(window, chunks);
      else yield found;
    }
  } finally {
    stream.destroy();
  }
}

/** Bytes that are read before an element is looked for. */
const WINDOW_BYTES_MIN = 64 * 1024;

/** Reads as much as makes it worth to move what is held. */
async function fill(window: ByteWindow, chunks: AsyncIterator<Buffer>): Promise<void> {
  const parts: Buffer[] = [];
  const wanted = Math.max(WINDOW_BYTES_MIN, window.held / 2);
  try {
    for (let size = 0; size < wanted && !window.isEnded; ) {
      const { value, done } = await chunks.next();
      if (done === true) window.isEnded = true;
      else {
        parts.push(value);
        size += value.length;
      }
    }
  } catch (error) {
    if (!(error instanceof JsonStreamError)) throw error;
    window.isEnded = true;
    window.failure = error;
  }
  window.add(parts);
}

/** Yields the bytes of a stream. Throws `JsonStreamError` where the file is damaged. */
export async function* chunksOf(stream: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) {
      yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    }
  } catch (error) {
    if (error instanceof ArchiveError) throw new JsonStreamError(error.message);
    throw error;
  }
}

/** Tells whether more brackets are open at once, outside of strings, than there may be. */
function isTooDeep(bytes: Buffer): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number; // the index is below the length
    if (isInString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) isInString = true;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
    if (depth > JSON_DEPTH_MAX) return true;
  }
  return false;
}

/** A line of a file: its value, or why it has none. */
export type JsonLine =
  | { readonly line: number; readonly value: unknown }
  | { readonly line: number; readonly why: string };

/** Yields the lines of a file of JSON lines. Blank lines are passed over. Lines count from 1. */
export async function* jsonLines(
  stream: Readable,
  { bytesMax = JSON_ELEMENT_BYTES_MAX } = {},
): AsyncGenerator<JsonLine> {
  for await (const { line, bytes } of linesOf(stream, bytesMax)) {
    if (bytes === null) {
      yield { line, why: `The line is larger than ${bytesMax} bytes.` };
      continue;
    }
    const text = bytes.toString('utf8').replace(/^\ufeff/, '');
    if (text.trim() === '') continue;
    yield { line, ...parsedJson(bytes, text) };
  }
}

/** Returns the value of a line, or of a document in a line of its own, or why it has none. */
export function parsedJson(
  bytes: Buffer,
  text: string,
): { readonly value: unknown } | { readonly why: string } {
  if (isTooDeep(bytes)) {
    return { why: `The line nests deeper than ${JSON_DEPTH_MAX} levels.` };
  }
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { why: 'The line is not JSON.' };
  }
}

/** Gives null for the bytes of a line that is too long; its bytes are not kept. */
export async function* linesOf(
  stream: Readable,
  bytesMax: number,
): AsyncGenerator<{ line: number; bytes: Buffer | null }> {
  const cutter = new LineCutter(bytesMax);
  let line = 0;
  const numbered = (bytes: Buffer | null) => {
    line += 1;
    return { line, bytes };
  };
  try {
    for await (const chunk of chunksOf(stream)) {
      for (const bytes of cutter.cut(chunk)) yield numbered(bytes);
    }
    for (const bytes of cutter.rest()) yield numbered(bytes);
  } finally {
    stream.destroy();
  }
}
