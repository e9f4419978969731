/**
 * Reads long JSON documents and files of JSON lines one element at a time, so that the memory is
 * that of the largest element.
 */
import type { Readable } from 'node:stream';
import { JSONParser } from '@streamparser/json';
import { ArchiveError } from '../archives/archive-error.ts';
import { LineCutter } from '../domain/lines.ts';

/** One element of a document, or one line; far above what services write. */
export const JSON_ELEMENT_BYTES_MAX = 16 * 1024 * 1024;
/** Services nest a message about ten deep. */
const JSON_DEPTH_MAX = 200;

export interface JsonElement {
  /** The name in an object, or the position in an array. */
  readonly key: string | number | undefined;
  /** The name of the list or object that it is in, if that has one. */
  readonly within: string | number | undefined;
  readonly value: unknown;
}

/** A document or a line that cannot be read, with a sentence on why. */
export class JsonStreamError extends Error {}

/**
 * Yields the elements that match one of `paths` (`$.*`, `$.messages.*`), in the order of the
 * document. Throws `JsonStreamError` at the byte where the document stops being JSON; the elements
 * before it have been yielded by then.
 */
export async function* jsonElements(
  stream: Readable,
  paths: readonly string[],
  { bytesMax = JSON_ELEMENT_BYTES_MAX } = {},
): AsyncGenerator<JsonElement> {
  let found: JsonElement[] = [];
  const parser = new JSONParser({ paths: [...paths], keepStack: false });
  parser.onValue = ({ key, value, stack }) => {
    found.push({ key, within: stack.at(-1)?.key, value });
  };
  const depth = new DepthCounter(Math.min(...paths.map((path) => path.split('.').length - 1)));
  try {
    for await (const bytes of chunksOf(stream)) {
      const error = readInto(parser, bytes, depth);
      yield* found;
      found = [];
      if (error !== null) throw error;
      if (depth.held > bytesMax) {
        throw new JsonStreamError(`An element is larger than ${bytesMax} bytes.`);
      }
    }
    if (!parser.isEnded) throw new JsonStreamError('The document ends before it is complete.');
  } finally {
    stream.destroy();
  }
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

/** Returns what stopped the parser, or null. */
function readInto(parser: JSONParser, bytes: Buffer, depth: DepthCounter): JsonStreamError | null {
  if (depth.isTooDeepAfter(bytes)) {
    return new JsonStreamError(`The document nests deeper than ${JSON_DEPTH_MAX} levels.`);
  }
  try {
    // The end of a document ends the parser, which refuses even blanks from then on.
    if (!parser.isEnded) parser.write(bytes);
    return null;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return new JsonStreamError(`The document is not JSON: ${reason.slice(0, 200)}`);
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_BRACE, OPEN_BRACKET, CLOSE_BRACE, CLOSE_BRACKET] = [0x7b, 0x5b, 0x7d, 0x5d];

/** Counts the brackets outside of strings, byte by byte. */
class DepthCounter {
  private depth = 0;
  /** Bytes since an element ended that was no deeper than the elements that are read. */
  held = 0;
  private readonly elementDepth: number;

  constructor(elementDepth = 0) {
    this.elementDepth = elementDepth;
  }

  private isInString = false;
  private isEscaped = false;

  isTooDeepAfter(bytes: Buffer): boolean {
    for (const byte of bytes) {
      this.held += 1;
      if (this.isInString) this.inString(byte);
      else if (byte === QUOTE) this.isInString = true;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.depth += 1;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.depth -= 1;
      else if (byte === COMMA && this.depth <= this.elementDepth) this.held = 0;
      if (this.depth > JSON_DEPTH_MAX) return true;
    }
    return false;
  }

  private inString(byte: number): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (byte === BACKSLASH) this.isEscaped = true;
    else if (byte === QUOTE) this.isInString = false;
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
  if (new DepthCounter().isTooDeepAfter(bytes)) {
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
