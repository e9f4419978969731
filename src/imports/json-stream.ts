/**
 * Reads files of JSON lines one line at a time, so that the memory is that of the longest line;
 * `json-documents.ts` reads long documents.
 */
import type { Readable } from 'node:stream';
import { ArchiveError } from '../archives/archive-error.ts';
import { LineCutter } from '../domain/lines.ts';
import { isTooDeep, JSON_DEPTH_MAX } from './json-values.ts';

/** One element of a document, or one line; far above what services write. */
export const JSON_ELEMENT_BYTES_MAX = 16 * 1024 * 1024;

/** A document or a line that cannot be read, with a sentence on why. */
export class JsonStreamError extends Error {}

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
